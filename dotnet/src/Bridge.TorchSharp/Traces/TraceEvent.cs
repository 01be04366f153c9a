using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>An event of a recording: a module is called, or its <c>forward</c> has returned.</summary>
/// <remarks>A call that ended with an exception has no second event.</remarks>
public sealed record TraceEvent
{
    /// <summary>Gets the number of the event, from 0 on.</summary>
    public required long Number { get; init; }

    /// <summary>Gets <see cref="TracePhase.Pre"/> for a call, <see cref="TracePhase.Forward"/> for its result.</summary>
    public required TracePhase Phase { get; init; }

    /// <summary>Gets the module's path; empty for the root.</summary>
    public required string Path { get; init; }

    /// <summary>Gets the name of the module's class.</summary>
    public required string Type { get; init; }

    /// <summary>Gets the number of the call, from 0 on, in the order in which calls begin. Both events of a call have it.</summary>
    public required int Call { get; init; }

    /// <summary>Gets the number of the enclosing call, which may be on another thread; -1 if there is none.</summary>
    public required int Parent { get; init; }

    /// <summary>Gets the number of enclosing calls.</summary>
    public required int Depth { get; init; }

    /// <summary>Gets the arguments of the call, or its results. Tuples, lists and dictionaries are recorded by their elements.</summary>
    public required IReadOnlyList<TraceValue> Values { get; init; }

    /// <summary>
    /// Gets the time and the managed memory of the call; null for <see cref="TracePhase.Pre"/> and without
    /// <see cref="TraceOptions.Timing"/>.
    /// </summary>
    public CallCost? Cost { get; init; }

    /// <summary>Returns a line such as <c>pre fc1 (Linear): float32[3x4]</c>.</summary>
    public override string ToString() =>
        $"{Phase.ToString().ToLowerInvariant()} {(Path.Length == 0 ? "(root)" : Path)} ({Type}): {string.Join("; ", Values)}";
}

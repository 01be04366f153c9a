namespace Bridge.TorchSharp;

/// <summary>The recorded calls of a module.</summary>
public sealed record ModuleSummary
{
    /// <summary>Gets the module's path; empty for the root.</summary>
    public required string Path { get; init; }

    /// <summary>Gets the name of the module's class.</summary>
    public required string Type { get; init; }

    /// <summary>Gets the number of recorded calls; 0 if the module was not called, or was run by <c>forward</c>.</summary>
    public int Calls { get; init; }

    /// <summary>Gets the arguments of the first recorded call.</summary>
    public IReadOnlyList<TraceValue> Inputs { get; init; } = [];

    /// <summary>Gets the results of the first recorded call that has returned.</summary>
    public IReadOnlyList<TraceValue> Outputs { get; init; } = [];

    /// <summary>Gets whether arguments or results of other calls have other kinds, shapes or element types.</summary>
    public bool Varies { get; init; }

    /// <summary>Gets the size of all results in bytes, as their shapes say: a view counts like a copy.</summary>
    public long OutputBytes { get; init; }

    /// <summary>
    /// Gets the time and the managed memory of all calls; null without <see cref="TraceOptions.Timing"/>. A call inside another call of
    /// the module adds only to the own time.
    /// </summary>
    public CallCost? Cost { get; init; }
}

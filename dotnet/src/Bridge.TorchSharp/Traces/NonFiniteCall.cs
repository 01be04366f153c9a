using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The first call with a NaN or an infinity (<see cref="HookTrace.FindNonFinite"/>).</summary>
public sealed record NonFiniteCall
{
    /// <summary>Gets the module's path; empty for the root.</summary>
    public required string Path { get; init; }

    /// <summary>Gets the name of the module's class.</summary>
    public required string Type { get; init; }

    /// <summary>Gets the number of the call, from 0 on, in the order in which calls begin.</summary>
    public required int Call { get; init; }

    /// <summary>Gets the first element that is not finite: <c>NaN</c>, <c>Infinity</c> or <c>-Infinity</c>.</summary>
    public required string Element { get; init; }

    /// <summary>
    /// Gets whether the call's arguments have the element. Then no module has made it from finite arguments: the program passed it to the
    /// model.
    /// </summary>
    public bool InArguments { get; init; }

    /// <summary>Gets the arguments of the call.</summary>
    public required IReadOnlyList<TraceValue> Inputs { get; init; }

    /// <summary>Gets the results of the call; empty if the arguments have the element.</summary>
    public IReadOnlyList<TraceValue> Outputs { get; init; } = [];

    /// <summary>Returns a sentence.</summary>
    public override string ToString()
    {
        var module = $"{(Path.Length == 0 ? "(root)" : Path)} ({Type})";
        var inputs = string.Join("; ", Inputs);
        return InArguments
            ? $"{module} was called with {Element} in its arguments {inputs}."
            : $"{module} has {Element} in its result {string.Join("; ", Outputs)} and none in its arguments {inputs}.";
    }

    internal static NonFiniteCall? Find(IEnumerable<TraceEvent> events)
    {
        NonFiniteCall? given = null;
        // The arguments of calls that have not returned. A call that ended with an exception never does.
        var open = new Dictionary<int, TraceEvent>();
        foreach (var found in events)
        {
            var element = First(found);
            if (found.Phase == TracePhase.Pre)
            {
                open.Add(found.Call, found);
                if (element is not null) given ??= Create(found, element, found) with { InArguments = true };
                continue;
            }

            open.Remove(found.Call, out var begun);
            if (element is not null && First(begun!) is null) return Create(found, element, begun!) with { Outputs = Plain(found) };
        }

        return given;
    }

    private static NonFiniteCall Create(TraceEvent found, string element, TraceEvent begun) =>
        new() { Path = found.Path, Type = found.Type, Call = found.Call, Element = element, Inputs = Plain(begun) };

    private static string? First(TraceEvent found) => found.Values.Select(NonFinite).FirstOrDefault(element => element is not null);

    private static string? NonFinite(TraceValue value) => value.Literal switch
    {
        double real when !double.IsFinite(real) => NonFiniteElements.Name(real),
        _ => value.Digest,
    };

    // The recording has the name of the element in place of a digest.
    private static IReadOnlyList<TraceValue> Plain(TraceEvent found) => [.. found.Values.Select(value => value with { Digest = null })];
}

namespace Bridge.Trace.Tool.Reading;

/// <summary>Represents an event of a trace, or a call that contains events.</summary>
internal abstract class TraceItem
{
    internal abstract string Path { get; }
}

/// <summary>Represents an event of a trace.</summary>
internal sealed class TraceEvent(string path) : TraceItem
{
    internal const string Pre = "pre";
    internal const string Forward = "forward";
    internal const string Bypass = "bypass";

    /// <summary>Gets the module path; the root's is empty.</summary>
    internal override string Path { get; } = path;

    /// <summary>Gets the number of the event, from 0.</summary>
    internal required int Number { get; init; }

    internal required string Type { get; init; }

    /// <summary>Gets <c>pre</c>, <c>forward</c>, or <c>bypass</c> for a <c>forward()</c> that was run directly.</summary>
    internal required string Phase { get; init; }

    /// <summary>Gets the number of the module call; -1 for a bypass.</summary>
    internal required int Call { get; init; }

    /// <summary>Gets the number of the enclosing call; -1 for a root call.</summary>
    internal required int Parent { get; init; }

    /// <summary>Gets the position of the hook among those of the same phase and scope.</summary>
    internal required int Hook { get; init; }

    /// <summary>Gets <c>global</c> or <c>module</c>.</summary>
    internal required string Scope { get; init; }

    /// <summary>Gets the arguments or the results.</summary>
    internal required TraceValue[] Values { get; init; }
}

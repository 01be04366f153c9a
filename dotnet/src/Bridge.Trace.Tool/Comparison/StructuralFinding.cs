using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Represents a structural difference.</summary>
internal sealed class StructuralFinding
{
    internal const string Lost = "lost";
    internal const string Added = "added";
    internal const string Moved = "moved";
    internal const string Repeated = "repeated";
    internal const string Bypass = "bypass";

    /// <summary>Gets or sets one of the constants.</summary>
    internal required string Kind { get; set; }

    /// <summary>Gets or sets the call or event in the first trace; null if that trace does not have it.</summary>
    internal required TraceItem? A { get; set; }

    /// <summary>Gets or sets the call or event in the second trace; null if that trace does not have it.</summary>
    internal required TraceItem? B { get; set; }

    /// <summary>Gets or sets the row at which the call or event begins. A moved one begins at two rows.</summary>
    internal int Row { get; set; } = -1;

    /// <summary>Gets or sets the row at which a moved call or event begins in the second trace; -1 for other kinds.</summary>
    internal int OtherRow { get; set; } = -1;

    /// <summary>Gets or sets the number of matched root calls that ended before the call or event.</summary>
    internal int Root { get; set; } = -1;

    /// <summary>Gets how often the module or hook ran in the enclosing call of each trace.</summary>
    internal (int A, int B) Times { get; init; }

    /// <summary>Gets or sets the call that encloses the call or event, in each trace.</summary>
    internal required (CallNode? A, CallNode? B) Parents { get; set; }

    internal void MakeMoved(CallNode a, CallNode b) => (Kind, A, B, Parents) = (Moved, a, b, (a.Parent, b.Parent));
}

/// <summary>Represents an event of the first trace and the matching event of the second; null for an event that is missing.</summary>
/// <param name="A">The event of the first trace.</param>
/// <param name="B">The event of the second trace.</param>
internal readonly record struct Row(TraceEvent? A, TraceEvent? B);

/// <summary>Represents two matched items, or one unmatched item, with the structural difference, if any.</summary>
/// <param name="A">The item of the first trace.</param>
/// <param name="B">The item of the second trace.</param>
/// <param name="Finding">The difference.</param>
internal readonly record struct Step(TraceItem? A, TraceItem? B, StructuralFinding? Finding = null);

/// <summary>Represents the key by which items are matched: the module path of a call, or the phase, scope and hook of an event.</summary>
internal readonly record struct Label(string? Path, string? Phase, string? Scope, int Hook)
{
    internal static Label Of(TraceItem item) =>
        item is TraceEvent found ? new(null, found.Phase, found.Scope, found.Hook) : new(item.Path, null, null, 0);

    internal static Label[] Of(List<TraceItem> items) => [.. items.Select(Of)];
}

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Represents a difference between two traces.</summary>
internal sealed record Difference
{
    internal const string ArgumentsKind = "arguments";
    internal const string ValuesKind = "values";

    /// <summary>Gets <c>lost</c>, <c>added</c>, <c>moved</c>, <c>repeated</c>, <c>arguments</c> or <c>values</c>.</summary>
    internal required string Kind { get; init; }

    /// <summary>Gets the clause of the contract (docs/contract.md) that the difference concerns.</summary>
    internal required string Clause { get; init; }

    internal required string Path { get; init; }

    internal required string Phase { get; init; }

    internal required string Message { get; init; }

    /// <summary>Gets the number of the event in each trace; null if the trace does not have the event.</summary>
    internal required (int? A, int? B) Positions { get; init; }

    /// <summary>Gets the row in <see cref="TraceDiff.Rows"/>.</summary>
    internal required int Row { get; init; }

    /// <summary>Gets the largest absolute difference; infinite if it is unknown or not finite.</summary>
    internal double Absolute { get; init; }

    /// <summary>Gets the largest relative difference; infinite if it is unknown or not finite.</summary>
    internal double Relative { get; init; }

    /// <summary>Gets the number of elements out of tolerance.</summary>
    internal long Elements { get; init; }

    /// <summary>Gets the number of elements that differ by a NaN or an infinity.</summary>
    internal long NonFinite { get; init; }

    /// <summary>Gets whether only the device differs.</summary>
    internal bool DeviceOnly { get; init; }

    /// <summary>Gets the code to write instead, or an empty string.</summary>
    internal string Fix { get; init; } = "";
}

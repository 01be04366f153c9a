using System.Numerics;
using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Represents the result of comparing two traces.</summary>
internal sealed class TraceDiff
{
    internal required RecordedTrace A { get; init; }

    internal required RecordedTrace B { get; init; }

    /// <summary>Gets the number of rows.</summary>
    internal required BigInteger RowCount { get; init; }

    /// <summary>Gets the aligned events; empty if the files have equal event lines.</summary>
    internal IReadOnlyList<Row> Rows { get; init; } = [];

    /// <summary>Gets the differences of structure, in the order of the rows.</summary>
    internal IReadOnlyList<Difference> Structural { get; init; } = [];

    /// <summary>Gets the differences of arguments and values, in the order of the rows.</summary>
    internal IReadOnlyList<Difference> Numeric { get; init; } = [];

    /// <summary>Gets the difference at the first module whose output differs although its inputs do not.</summary>
    internal Difference? Culprit { get; init; }

    /// <summary>Gets the largest difference of two numbers, even within the tolerance.</summary>
    internal double Largest { get; init; }

    /// <summary>Gets the number of values that both traces have.</summary>
    internal required BigInteger Compared { get; init; }

    /// <summary>Gets other remarks, such as different type names.</summary>
    internal IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>Gets sentences about inputs and weights that differ. They do not count as differences of the traces.</summary>
    internal IReadOnlyList<string> Origins { get; init; } = [];

    /// <summary>Gets a sentence for each file that ends before its footer: the rest of the recording is unknown.</summary>
    internal IReadOnlyList<string> Incomplete { get; init; } = [];

    /// <summary>Gets whether no difference was found in two complete traces.</summary>
    internal bool Same => HasNoDifference && Incomplete.Count == 0;

    internal bool HasNoDifference => Structural.Count == 0 && Numeric.Count == 0;

    internal Difference? FirstStructural => Structural.Count > 0 ? Structural[0] : null;

    internal Difference? FirstNumeric => Culprit ?? (Numeric.Count > 0 ? Numeric[0] : null);

    /// <summary>Gets the paths of modules whose <c>forward()</c> was called directly in one trace only.</summary>
    internal IEnumerable<string> Bypassed => Structural.Where(item => item.Clause == "C-3").Select(item => item.Path).Distinct();

    /// <summary>Gets the names of the traces: the runtimes' names, made distinct if equal.</summary>
    internal (string A, string B) Names => NamesOf(A, B);

    internal static (string A, string B) NamesOf(RecordedTrace a, RecordedTrace b) =>
        a.Runtime != b.Runtime ? (a.Runtime, b.Runtime) : ($"{a.Runtime} (left)", $"{b.Runtime} (right)");
}

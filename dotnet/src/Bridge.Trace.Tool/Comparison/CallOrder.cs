using Bridge.Trace.Tool.Reading;
using static Bridge.Trace.Tool.Comparison.Phrases;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Describes the first difference in the order of calls inside an enclosing call.</summary>
internal static class CallOrder
{
    /// <summary>Describes the first difference between the inner calls of the two calls that enclose a row, one in each trace.</summary>
    /// <returns>
    /// An empty string if the two calls are not aligned, if their inner calls are equal, or if the first difference is a call that only one
    /// of them has.
    /// </returns>
    internal static string Describe(TraceDiff diff, int row)
    {
        if (Enclosing(diff.Rows, row) is not (int a, int b)) return "";
        List<string> some = Called(diff.A, a), others = Called(diff.B, b);
        var shorter = Math.Min(some.Count, others.Count);
        var start = Enumerable.Range(0, shorter).FirstOrDefault(place => some[place] != others[place], -1);
        if (start < 0) return "";
        var (left, right) = (some[start], others[start]);
        if (some.Count != others.Count)
        {
            var (longer, other) = some.Count > others.Count ? (some, right) : (others, left);
            if (longer.ElementAtOrDefault(start + 1) == other) return "";
        }
        else
        {
            int[] differ = [.. Enumerable.Range(0, shorter).Where(place => some[place] != others[place])];
            if (differ is [var first, var second] && some[first] == others[second] && some[second] == others[first])
                return $" {PathName(left)} and {PathName(right)} are in each other's place.";
        }

        var behind = start > 0 ? $"After {PathName(some[start - 1])}" : "First";
        return $" {behind} {diff.Names.A} calls {PathName(left)}, {diff.Names.B} calls {PathName(right)}.";
    }

    // The number of the call that encloses a row, in each trace; -1 for none. Null if the two calls are not aligned.
    private static (int A, int B)? Enclosing(IReadOnlyList<Row> rows, int row)
    {
        var inFirst = rows[row].A is not null;
        if ((rows[row].A ?? rows[row].B) is not { } item) return null;
        if (item.Parent == -1) return (-1, -1);
        foreach (var (x, y) in rows)
        {
            if (x is null || y is null || (inFirst ? x : y).Call != item.Parent) continue;
            if (x.Phase == TraceEvent.Pre && y.Phase == TraceEvent.Pre) return (x.Call, y.Call);
        }

        return null;
    }

    private static List<string> Called(RecordedTrace trace, int outer) =>
        [.. trace.Events.Where(item => item.Parent == outer && IsCall(item)).Select(item => item.Path)];

    private static bool IsCall(TraceEvent item) =>
        item.Phase == TraceEvent.Bypass || item is { Phase: TraceEvent.Pre, Hook: 0, Scope: "global" };
}

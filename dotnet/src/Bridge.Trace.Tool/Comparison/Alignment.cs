using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>
/// Aligns two traces by their call trees. Calls are matched by module path, inside enclosing calls that are matched. A call in another
/// position is moved, not lost and added.
/// </summary>
internal static class Alignment
{
    /// <summary>Returns the rows of two aligned call trees, and the structural differences in row order.</summary>
    internal static (List<Row> Rows, List<StructuralFinding> Findings) Align(CallNode a, CallNode b)
    {
        List<Row> rows = [];
        List<StructuralFinding> findings = [];
        Dictionary<StructuralFinding, int> others = [];
        var root = -1;
        var stack = new Stack<IEnumerator<Step>>([Steps(a, b).GetEnumerator()]);
        while (stack.TryPeek(out var steps))
        {
            if (stack.Count == 1) root++;
            if (Enter(steps, rows, findings, others, root) is { } inner) stack.Push(inner);
            else stack.Pop();
        }

        foreach (var finding in findings) finding.OtherRow = others.GetValueOrDefault(finding, -1);
        return (rows, [.. MovedCalls.Merge(findings).OrderBy(finding => finding.Row)]);
    }

    // Adds rows up to the next matched calls, and returns the steps inside those; null at the end.
    private static IEnumerator<Step>? Enter(
        IEnumerator<Step> steps, List<Row> rows, List<StructuralFinding> findings, Dictionary<StructuralFinding, int> others, int root)
    {
        while (steps.MoveNext())
        {
            var (left, right, finding) = steps.Current;
            if (finding is not null && left is null && finding.Kind == StructuralFinding.Moved)
            {
                others[finding] = rows.Count;
            }
            else if (finding is not null)
            {
                (finding.Row, finding.Root) = (rows.Count, root);
                findings.Add(finding);
            }

            if (left is CallNode x && right is CallNode y) return Steps(x, y).GetEnumerator();
            if (left is TraceEvent first && right is TraceEvent second)
            {
                rows.Add(new(first, second));
                continue;
            }

            if (left is not null) rows.AddRange(CallNode.Walk(left).Select(item => new Row(item, null)));
            if (right is not null) rows.AddRange(CallNode.Walk(right).Select(item => new Row(null, item)));
        }

        return null;
    }

    private static List<Step> Steps(CallNode a, CallNode b)
    {
        if (a.Bypassed != b.Bypassed) return Bypasses.Match(a, b, Steps);
        Label[] labelsA = Label.Of(a.Items), labelsB = Label.Of(b.Items);
        if (labelsA.AsSpan().SequenceEqual(labelsB)) return [.. a.Items.Zip(b.Items, Pair)];
        (a, b) = (Bypasses.AddCalls(a, b), Bypasses.AddCalls(b, a));
        (labelsA, labelsB) = (Label.Of(a.Items), Label.Of(b.Items));
        var matches = ItemMatcher.Match(a.Items, b.Items, labelsA, labelsB);
        Dictionary<Label, int> countsA = Counts(labelsA), countsB = Counts(labelsB);
        (int A, int B) Times(Label label) => (countsA.GetValueOrDefault(label), countsB.GetValueOrDefault(label));
        Dictionary<int, StructuralFinding> movedA = [], movedB = [];
        foreach (var (k, m) in MovedPairs(matches, labelsA, labelsB))
            movedA[k] = movedB[m] = Finding(StructuralFinding.Moved, a.Items[k], b.Items[m], Times(labelsA[k]));

        List<Step> steps = [];
        foreach (var match in matches)
        {
            if (match is (int i, int j))
            {
                steps.Add(Pair(a.Items[i], b.Items[j]));
            }
            else if (match.A is { } left)
            {
                var finding = movedA.GetValueOrDefault(left)
                    ?? Finding(StructuralFinding.Lost, a.Items[left], null, Times(labelsA[left]));
                steps.Add(new(a.Items[left], null, finding));
            }
            else if (match.B is { } right)
            {
                var times = Times(labelsB[right]);
                var kind = times.A > 0 ? StructuralFinding.Repeated : StructuralFinding.Added;
                steps.Add(new(null, b.Items[right], movedB.GetValueOrDefault(right) ?? Finding(kind, null, b.Items[right], times)));
            }
        }

        return steps;

        StructuralFinding Finding(string kind, TraceItem? x, TraceItem? y, (int A, int B) times) =>
            new() { Kind = kind, A = x, B = y, Times = times, Parents = (a, b) };
    }

    private static Dictionary<Label, int> Counts(Label[] labels) =>
        labels.GroupBy(label => label).ToDictionary(group => group.Key, group => group.Count());

    // Pairs unmatched items of equal labels: the first in one trace with the first in the other, and so on.
    private static IEnumerable<(int A, int B)> MovedPairs(List<(int? A, int? B)> matches, Label[] labelsA, Label[] labelsB)
    {
        Dictionary<Label, Queue<int>> missing = [];
        foreach (var match in matches)
        {
            if (match is not ({ } i, null)) continue;
            if (!missing.TryGetValue(labelsA[i], out var places)) missing[labelsA[i]] = places = new();
            places.Enqueue(i);
        }

        foreach (var match in matches)
        {
            if (match is not (null, { } j) || !missing.TryGetValue(labelsB[j], out var places)) continue;
            if (places.TryDequeue(out var i)) yield return (i, j);
        }
    }

    private static Step Pair(TraceItem a, TraceItem b)
    {
        if (a is not CallNode x || b is not CallNode y || x.Bypassed == y.Bypassed) return new(a, b);
        return new(a, b, new() { Kind = StructuralFinding.Bypass, A = a, B = b, Parents = (x.Parent, y.Parent) });
    }
}

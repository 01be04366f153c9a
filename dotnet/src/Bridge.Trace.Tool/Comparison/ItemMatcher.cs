using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Matches two lists of items by their labels.</summary>
internal static class ItemMatcher
{
    /// <summary>Matches items with equal labels, in order: the equal starts and ends of both lists, then a common subsequence.</summary>
    internal static List<(int? A, int? B)> Match(List<TraceItem> xs, List<TraceItem> ys, Label[] labelsA, Label[] labelsB)
    {
        var (m, n) = (labelsA.Length, labelsB.Length);
        var shorter = Math.Min(m, n);
        var low = labelsA.AsSpan().CommonPrefixLength(labelsB);
        var high = 0;
        while (high < shorter - low && labelsA[m - 1 - high] == labelsB[n - 1 - high]) high++;
        var surplus = Math.Abs(m - n);
        if (low + high == shorter && surplus > 0)
        {
            low = m > n ? Slide(xs, ys, labelsA, low, surplus) : Slide(ys, xs, labelsB, low, surplus);
            high = shorter - low;
        }

        var middle = CommonSubsequence.Find(labelsA[low..(m - high)], labelsB[low..(n - high)]);
        List<(int A, int B)> anchors = [.. Enumerable.Range(0, low).Select(k => (k, k))];
        anchors.AddRange(middle.Select(pair => (low + pair.A, low + pair.B)));
        for (var k = high; k > 0; k--) anchors.Add((m - k, n - k));
        anchors.Add((m, n));
        List<(int? A, int? B)> matches = [];
        var (i, j) = (0, 0);
        foreach (var (nextI, nextJ) in anchors)
        {
            for (; i < nextI; i++) matches.Add((i, null));
            for (; j < nextJ; j++) matches.Add((null, j));
            if (nextI < m) matches.Add((nextI, nextJ));
            (i, j) = (nextI + 1, nextJ + 1);
        }

        return matches;
    }

    // Returns the index of the first of the `surplus` items that only the longer list has. Among repeated calls of a module, several
    // indices are possible: the chosen one leaves the other calls most similar in both lists.
    private static int Slide(List<TraceItem> longer, List<TraceItem> shorter, Label[] labels, int low, int surplus)
    {
        var (best, position) = (low, low);
        var (score, bestScore) = (0, 0);
        while (position > 0 && labels[position - 1] == labels[position - 1 + surplus])
        {
            position--;
            var other = shorter[position];
            score += Similarity(longer[position + surplus], other) - Similarity(longer[position], other);
            if (score > bestScore) (best, bestScore) = (position, score);
        }

        return best;
    }

    // 1 for the same events inside, plus 1 for equal values of the first event.
    private static int Similarity(TraceItem a, TraceItem b)
    {
        var same = CallNode.Walk(a).Select(Key).SequenceEqual(CallNode.Walk(b).Select(Key));
        var equal = CallNode.Walk(a).FirstOrDefault() is { } x && CallNode.Walk(b).FirstOrDefault() is { } y
            && x.Values.Length == y.Values.Length && x.Values.Zip(y.Values).All(pair => pair.First.IsSame(pair.Second, exact: false));
        return (same ? 1 : 0) + (equal ? 1 : 0);

        static (string, string, int) Key(TraceEvent item) => (item.Path, item.Phase, item.Hook);
    }
}

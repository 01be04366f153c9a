using System.Numerics;

namespace Bridge.Trace.Tool.Comparison;

/// <summary>Finds a common subsequence of two lists of labels.</summary>
internal static class CommonSubsequence
{
    /// <summary>The maximum size, in bits, of the table of an exact longest common subsequence (32 MiB).</summary>
    internal const long ExactCells = 1L << 28;

    /// <summary>
    /// Returns the index pairs of a longest common subsequence if the table has at most <see cref="ExactCells"/>. Otherwise the k-th
    /// occurrence of a label in one list is matched only with its k-th occurrence in the other.
    /// </summary>
    internal static List<(int A, int B)> Find(ReadOnlySpan<Label> a, ReadOnlySpan<Label> b)
    {
        if (a.IsEmpty || b.IsEmpty) return [];
        return (long)a.Length * b.Length <= ExactCells ? Exact(a, b) : ByOccurrence(a, b);
    }

    // Bit-parallel dynamic programming. Bit i of rows[j] is 0 if the longest common subsequence of a[..(i + 1)] and b[..j] is longer than
    // that of a[..i] and b[..j].
    private static List<(int A, int B)> Exact(ReadOnlySpan<Label> a, ReadOnlySpan<Label> b)
    {
        Dictionary<Label, BigInteger> places = [];
        for (var i = 0; i < a.Length; i++) places[a[i]] = places.GetValueOrDefault(a[i]) | BigInteger.One << i;
        var mask = (BigInteger.One << a.Length) - 1;
        var row = mask;
        List<BigInteger> rows = [row];
        foreach (var label in b)
        {
            var hit = row & places.GetValueOrDefault(label);
            row = ((row + hit) | (row - hit)) & mask;
            rows.Add(row);
        }

        List<(int A, int B)> pairs = [];
        var (m, n) = (a.Length, b.Length);
        while (m > 0 && n > 0)
        {
            if (HasBit(rows[n], m - 1)) m--;
            else if (!HasBit(rows[n - 1], m - 1)) n--;
            else pairs.Add((--m, --n));
        }

        pairs.Reverse();
        return pairs;
    }

    private static bool HasBit(BigInteger row, int bit) => !(row >> bit).IsEven;

    // A longest increasing subsequence of the matches, in O(n log n).
    private static List<(int A, int B)> ByOccurrence(ReadOnlySpan<Label> a, ReadOnlySpan<Label> b)
    {
        Dictionary<Label, int> seen = [];
        Dictionary<(Label, int), int> places = [];
        for (var j = 0; j < b.Length; j++) places[(b[j], Next(seen, b[j]))] = j;
        seen.Clear();
        List<int> tails = [], ends = [], before = [];
        List<(int A, int B)> pairs = [];
        for (var i = 0; i < a.Length; i++)
        {
            if (!places.TryGetValue((a[i], Next(seen, a[i])), out var place)) continue;
            var k = tails.BinarySearch(place);
            if (k < 0) k = ~k;
            if (k == tails.Count)
            {
                tails.Add(place);
                ends.Add(pairs.Count);
            }
            else
            {
                (tails[k], ends[k]) = (place, pairs.Count);
            }

            before.Add(k > 0 ? ends[k - 1] : -1);
            pairs.Add((i, place));
        }

        List<(int A, int B)> chain = [];
        for (var at = ends.Count > 0 ? ends[^1] : -1; at >= 0; at = before[at]) chain.Add(pairs[at]);
        chain.Reverse();
        return chain;
    }

    private static int Next(Dictionary<Label, int> seen, Label label)
    {
        var count = seen.GetValueOrDefault(label);
        seen[label] = count + 1;
        return count;
    }
}

using Bridge.Trace.Tool.Comparison;

namespace Bridge.Trace.Tool.Tests.Comparison;

public sealed class CommonSubsequenceTests
{
    [Fact]
    public void LongListsAreMatchedByOccurrence()
    {
        var side = (int)Math.Sqrt(CommonSubsequence.ExactCells) + 1;
        Label[] a = Labels("ab", side), b = Labels("ba", side);
        var pairs = CommonSubsequence.Find(a, b);
        Assert.True(pairs.Count >= side / 2);
        Assert.All(pairs, pair => Assert.Equal(a[pair.A], b[pair.B]));
        Assert.All(pairs.Zip(pairs.Skip(1)), next => Assert.True(next.First.A < next.Second.A && next.First.B < next.Second.B));
    }

    [Fact]
    public void ShortListsAreMatchedExactly() =>
        Assert.Equal([(0, 1), (2, 2), (3, 3)], CommonSubsequence.Find(Labels("abcd", 4), Labels("zacd", 4)));

    private static Label[] Labels(string names, int count) =>
        [.. Enumerable.Range(0, count).Select(k => new Label(names[k % names.Length].ToString(), null, null, 0))];
}

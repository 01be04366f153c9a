namespace Bridge.TorchSharp.Tests;

/// <summary>Which digests are remembered.</summary>
public class DigestCacheTests
{
    [Fact]
    public void Known_elements_are_not_hashed_again()
    {
        var digests = new DigestCache();
        byte[] elements = [1, 2, 3, 4];
        var first = digests.Get("|u1(4,)", elements);
        Assert.Same(first, digests.Get("|u1(4,)", (byte[])elements.Clone()));
        var other = digests.Get("|i1(4,)", elements);
        Assert.NotEqual(first, other);
        Assert.NotEqual(first, digests.Get("|u1(4,)", elements.AsSpan(1)));
        elements[3] = 5;
        Assert.Equal(new DigestCache().Get("|u1(4,)", elements), digests.Get("|u1(4,)", elements));
        Assert.Same(other, digests.Get("|i1(4,)", [1, 2, 3, 4]));
    }

    [Theory]
    [InlineData(1000, 4)]
    [InlineData(30, 3)]
    [InlineData(9, 0)]
    public void The_last_four_digests_are_remembered_if_they_fit(int maxBytes, int expected)
    {
        var digests = new DigestCache(maxBytes);
        var elements = Enumerable.Range(0, 6).Select(i => Enumerable.Repeat((byte)i, 10).ToArray()).ToArray();
        var found = elements.Select(array => digests.Get("", array)).ToArray();
        for (var i = 5; i > 5 - expected; i--) Assert.Same(found[i], digests.Get("", elements[i]));
        var again = digests.Get("", elements[5 - expected]);
        Assert.Equal(found[5 - expected], again);
        Assert.NotSame(found[5 - expected], again);
    }
}

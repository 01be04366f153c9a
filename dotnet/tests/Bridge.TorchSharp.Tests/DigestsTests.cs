namespace Bridge.TorchSharp.Tests;

/// <summary>Which elements are hashed, and which are known.</summary>
public class DigestsTests
{
    [Fact]
    public void Elements_that_are_known_are_not_hashed_again()
    {
        var digests = new Digests();
        byte[] elements = [1, 2, 3, 4];
        var first = digests.Of("|u1(4,)", elements);
        Assert.Same(first, digests.Of("|u1(4,)", (byte[])elements.Clone()));
        var other = digests.Of("|i1(4,)", elements);
        Assert.NotEqual(first, other);
        Assert.NotEqual(first, digests.Of("|u1(4,)", elements.AsSpan(1)));
        elements[3] = 5;
        Assert.Equal(new Digests().Of("|u1(4,)", elements), digests.Of("|u1(4,)", elements));
        Assert.Same(other, digests.Of("|i1(4,)", [1, 2, 3, 4]));
    }

    [Theory]
    [InlineData(1000, 4)]
    [InlineData(30, 3)]
    [InlineData(9, 0)]
    public void The_last_four_are_known_that_have_room(int room, int expected)
    {
        var digests = new Digests(room);
        var elements = Enumerable.Range(0, 6).Select(i => Enumerable.Repeat((byte)i, 10).ToArray()).ToArray();
        var found = elements.Select(one => digests.Of("", one)).ToArray();
        for (var i = 5; i > 5 - expected; i--) Assert.Same(found[i], digests.Of("", elements[i]));
        var again = digests.Of("", elements[5 - expected]);
        Assert.Equal(found[5 - expected], again);
        Assert.NotSame(found[5 - expected], again);
    }
}

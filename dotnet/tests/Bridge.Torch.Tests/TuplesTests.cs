namespace Bridge.Torch.Tests;

/// <summary>Tuples.cs: between value tuples and the flat arrays that cross (F-2: types in .NET are fixed).</summary>
public sealed class TuplesTests
{
    [Fact]
    public void A_tuple_unpacks_to_an_array_and_nested_ones_to_nested_arrays()
    {
        Assert.Equal(new object?[] { "a", 1L }, Tuples.Unpack(("a", 1L)));
        Assert.Equal(new object?[] { "a", new object?[] { "b", null } }, Tuples.Unpack(("a", ("b", (string?)null))));
        Assert.Equal("a", Tuples.Unpack("a"));
        Assert.Null(Tuples.Unpack(null));
    }

    [Fact]
    public void An_array_packs_to_the_declared_tuple()
    {
        Assert.Equal(("a", 1L), Tuples<(string, long)>.Pack(new object?[] { "a", 1L }));
        Assert.Equal(("a", ("b", 2.5)), Tuples<(string, (string, double))>.Pack(new object?[] { "a", new object?[] { "b", 2.5 } }));
        Assert.Equal((null, 3), Tuples<(string?, int)>.Pack(new object?[] { null, 3L }));
    }

    [Fact]
    public void What_has_the_type_already_passes()
    {
        var text = new string('x', 3);
        Assert.Same(text, Tuples<string>.Pack(text));
        Assert.Equal((1, 2), Tuples<(int, int)>.Pack((1, 2)));
        Assert.Null(Tuples<string?>.Pack(null));
    }

    [Fact]
    public void Numbers_convert_to_the_declared_number()
    {
        Assert.Equal(3, Tuples<int>.Pack(3L));
        Assert.Equal(3.0f, Tuples<float>.Pack(3.0));
        Assert.True(Tuples<bool>.Pack(true));
        Assert.Throws<InvalidCastException>(() => Tuples<bool>.Pack(1L));
        Assert.Throws<InvalidCastException>(() => Tuples<long>.Pack(1.5));
        Assert.Throws<InvalidCastException>(() => Tuples<long>.Pack(true));
    }

    [Theory]
    [InlineData("text", "String was given where C# declares ValueTuple<String, String>")]
    [InlineData(null, "None was given where C# declares ValueTuple<String, String>")]
    public void What_does_not_fit_is_named(object? value, string message) =>
        Assert.Contains(message, Assert.Throws<InvalidCastException>(() => Tuples<(string, string)>.Pack(value)).Message);

    [Fact]
    public void A_tuple_of_another_length_is_named()
    {
        var error = Assert.Throws<InvalidCastException>(() => Tuples<(string, string)>.Pack(new object?[] { "a", "b", "c" }));
        Assert.Contains("a tuple of 3 was given where C# declares ValueTuple<String, String>", error.Message);
        Assert.Contains("a tuple of 1", Assert.Throws<InvalidCastException>(() => Tuples<string>.Pack(new object?[] { 1L })).Message);
    }

    [Fact]
    public void An_item_of_another_type_is_named_as_itself()
    {
        var error = Assert.Throws<InvalidCastException>(() => Tuples<(string, string)>.Pack(new object?[] { "a", 1L }));
        Assert.Contains("Int64 was given where C# declares String", error.Message);
    }

    [Fact]
    public void Eight_items_and_more_go_both_ways()
    {
        var eight = ("1", "2", "3", "4", "5", "6", "7", "8");
        var nine = (1, 2, 3, 4, 5, 6, 7, 8, (9, 10));
        Assert.Equal(eight, Tuples<(string, string, string, string, string, string, string, string)>.Pack(Tuples.Unpack(eight)));
        Assert.Equal(nine, Tuples<(int, int, int, int, int, int, int, int, (int, int))>.Pack(Tuples.Unpack(nine)));
    }
}

namespace Bridge.Torch.Tests;

/// <summary>Tests Tuples.cs: conversion between value tuples and plain arrays (F-2: types in .NET are fixed).</summary>
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
    public void A_dictionary_keeps_its_order_and_packs_to_the_declared_types()
    {
        var plain = Assert.IsType<DictOfValues>(Tuples.Unpack(new Dictionary<string, object?> { ["b"] = ("x", 1L), ["a"] = null }));
        Assert.Equal(["b", "a"], plain.Items.Select(item => item.Key));
        Assert.Equal(new object?[] { "x", 1L }, plain.Items[0].Value);
        var packed = Tuples<IDictionary<string, (string, long)?>>.Pack(plain);
        Assert.Equal(("x", 1L), packed["b"]);
        Assert.Null(packed["a"]);
    }

    [Fact]
    public void Over_object_a_tuple_is_a_value_tuple_of_any_length()
    {
        Assert.IsType<ValueTuple<object, object>>(Tuples<object>.Pack(new object?[] { "a", null }));
        foreach (var length in new[] { 0, 1, 7, 8, 15 })
        {
            var items = Enumerable.Range(0, length).Select(i => (object?)(long)i).ToArray();
            Assert.Equal(items, Tuples.Unpack(Tuples<object>.Pack(items)));
        }

        Assert.Equal(new List<object?> { "a", 1L }, Tuples<object>.Pack(new ListOfValues(["a", 1L])));
    }

    [Fact]
    public void Sameness_is_of_objects_and_of_numbers()
    {
        var (one, two) = (new string('x', 2), new string('x', 2));
        Assert.True(Tuples.IsSame((one, 1L), (one, 1L)));
        Assert.False(Tuples.IsSame((one, 1L), (two, 1L)));
        Assert.False(Tuples.IsSame(1L, 2L));
        Assert.True(Tuples.IsSame(null, null));
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
    [InlineData("text", "string was given where C# declares (string, string)")]
    [InlineData(null, "None was given where C# declares (string, string)")]
    public void What_does_not_fit_is_named(object? value, string message) =>
        Assert.Contains(message, Assert.Throws<InvalidCastException>(() => Tuples<(string, string)>.Pack(value)).Message);

    [Fact]
    public void A_tuple_of_another_length_is_named()
    {
        var error = Assert.Throws<InvalidCastException>(() => Tuples<(string, string)>.Pack(new object?[] { "a", "b", "c" }));
        Assert.Contains("a tuple of 3 was given where C# declares (string, string)", error.Message);
        Assert.Contains("a tuple of 1", Assert.Throws<InvalidCastException>(() => Tuples<string>.Pack(new object?[] { 1L })).Message);
    }

    [Fact]
    public void An_item_of_another_type_is_named_as_itself()
    {
        var error = Assert.Throws<InvalidCastException>(() => Tuples<(string, string)>.Pack(new object?[] { "a", 1L }));
        Assert.Contains("long was given where C# declares string", error.Message);
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

using System.Reflection;

namespace Bridge.Torch.Tests;

/// <summary>Tests ArgumentBinder.cs and ValueFit.cs: the overload that C# would choose for values of Python (F-2).</summary>
public sealed class ArgumentBinderTests
{
    [Theory]
    [InlineData("Of(int)", 3L)]
    [InlineData("Of(long)", 1L << 40)]
    [InlineData("Of(double)", 3.0)]
    [InlineData("Of(string)", "Friday")]
    [InlineData("Of(bool)", true)]
    public void The_closest_overload_is_chosen(string expected, object value) => Assert.Equal(expected, Choose("Of", [value]));

    [Fact]
    public void Types_come_before_defaults()
    {
        Assert.Equal("Sized(int)", Choose("Sized", [3L]));
        Assert.Equal("Sized(double)", Choose("Sized", [3.5]));
        Assert.Equal("Listed(IEnumerable<int>)", Choose("Listed", [new ListOfValues([1L, 2L])]));
        Assert.Equal("Listed(ValueTuple<int, string>)", Choose("Listed", [new object?[] { 1L, "a" }]));
    }

    [Fact]
    public void Names_choose_too()
    {
        Assert.Equal("Named(left)", Choose("Named", [], ("left", 1L)));
        Assert.Equal("Named(right)", Choose("Named", [], ("right", 1L)));
        var several = Assert.Throws<ArgumentException>(() => Choose("Twice", [null]));
        Assert.Contains(
            "match several overloads of Twice: Twice(Uri one); Twice(Version other)", several.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void What_fits_none_is_listed_with_the_reason()
    {
        var none = Assert.Throws<ArgumentException>(() => Choose("Sized", [new ListOfValues([])]));
        Assert.Contains("([]) match no overload of Sized. It has: Sized(int size, int more = 2)", none.Message, StringComparison.Ordinal);
        var only = Assert.Throws<ArgumentException>(() => Choose("Single", ["a"]));
        Assert.EndsWith("\"a\" is no int for 'number'.", only.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(300L, typeof(byte), false)]
    [InlineData(200L, typeof(byte), true)]
    [InlineData(-1L, typeof(uint), false)]
    [InlineData(1.5, typeof(int), false)]
    [InlineData(true, typeof(int), false)]
    [InlineData(3L, typeof(Half), true)]
    [InlineData("a", typeof(char), true)]
    [InlineData("ab", typeof(char), false)]
    [InlineData(5L, typeof(DayOfWeek), true)]
    [InlineData(9L, typeof(DayOfWeek), false)]
    [InlineData("Someday", typeof(DayOfWeek), false)]
    [InlineData(3L, typeof(global::TorchSharp.torch.Tensor), false)]
    [InlineData(3L, typeof(global::TorchSharp.Scalar), true)]
    [InlineData(null, typeof(int), false)]
    [InlineData(null, typeof(int?), true)]
    public void A_value_fits_a_type_or_not(object? value, Type type, bool fits) =>
        Assert.Equal(fits, ValueFit.Distance(value, type) is not null);

    private static string Choose(string name, object?[] positional, params (string Name, object? Value)[] named)
    {
        MethodInfo[] methods = [.. typeof(Overloads).GetMethods().Where(method => method.Name == name)];
        var keywords = new DictOfValues([.. named.Select(item => KeyValuePair.Create(item.Name, item.Value))]);
        var (method, values) = ArgumentBinder.Bind(methods, name, positional, keywords);
        return (string)method.Invoke(null, values)!;
    }

    private static class Overloads
    {
        public static string Of(int value) => $"Of(int){(value == 0 ? "0" : "")}";

        public static string Of(long value) => $"Of(long){(value == 0 ? "0" : "")}";

        public static string Of(double value) => $"Of(double){(value == 0 ? "0" : "")}";

        public static string Of(string value) => $"Of(string){(value.Length == 0 ? "0" : "")}";

        public static string Of(bool value) => $"Of(bool){(value ? "" : "0")}";

        public static string Of(DayOfWeek value) => $"Of({value})";

        public static string Sized(int size, int more = 2) => $"Sized(int){(size + more == 0 ? "0" : "")}";

        public static string Sized(double size) => $"Sized(double){(size == 0 ? "0" : "")}";

        public static string Listed(IEnumerable<int> items) => $"Listed(IEnumerable<int>){(items.Any() ? "" : "0")}";

        public static string Listed((int, string) pair) => $"Listed(ValueTuple<int, string>){(pair.Item1 == 0 ? "0" : "")}";

        public static string Named(int left) => $"Named(left){(left == 0 ? "0" : "")}";

        public static string Named(int right, bool last = false) => $"Named(right){(right == 0 || last ? "0" : "")}";

        public static string Twice(Uri one) => $"{one}";

        public static string Twice(Version other) => $"{other}";

        public static string Single(int number) => $"{number}";
    }
}

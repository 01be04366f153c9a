using Bridge.Hooks;

namespace Bridge.TorchSharp.Tests;

/// <summary>The text and the size of recorded values.</summary>
public sealed class TraceValueTests
{
    [Theory]
    [InlineData("float32", 12 * 4)]
    [InlineData("bool", 12)]
    [InlineData("bfloat16", 12 * 2)]
    [InlineData("complex64", 12 * 8)]
    [InlineData("float8_e4m3fn", 12)]
    [InlineData("int64", 12 * 8)]
    public void A_tensor_has_the_bytes_of_its_shape(string type, long bytes)
    {
        var value = new TraceValue { Kind = ValueKind.Tensor, DType = type, Shape = [3, 4] };
        Assert.Equal(bytes, value.Bytes);
        Assert.Equal(($"{type}[3x4]", "[3x4]"), ($"{value}", value.ShortText));
        Assert.Equal(bytes / 12, (value with { Shape = [] }).Bytes);
    }

    [Fact]
    public void Other_values_are_literals_or_the_names_of_their_kinds()
    {
        TraceValue[] values =
        [
            new() { Kind = ValueKind.Int, Literal = -3L }, new() { Kind = ValueKind.Float, Literal = 0.5 },
            new() { Kind = ValueKind.Bool, Literal = true }, new() { Kind = ValueKind.Str, Literal = "mean" },
            new() { Kind = ValueKind.None }, new() { Kind = ValueKind.Object },
        ];
        Assert.Equal(["-3", "0.5", "true", "\"mean\"", "none", "object"], values.Select(value => value.ToString()));
        Assert.All(values, value => Assert.Equal((value.ToString(), 0), (value.ShortText, value.Bytes)));
    }
}

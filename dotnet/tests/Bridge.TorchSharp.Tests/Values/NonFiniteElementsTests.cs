using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Searching the elements of tensors for NaN and infinities.</summary>
public sealed class NonFiniteElementsTests
{
    [Theory]
    [InlineData(ScalarType.Float16)]
    [InlineData(ScalarType.BFloat16)]
    [InlineData(ScalarType.Float32)]
    [InlineData(ScalarType.Float64)]
    public void The_first_element_that_is_not_finite_is_named_wherever_it_is(ScalarType type)
    {
        foreach (var length in new[] { 1, 7, 64, 101 })
        {
            for (var at = 0; at < length; at += 5)
            {
                Assert.Equal("NaN", Found(length, at, double.NaN, type));
                Assert.Equal("Infinity", Found(length, at, double.PositiveInfinity, type));
                Assert.Equal("-Infinity", Found(length, at, double.NegativeInfinity, type));
                Assert.Null(Found(length, at, type == ScalarType.Float16 ? 65504 : 1e38, type));
            }
        }
    }

    [Fact]
    public void Both_parts_of_a_complex_number_count()
    {
        Assert.Null(NonFiniteElements.Find((int)ScalarType.ComplexFloat32, BitConverter.GetBytes(1f)));
        byte[] imaginary = [.. BitConverter.GetBytes(1f), .. BitConverter.GetBytes(float.NaN)];
        Assert.Equal("NaN", NonFiniteElements.Find((int)ScalarType.ComplexFloat32, imaginary));
    }

    [Fact]
    public void Integers_are_finite() => Assert.Null(NonFiniteElements.Find((int)ScalarType.Int32, BitConverter.GetBytes(0x7FC00000)));

    private static string? Found(int length, int at, double value, ScalarType type)
    {
        using var tensor = ones(length);
        tensor[at] = (float)value;
        using var typed = tensor.to_type(type);
        return NonFiniteElements.Find((int)type, typed.bytes);
    }
}

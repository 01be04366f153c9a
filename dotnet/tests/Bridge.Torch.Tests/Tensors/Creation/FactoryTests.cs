using System.Numerics;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>
/// Tests Factories.cs, DefaultDtypeAndDevice.cs, Size.cs and Types.cs: tensors of .NET's values by TorchSharp's overloads.
/// </summary>
public sealed class FactoryTests : WithTorch
{
    [Fact]
    public void Every_element_type_of_an_array_is_the_tensor_s()
    {
        using var scope = NewDisposeScope();
        Assert.Equal(ScalarType.Int8, tensor(new sbyte[] { -1, 2 }).dtype);
        Assert.Equal(ScalarType.Int8, from_array(new sbyte[,] { { -1 } }).dtype);
        Assert.Equal(-1, (int)from_array(new sbyte[] { -1 })[0]);
        Assert.Equal(ScalarType.Byte, from_array(new byte[] { 200 }).dtype);
        Assert.Equal(ScalarType.ComplexFloat32, tensor((1f, 2f)).dtype);
        Assert.Equal(ScalarType.ComplexFloat64, tensor(new[] { new Complex(1, 2) }).dtype);
        Assert.Equal([2, 1], tensor(new[,] { { (1f, 2f) }, { (3f, 4f) } }).shape);
        Assert.Equal(2, (double)tensor(new[] { new Complex(1, 2) }).view_as_real()[0, 1]);
        Assert.Throws<NotSupportedException>(() => from_array(new ushort[] { 1 }));
        Assert.Throws<NotSupportedException>(() => from_array(new ulong[] { 1 }));
    }

    [Fact]
    public void A_shape_takes_the_first_of_more_numbers_and_refuses_fewer()
    {
        using var scope = NewDisposeScope();
        Assert.Equal([1f, 2f], tensor(new[] { 1f, 2f, 3f }, [2L]).ToArray<float>());
        Assert.Equal([1, 2, 3, 4], tensor(new List<int> { 1, 2, 3, 4 }, 2, 2).ToArray<int>());
        Assert.Equal([0, 2], tensor(new[] { 1f }, [0L, 2L]).shape);
        Assert.Throws<ArgumentException>(() => tensor(new[] { 1f }, [2L]));
        Assert.Equal([2f, 3f], tensor(new Memory<float>([2f, 3f, 4f]), [2L]).ToArray<float>());
        Assert.Equal([3, 4], frombuffer(new[] { 1, 2, 3, 4, 5 }, ScalarType.Int32, 2, 2).ToArray<int>());
        Assert.Equal([3f], as_tensor(new List<int> { 3 }, ScalarType.Float32).ToArray<float>());
    }

    [Fact]
    public void Sizes_are_numbers_spans_and_Size()
    {
        using var scope = NewDisposeScope();
        Span<long> span = [2, 0];
        Assert.Equal([1, 80, 0], zeros(1, 80, 0).shape);
        Assert.Equal([1, 80, 0], ones(1L, 80L, 0L).shape);
        Assert.Equal([2, 0], empty(span).shape);
        Size size = (2, 3);
        Assert.Equal(6, size.numel());
        Assert.Equal([2, 3, 4], (size + new Size(4)).Shape);
        Assert.Equal([3], size.Slice(-1, 2).Shape);
        Assert.True(Size.Empty.IsScalar);
        Assert.Equal([2, 3], randint(5, size).shape);
        Assert.Throws<NotSupportedException>(() => zeros(2, names: ["N"]));
    }

    [Fact]
    public void Defaults_hold_where_nothing_is_given()
    {
        using var scope = NewDisposeScope();
        Assert.Equal(ScalarType.Float32, get_default_dtype());
        Assert.Equal(DeviceType.CPU, get_default_device().type);
        Assert.Equal(ScalarType.Float32, zeros(1).dtype);
        try
        {
            set_default_dtype(ScalarType.Float64);
            set_default_device("meta");
            Assert.Equal(ScalarType.Float64, zeros(1).dtype);
            Assert.Equal(ScalarType.Float32, zeros(1, ScalarType.Float32).dtype);
            Assert.Equal(DeviceType.META, rand(2).device_type);
            Assert.Equal(ScalarType.Float64, fft.fftfreq(2).dtype);
            Assert.Equal(DeviceType.META, fft.rfftfreq(2).device_type);
            Assert.Equal(DeviceType.META, tensor(1f).device_type);
            Assert.Equal(DeviceType.CPU, tensor(1f, CPU).device_type);
            Assert.Equal(64, finfo().bits);
        }
        finally
        {
            set_default_device(CPU);
            set_default_dtype(ScalarType.Float32);
        }

        Assert.Throws<ArgumentException>(() => set_default_dtype(ScalarType.Int64));
    }

    [Fact]
    public void Limits_are_those_of_the_types()
    {
        Assert.Equal(float.MinValue, finfo(ScalarType.Float32).min);
        Assert.Equal((double)Half.MaxValue, finfo(ScalarType.Float16).max);
        Assert.Equal(float.BitIncrement(1) - 1f, finfo(ScalarType.ComplexFloat32).eps);
        Assert.Equal(int.MaxValue, max_int_value(ScalarType.Int32));
        Assert.Throws<ArgumentException>(() => finfo(ScalarType.Int32));
        Assert.Throws<ArgumentException>(() => max_int_value(ScalarType.Bool));
        using var one = ones(1);
        Assert.True(is_floating_point(one));
        Assert.False(is_integral(one) || is_complex(one));
        Assert.True(is_integral(ScalarType.Byte) && is_integral(ScalarType.Int64) && is_integral(ScalarType.Bool));
        Assert.False(is_integral(ScalarType.QInt8) || is_integral(ScalarType.ComplexFloat32) || is_integral(ScalarType.BFloat16));
        InitializeDeviceType(DeviceType.CPU);
        CheckForErrors();
    }
}

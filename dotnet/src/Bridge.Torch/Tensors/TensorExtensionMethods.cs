using System.Numerics;
using static TorchSharp.torch;

namespace TorchSharp;

/// <summary>
/// Extension methods that convert one-element tensors to .NET numbers, .NET values to tensors, or tensors to parameters, or that return
/// sizes.
/// </summary>
/// <remarks>The conversions to .NET numbers follow the rules of <see cref="ScalarExtensionMethods"/>.</remarks>
public static unsafe partial class TensorExtensionMethods
{
    /// <summary>Returns a parameter that takes over the tensor's handle.</summary>
    public static Modules.Parameter AsParameter(this Tensor tensor) => new(tensor);

    /// <summary>Returns the sizes as 32-bit integers.</summary>
    /// <exception cref="OverflowException">A size exceeds the 32-bit range.</exception>
    public static ReadOnlySpan<int> IntShape(this Tensor tensor) => Array.ConvertAll(tensor.Sizes, size => checked((int)size));

    public static int ElementSize(this ScalarType type) => checked((int)Bridge.Torch.Native.Abi.dtype_size((int)type));

    /// <summary>Returns the product of the sizes; 1 if there are none.</summary>
    public static long TotalSize(this IEnumerable<long> shape) => shape.Aggregate(1L, (product, size) => product * size);

    /// <summary>Returns a tensor of the given shape with a copy of the elements.</summary>
    /// <exception cref="NotSupportedException">No tensor has elements of that type.</exception>
    public static Tensor ToTensor<T>(this T[] rawArray, long[] dimensions, bool doCopy = false, bool requires_grad = false)
    {
        using var flat = from_array(rawArray);
        return flat.reshape(dimensions).requires_grad_(requires_grad);
    }

    /// <exception cref="ArgumentException"><paramref name="requires_grad"/> is true and the type is not floating-point.</exception>
    /// <exception cref="NotSupportedException">No tensor has elements of that type.</exception>
    public static Tensor ToTensor<T>(this T scalar, Device? device = null, bool requires_grad = false) where T : struct
    {
        if (requires_grad && scalar is not (float or double or Half or BFloat16))
            throw new ArgumentException("Only floating point types support gradients.", nameof(requires_grad));
        using var flat = from_array(new[] { scalar }, device);
        return flat.reshape().requires_grad_(requires_grad);
    }

    public static (float Real, float Imaginary) ToComplexFloat32(this Tensor value) => value.ToScalar().ToComplexFloat32();

    public static Complex ToComplexFloat64(this Tensor value) => value.ToScalar().ToComplexFloat64();

    public static BFloat16 ToBFloat16(this Tensor value) => value.ToScalar().ToBFloat16();

    public static Half ToHalf(this Tensor value) => value.ToScalar().ToHalf();

    public static float ToSingle(this Tensor value) => value.ToScalar().ToSingle();

    public static double ToDouble(this Tensor value) => value.ToScalar().ToDouble();

    public static sbyte ToSByte(this Tensor value) => value.ToScalar().ToSByte();

    public static byte ToByte(this Tensor value) => value.ToScalar().ToByte();

    public static short ToInt16(this Tensor value) => value.ToScalar().ToInt16();

    public static int ToInt32(this Tensor value) => value.ToScalar().ToInt32();

    public static long ToInt64(this Tensor value) => value.ToScalar().ToInt64();

    public static bool ToBoolean(this Tensor value) => value.ToScalar().ToBoolean();

    public static (float Real, float Imaginary) ToComplex32(this Tensor value) => value.ToScalar().ToComplexFloat32();

    public static Complex ToComplex64(this Tensor value) => value.ToScalar().ToComplexFloat64();
}

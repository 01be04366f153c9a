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
    /// <param name="tensor">The tensor, which is invalid afterwards.</param>
    /// <returns>The parameter.</returns>
    public static Modules.Parameter AsParameter(this Tensor tensor) => new(tensor);

    /// <summary>Returns the sizes as 32-bit integers.</summary>
    /// <param name="tensor">The tensor.</param>
    /// <returns>The sizes.</returns>
    /// <exception cref="OverflowException">A size exceeds the 32-bit range.</exception>
    public static ReadOnlySpan<int> IntShape(this Tensor tensor) => Array.ConvertAll(tensor.Sizes, size => checked((int)size));

    /// <summary>Returns the size of an element of a type.</summary>
    /// <param name="type">The element type.</param>
    /// <returns>The number of bytes.</returns>
    public static int ElementSize(this ScalarType type) => checked((int)Bridge.Torch.Native.Abi.dtype_size((int)type));

    /// <summary>Returns the number of elements of a tensor with a given shape.</summary>
    /// <param name="shape">The sizes.</param>
    /// <returns>The product of the sizes; 1 if there are none.</returns>
    public static long TotalSize(this IEnumerable<long> shape) => shape.Aggregate(1L, (product, size) => product * size);

    /// <summary>Creates a tensor of a given shape with a copy of the elements.</summary>
    /// <typeparam name="T">The type of the elements.</typeparam>
    /// <param name="rawArray">The elements, in C order.</param>
    /// <param name="dimensions">The sizes, of which one may be -1.</param>
    /// <param name="doCopy">Has no effect: the elements are always copied.</param>
    /// <param name="requires_grad">Whether autograd records operators on the tensor.</param>
    /// <returns>The tensor.</returns>
    /// <exception cref="NotSupportedException">No tensor has elements of that type.</exception>
    public static Tensor ToTensor<T>(this T[] rawArray, long[] dimensions, bool doCopy = false, bool requires_grad = false)
    {
        using var flat = from_array(rawArray);
        return flat.reshape(dimensions).requires_grad_(requires_grad);
    }

    /// <summary>Creates a 0-dim tensor of a number.</summary>
    /// <typeparam name="T">The type of the number.</typeparam>
    /// <param name="scalar">The number.</param>
    /// <param name="device">The device; by default the default device.</param>
    /// <param name="requires_grad">Whether autograd records operators on the tensor.</param>
    /// <returns>The tensor.</returns>
    /// <exception cref="ArgumentException"><paramref name="requires_grad"/> is true and the type is not floating-point.</exception>
    /// <exception cref="NotSupportedException">No tensor has elements of that type.</exception>
    public static Tensor ToTensor<T>(this T scalar, Device? device = null, bool requires_grad = false) where T : struct
    {
        if (requires_grad && scalar is not (float or double or Half or BFloat16))
            throw new ArgumentException("Only floating point types support gradients.", nameof(requires_grad));
        using var flat = from_array(new[] { scalar }, device);
        return flat.reshape().requires_grad_(requires_grad);
    }

    /// <summary>Returns the single element of a tensor as a pair of floats.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The real and the imaginary part.</returns>
    public static (float Real, float Imaginary) ToComplexFloat32(this Tensor value) => value.ToScalar().ToComplexFloat32();

    /// <summary>Returns the single element of a tensor as a complex number.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The number.</returns>
    public static Complex ToComplexFloat64(this Tensor value) => value.ToScalar().ToComplexFloat64();

    /// <summary>Returns the single element of a tensor as a BFloat16.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The type cannot represent the element.</exception>
    public static BFloat16 ToBFloat16(this Tensor value) => value.ToScalar().ToBFloat16();

    /// <summary>Returns the single element of a tensor as a Half.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The type cannot represent the element.</exception>
    public static Half ToHalf(this Tensor value) => value.ToScalar().ToHalf();

    /// <summary>Returns the single element of a tensor as a float.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The type cannot represent the element.</exception>
    public static float ToSingle(this Tensor value) => value.ToScalar().ToSingle();

    /// <summary>Returns the single element of a tensor as a double.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The type cannot represent the element.</exception>
    public static double ToDouble(this Tensor value) => value.ToScalar().ToDouble();

    /// <summary>Returns the single element of a tensor as a signed 8-bit integer.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The type cannot represent the element.</exception>
    public static sbyte ToSByte(this Tensor value) => value.ToScalar().ToSByte();

    /// <summary>Returns the single element of a tensor as a byte.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The type cannot represent the element.</exception>
    public static byte ToByte(this Tensor value) => value.ToScalar().ToByte();

    /// <summary>Returns the single element of a tensor as a 16-bit integer.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The type cannot represent the element.</exception>
    public static short ToInt16(this Tensor value) => value.ToScalar().ToInt16();

    /// <summary>Returns the single element of a tensor as a 32-bit integer.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The type cannot represent the element.</exception>
    public static int ToInt32(this Tensor value) => value.ToScalar().ToInt32();

    /// <summary>Returns the single element of a tensor as a 64-bit integer.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The type cannot represent the element.</exception>
    public static long ToInt64(this Tensor value) => value.ToScalar().ToInt64();

    /// <summary>Returns whether the single element of a tensor is not 0.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>Whether it is not 0.</returns>
    public static bool ToBoolean(this Tensor value) => value.ToScalar().ToBoolean();

    /// <summary>Returns the single element of a tensor as a pair of floats, as <see cref="ToComplexFloat32"/>.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The real and the imaginary part.</returns>
    public static (float Real, float Imaginary) ToComplex32(this Tensor value) => value.ToScalar().ToComplexFloat32();

    /// <summary>Returns the single element of a tensor as a complex number, as <see cref="ToComplexFloat64"/>.</summary>
    /// <param name="value">The tensor, with one element.</param>
    /// <returns>The number.</returns>
    public static Complex ToComplex64(this Tensor value) => value.ToScalar().ToComplexFloat64();
}

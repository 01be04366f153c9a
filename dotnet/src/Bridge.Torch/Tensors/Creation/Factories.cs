using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

// Tensors from .NET's arrays.
public static unsafe partial class torch
{
    /// <summary>Creates a tensor of the shape of an array, with a copy of its elements.</summary>
    /// <param name="rawArray">The array, with any number of dimensions.</param>
    /// <param name="device">The device; by default the default one.</param>
    /// <exception cref="NotSupportedException">No tensor has elements of the array's type.</exception>
    public static Tensor from_array(Array rawArray, Device? device = null) => from_array(rawArray, null, device);

    /// <summary>Creates a tensor of the shape of an array, with a copy of its elements, converted to a type.</summary>
    /// <param name="rawArray">The array, with any number of dimensions.</param>
    /// <param name="dtype">The element type; by default that of the array.</param>
    /// <param name="device">The device; by default the default one.</param>
    /// <param name="requires_grad">Whether the result records operators for its gradient.</param>
    /// <param name="names">Names of dimensions, which PyTorch no longer supports: null.</param>
    /// <exception cref="NotSupportedException">
    /// No tensor has elements of the array's type, or <paramref name="names"/> has names of dimensions.
    /// </exception>
    public static Tensor from_array(Array rawArray, ScalarType? dtype, Device? device = null, bool requires_grad = false,
        string[]? names = null)
    {
        var shape = new long[rawArray.Rank];
        for (var dim = 0; dim < shape.Length; dim++) shape[dim] = rawArray.GetLongLength(dim);
        // A pattern such as `is byte[]` also matches sbyte[].
        var element = rawArray.GetType().GetElementType()!;
        return element == typeof(bool) ? All<bool>()
            : element == typeof(byte) ? All<byte>()
            : element == typeof(sbyte) ? All<sbyte>()
            : element == typeof(short) ? All<short>()
            : element == typeof(int) ? All<int>()
            : element == typeof(long) ? All<long>()
            : element == typeof(Half) ? All<Half>()
            : element == typeof(BFloat16) ? All<BFloat16>()
            : element == typeof(float) ? All<float>()
            : element == typeof(double) ? All<double>()
            : element == typeof((float, float)) ? All<(float, float)>()
            : element == typeof(System.Numerics.Complex) ? All<System.Numerics.Complex>()
            : throw new NotSupportedException($"no tensor can be made from {rawArray.GetType().Name}");

        Tensor All<T>() where T : unmanaged =>
            Create<T>(MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<byte, T>(ref MemoryMarshal.GetArrayDataReference(rawArray)),
                rawArray.Length), shape, dtype, device, requires_grad, names);
    }

    /// <summary>
    /// Returns a vector that uses the memory of an array. The elements are copied if <paramref name="dtype"/> is not the array's type,
    /// torch is older than 2.11, or the C library is not glibc.
    /// </summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.frombuffer.html">torch.frombuffer</see>.</remarks>
    /// <param name="rawArray">The array.</param>
    /// <param name="dtype">The element type of the tensor.</param>
    /// <param name="count">The number of elements; if it is negative, all elements from the offset on.</param>
    /// <param name="offset">The index of the first element.</param>
    /// <param name="requires_grad">Whether autograd records operations on the tensor.</param>
    /// <exception cref="ArgumentException">
    /// The offset is out of range, or .NET cannot pin an array of this element type.
    /// </exception>
    /// <exception cref="IndexOutOfRangeException">The array has too few elements from the offset on.</exception>
    /// <exception cref="NotSupportedException">
    /// A tensor cannot share the memory of elements of this type, or complex numbers are not at an address that is a multiple of 16.
    /// </exception>
    public static Tensor frombuffer(Array rawArray, ScalarType dtype, long count = -1, long offset = 0, bool requires_grad = false)
    {
        Abi.Require();
        if (offset < 0 || offset >= rawArray.LongLength)
            throw new ArgumentException(
                $"An array of {Phrases.Plural(rawArray.LongLength, "element")} has none at the offset {offset}.", nameof(offset));
        if (count < 0) count = rawArray.LongLength - offset;
        if (count > rawArray.LongLength - offset)
            throw new IndexOutOfRangeException(
                $"The count is {count}, but the array has {rawArray.LongLength - offset} elements from the offset {offset} on.");
        using var scope = NewDisposeScope();
        var shared = SharedArray.Share(rawArray, offset, count);
        return shared.to_type(dtype).Marked(requires_grad).MoveToOuterDisposeScope();
    }

    private static Tensor Create<T>(ReadOnlySpan<T> data, long[] shape, ScalarType? dtype, Device? device, bool requires_grad,
        string[]? names) where T : unmanaged
    {
        Abi.Require();
        Bridge.Torch.DimensionNames.Refuse(names);
        device = DeviceOrDefault(device);
        if (!Fits(shape, data.Length))
            throw new ArgumentException(
                $"{data.Length} elements do not fill the shape [{string.Join(", ", shape.Select(size => $"{size}"))}].", nameof(shape));
        var strides = new long[shape.Length];
        for (var (dim, step) = (shape.Length - 1, 1L); dim >= 0; step = unchecked(step * Math.Max(shape[dim--], 1))) strides[dim] = step;
        // libtorch needs complex numbers aligned to their size. .NET aligns them to the size of their parts.
        var aligned = typeof(T) == typeof((float, float)) || typeof(T) == typeof(System.Numerics.Complex)
            ? NativeMemory.AlignedAlloc((nuint)(sizeof(T) * Math.Max(data.Length, 1)), 16) : null;
        if (aligned is not null) data.CopyTo(new Span<T>(aligned, data.Length));
        Tensor? uncopied = null;
        IntPtr handle;
        try
        {
            fixed (T* start = aligned is null ? data : new ReadOnlySpan<T>(aligned, data.Length))
            fixed (long* sizes = shape, steps = strides)
            {
                T none = default;
                Abi.Check(Abi.from_blob(start is null
                    ? &none : start, shape.Length, sizes, steps, 0, (int)Tensor.ElementType<T>(), (int)DeviceType.CPU, -1, &handle, 0, null,
                    0), "tensor");
                // Blank and Drop do not count the tensor in DisposeScopeManager.Statistics, as in TorchSharp.
                uncopied = Tensor.Blank(typeof(Tensor), handle);
                return (dtype is null && device is null ? uncopied.clone() : uncopied.ConvertCopy(dtype, device)).Marked(requires_grad);
            }
        }
        finally
        {
            uncopied?.Drop();
            NativeMemory.AlignedFree(aligned);
        }
    }

    /// <summary>Returns whether there are enough elements for the shape. Further elements are ignored, as in TorchSharp.</summary>
    private static bool Fits(long[] shape, int elements)
    {
        if (shape.Any(size => size < 0)) return false;
        if (shape.Contains(0)) return true;
        var count = 1L;
        foreach (var size in shape)
            if (size > elements || (count *= size) > elements) return false;
        return true;
    }

    public partial class Tensor
    {
        /// <summary>Returns a copy, even if neither type nor device changes.</summary>
        internal Tensor ConvertCopy(ScalarType? type, Device? device) => To(type, device, copy: true, non_blocking: false);
    }
}

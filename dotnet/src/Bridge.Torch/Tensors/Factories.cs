using System.Runtime.InteropServices;
using Bridge.Torch.Native;

namespace TorchSharp;

/// <summary>Tensors from .NET's numbers and arrays, which are copied.</summary>
public static unsafe partial class torch
{
    public static Tensor tensor<T>(T scalar, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) where T : unmanaged =>
        Copied([scalar], [], dtype, device, requires_grad);

    public static Tensor tensor<T>(T[] dataArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) where T : unmanaged =>
        Copied(dataArray, [dataArray.LongLength], dtype, device, requires_grad);

    public static Tensor tensor<T>(T[] dataArray, long[] dimensions, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) where T : unmanaged =>
        Copied(dataArray, dimensions, dtype, device, requires_grad);

    public static Tensor tensor<T>(T[] dataArray, long rows, long columns, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) where T : unmanaged =>
        Copied(dataArray, [rows, columns], dtype, device, requires_grad);

    public static Tensor tensor<T>(IList<T> rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) where T : unmanaged =>
        tensor(rawArray.ToArray(), dtype, device, requires_grad);

    public static Tensor tensor<T>(IList<T> rawArray, long[] dimensions, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) where T : unmanaged =>
        tensor(rawArray.ToArray(), dimensions, dtype, device, requires_grad);

    public static Tensor tensor<T>(T[,] dataArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) where T : unmanaged =>
        from_array(dataArray, dtype, device, requires_grad);

    public static Tensor tensor<T>(T[,,] dataArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) where T : unmanaged =>
        from_array(dataArray, dtype, device, requires_grad);

    public static Tensor tensor<T>(T[,,,] dataArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) where T : unmanaged =>
        from_array(dataArray, dtype, device, requires_grad);

    public static Tensor from_array(Array rawArray, Device? device = null) => from_array(rawArray, null, device);

    /// <exception cref="NotSupportedException">No tensor has elements of the array's type.</exception>
    public static Tensor from_array(Array rawArray, ScalarType? dtype, Device? device = null, bool requires_grad = false)
    {
        var shape = new long[rawArray.Rank];
        for (var dim = 0; dim < shape.Length; dim++) shape[dim] = rawArray.GetLongLength(dim);
        return rawArray switch
        {
            byte[] or byte[,] or byte[,,] or byte[,,,] => All<byte>(),
            sbyte[] or sbyte[,] or sbyte[,,] or sbyte[,,,] => All<sbyte>(),
            short[] or short[,] or short[,,] or short[,,,] => All<short>(),
            int[] or int[,] or int[,,] or int[,,,] => All<int>(),
            long[] or long[,] or long[,,] or long[,,,] => All<long>(),
            Half[] or Half[,] or Half[,,] or Half[,,,] => All<Half>(),
            float[] or float[,] or float[,,] or float[,,,] => All<float>(),
            double[] or double[,] or double[,,] or double[,,,] => All<double>(),
            bool[] or bool[,] or bool[,,] or bool[,,,] => All<bool>(),
            _ => throw new NotSupportedException($"no tensor can be made from {rawArray.GetType().Name}"),
        };

        Tensor All<T>() where T : unmanaged =>
            Copied<T>(MemoryMarshal.CreateReadOnlySpan(ref System.Runtime.CompilerServices.Unsafe.As<byte, T>(ref MemoryMarshal.GetArrayDataReference(rawArray)), rawArray.Length), shape, dtype, device, requires_grad);
    }

    public static Tensor as_tensor(Array data, ScalarType? dtype = null, Device? device = null) => from_array(data, dtype, device);

    private static Tensor Copied<T>(ReadOnlySpan<T> data, long[] shape, ScalarType? dtype, Device? device, bool requires_grad) where T : unmanaged
    {
        Abi.Require();
        if (!Fill(shape, data.Length)) throw new ArgumentException($"{data.Length} numbers do not fill the shape [{string.Join(", ", shape)}].", nameof(shape));
        var strides = new long[shape.Length];
        for (var (dim, step) = (shape.Length - 1, 1L); dim >= 0; step = unchecked(step * Math.Max(shape[dim--], 1))) strides[dim] = step;
        IntPtr handle;
        fixed (T* start = data)
        fixed (long* sizes = shape, steps = strides)
        {
            T none = default;
            Abi.Check(Abi.from_blob(start is null ? &none : start, shape.Length, sizes, steps, 0, (int)Tensor.ElementType<T>(), (int)DeviceType.CPU, -1, &handle, 0, null, 0), "tensor");
            using var outer = Tensor.Own(handle);
            return (dtype is null && device is null ? outer.clone() : outer.Converted(dtype, device)).Marked(requires_grad);
        }
    }

    /// <summary>Checks that this many numbers have this shape. Sizes whose product exceeds 64 bits do not wrap around.</summary>
    private static bool Fill(long[] shape, int numbers)
    {
        if (shape.Any(size => size < 0)) return false;
        if (shape.Contains(0)) return numbers == 0;
        var count = 1L;
        foreach (var size in shape)
            if (size > numbers || (count *= size) > numbers) return false;
        return count == numbers;
    }

    public partial class Tensor
    {
        /// <summary>A copy, even where neither type nor device changes.</summary>
        internal Tensor Converted(ScalarType? type, Device? device) => To(type, device, copy: true, non_blocking: false);
    }
}

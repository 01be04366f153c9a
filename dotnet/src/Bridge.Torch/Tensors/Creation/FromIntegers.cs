namespace TorchSharp;

/// <summary>Factories that copy .NET booleans and integers into new tensors.</summary>
public static partial class torch
{
    public static Tensor tensor(bool scalar, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        Create([scalar], [], dtype, device, requires_grad, null);
    public static Tensor tensor(IList<bool> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<bool>(rawArray.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(bool[] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create(rawArray, [rawArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor(bool[] rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<bool>(rawArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<bool> rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create<bool>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<bool> rawArray, long rows, long columns, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<bool>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<bool> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<bool>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<bool> rawArray, long dim0, long dim1, long dim2, long dim3, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<bool>(rawArray.ToArray(), [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor(bool[,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(bool[,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(bool[,,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);

    public static Tensor tensor(byte scalar, Device? device = null, bool requires_grad = false) =>
        Create([scalar], [], null, device, requires_grad, null);
    public static Tensor tensor(IList<byte> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<byte>(rawArray.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(byte[] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create(rawArray, [rawArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor(byte[] rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<byte>(rawArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<byte> rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create<byte>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<byte> rawArray, long rows, long columns, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<byte>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<byte> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<byte>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<byte> rawArray, long dim0, long dim1, long dim2, long dim3, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<byte>(rawArray.ToArray(), [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor(byte[,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(byte[,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(byte[,,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Memory<byte> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<byte>(rawArray.Span, dimensions.ToArray(), dtype, device, requires_grad, names);

    public static Tensor tensor(sbyte scalar, Device? device = null, bool requires_grad = false) =>
        Create([scalar], [], null, device, requires_grad, null);
    public static Tensor tensor(IList<sbyte> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<sbyte>(rawArray.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(sbyte[] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create(rawArray, [rawArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor(sbyte[] rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<sbyte>(rawArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<sbyte> rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create<sbyte>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<sbyte> rawArray, long rows, long columns, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<sbyte>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<sbyte> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<sbyte>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<sbyte> rawArray, long dim0, long dim1, long dim2, long dim3, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<sbyte>(rawArray.ToArray(), [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor(sbyte[,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(sbyte[,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(sbyte[,,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Memory<sbyte> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<sbyte>(rawArray.Span, dimensions.ToArray(), dtype, device, requires_grad, names);

    public static Tensor tensor(short scalar, Device? device = null, bool requires_grad = false) =>
        Create([scalar], [], null, device, requires_grad, null);
    public static Tensor tensor(IList<short> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<short>(rawArray.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(short[] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create(rawArray, [rawArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor(short[] rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<short>(rawArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<short> rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create<short>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<short> rawArray, long rows, long columns, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<short>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<short> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<short>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<short> rawArray, long dim0, long dim1, long dim2, long dim3, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<short>(rawArray.ToArray(), [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor(short[,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(short[,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(short[,,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Memory<short> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<short>(rawArray.Span, dimensions.ToArray(), dtype, device, requires_grad, names);

    public static Tensor tensor(int scalar, Device? device = null, bool requires_grad = false) =>
        Create([scalar], [], null, device, requires_grad, null);
    public static Tensor tensor(IList<int> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<int>(rawArray.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(int[] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create(rawArray, [rawArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor(int[] rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<int>(rawArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<int> rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create<int>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<int> rawArray, long rows, long columns, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<int>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<int> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<int>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(int[] rawArray, long dim0, long dim1, long dim2, long dim3, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<int>(rawArray, [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor(int[,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(int[,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(int[,,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Memory<int> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<int>(rawArray.Span, dimensions.ToArray(), dtype, device, requires_grad, names);

    public static Tensor tensor(long scalar, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        Create([scalar], [], dtype, device, requires_grad, null);
    public static Tensor tensor(IList<long> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<long>(rawArray.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(long[] dataArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create(dataArray, [dataArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor(long[] dataArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<long>(dataArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<long> rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create<long>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<long> rawArray, long rows, long columns, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<long>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<long> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<long>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<long> rawArray, long dim0, long dim1, long dim2, long dim3, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<long>(rawArray.ToArray(), [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor(long[,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(long[,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(long[,,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Memory<long> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<long>(rawArray.Span, dimensions.ToArray(), dtype, device, requires_grad, names);
}

namespace TorchSharp;

/// <summary>Factories that copy BFloat16 numbers into new tensors.</summary>
public static partial class torch
{
    public static Tensor tensor(BFloat16 scalar, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        Create([scalar], [], dtype, device, requires_grad, null);
    public static Tensor tensor(IList<BFloat16> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<BFloat16>(rawArray.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(BFloat16[] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create(rawArray, [rawArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor(BFloat16[] rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<BFloat16>(rawArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<BFloat16> rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create<BFloat16>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<BFloat16> rawArray, long rows, long columns, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<BFloat16>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<BFloat16> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<BFloat16>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<BFloat16> rawArray, long dim0, long dim1, long dim2, long dim3, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<BFloat16>(rawArray.ToArray(), [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor(BFloat16[,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(BFloat16[,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(BFloat16[,,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Memory<BFloat16> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<BFloat16>(rawArray.Span, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor as_tensor(IList<BFloat16> rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);
    public static Tensor as_tensor(BFloat16[] rawArray, ScalarType? dtype = null, Device? device = null) => tensor(rawArray, dtype, device);
}

namespace TorchSharp;

/// <summary>Factories that copy .NET floats and complex numbers into new tensors. A pair of floats is a complex number.</summary>
public static partial class torch
{
    public static Tensor tensor(IList<Half> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<Half>(rawArray.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(Half[] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create(rawArray, [rawArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor(Half[] rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<Half>(rawArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<Half> rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create<Half>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<Half> rawArray, long rows, long columns, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<Half>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<Half> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<Half>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<Half> rawArray, long dim0, long dim1, long dim2, long dim3, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<Half>(rawArray.ToArray(), [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor(Half[,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Half[,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Half[,,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Memory<Half> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<Half>(rawArray.Span, dimensions.ToArray(), dtype, device, requires_grad, names);

    public static Tensor tensor(float scalar, Device? device = null, bool requires_grad = false) =>
        Create([scalar], [], null, device, requires_grad, null);
    public static Tensor tensor(float real, float imaginary, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        Create([(real, imaginary)], [], dtype, device, requires_grad, null);
    public static Tensor tensor(IList<float> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<float>(rawArray.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(float[] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create(rawArray, [rawArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor(float[] rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<float>(rawArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<float> rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create<float>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<float> rawArray, long rows, long columns, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<float>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<float> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<float>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<float> rawArray, long dim0, long dim1, long dim2, long dim3, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<float>(rawArray.ToArray(), [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor(float[,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(float[,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(float[,,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Memory<float> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<float>(rawArray.Span, dimensions.ToArray(), dtype, device, requires_grad, names);

    public static Tensor tensor(double scalar, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        Create([scalar], [], dtype, device, requires_grad, null);
    public static Tensor tensor(double real, double imaginary, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false) =>
        Create([new System.Numerics.Complex(real, imaginary)], [], dtype, device, requires_grad, null);
    public static Tensor tensor(IList<double> rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create<double>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(double[] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Create(rawArray, [rawArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor(double[] rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<double>(rawArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<double> rawArray, long rows, long columns, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<double>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<double> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<double>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<double> rawArray, long dim0, long dim1, long dim2, long dim3, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<double>(rawArray.ToArray(), [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor(double[,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(double[,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(double[,,,] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Memory<double> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<double>(rawArray.Span, dimensions.ToArray(), dtype, device, requires_grad, names);

    public static Tensor tensor(IList<(float Real, float Imaginary)> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<(float, float)>(rawArray.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor((float Real, float Imaginary)[] rawArray, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create(rawArray, [rawArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor((float Real, float Imaginary)[] rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<(float, float)>(rawArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<(float Real, float Imaginary)> rawArray, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<(float, float)>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<(float Real, float Imaginary)> rawArray, long rows, long columns, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<(float, float)>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<(float Real, float Imaginary)> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<(float, float)>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<(float Real, float Imaginary)> rawArray, long dim0, long dim1, long dim2, long dim3,
        ScalarType? dtype = null, Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<(float, float)>(rawArray.ToArray(), [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor((float Real, float Imaginary)[,] rawArray, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor((float Real, float Imaginary)[,,] rawArray, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor((float Real, float Imaginary)[,,,] rawArray, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor((float Real, float Imaginary) scalar, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false) =>
        Create([scalar], [], dtype, device, requires_grad, null);

    public static Tensor tensor((double Real, double Imaginary) scalar, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false) =>
        Create([new System.Numerics.Complex(scalar.Item1, scalar.Item2)], [], dtype, device, requires_grad, null);

    public static Tensor tensor(System.Numerics.Complex scalar, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false) =>
        Create([scalar], [], dtype, device, requires_grad, null);
    public static Tensor tensor(IList<System.Numerics.Complex> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<System.Numerics.Complex>(rawArray.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(System.Numerics.Complex[] rawArray, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create(rawArray, [rawArray.LongLength], dtype, device, requires_grad, names);
    public static Tensor tensor(System.Numerics.Complex[] rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<System.Numerics.Complex>(rawArray, dimensions.ToArray(), dtype, device, requires_grad, names);
    public static Tensor tensor(IList<System.Numerics.Complex> rawArray, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        Create<System.Numerics.Complex>(rawArray.ToArray(), [rawArray.Count], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<System.Numerics.Complex> rawArray, long rows, long columns, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<System.Numerics.Complex>(rawArray.ToArray(), [rows, columns], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<System.Numerics.Complex> rawArray, long dim0, long dim1, long dim2, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<System.Numerics.Complex>(rawArray.ToArray(), [dim0, dim1, dim2], dtype, device, requires_grad, names);
    public static Tensor tensor(IList<System.Numerics.Complex> rawArray, long dim0, long dim1, long dim2, long dim3,
        ScalarType? dtype = null, Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<System.Numerics.Complex>(rawArray.ToArray(), [dim0, dim1, dim2, dim3], dtype, device, requires_grad, names);
    public static Tensor tensor(System.Numerics.Complex[,] rawArray, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(System.Numerics.Complex[,,] rawArray, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(System.Numerics.Complex[,,,] rawArray, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        from_array(rawArray, dtype, device, requires_grad, names);
    public static Tensor tensor(Memory<System.Numerics.Complex> rawArray, ReadOnlySpan<long> dimensions, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Create<System.Numerics.Complex>(rawArray.Span, dimensions.ToArray(), dtype, device, requires_grad, names);
}

namespace TorchSharp;

// The copies behind torch.tensor and torch.as_tensor, for any element type. A pair of floats is a complex number.
public static partial class torch
{
    private static Tensor Copied<T>(T scalar, Device? device, bool requires_grad) where T : unmanaged =>
        Create([scalar], [], null, device, requires_grad, null);

    private static Tensor Copied<T>(T scalar, ScalarType? dtype, Device? device, bool requires_grad) where T : unmanaged =>
        Create([scalar], [], dtype, device, requires_grad, null);

    private static Tensor Copied((double Real, double Imaginary) scalar, ScalarType? dtype, Device? device, bool requires_grad) =>
        Copied(scalar.Real, scalar.Imaginary, dtype, device, requires_grad);

    private static Tensor Copied(double real, double imaginary, ScalarType? dtype, Device? device, bool requires_grad) =>
        Copied(new System.Numerics.Complex(real, imaginary), dtype, device, requires_grad);

    private static Tensor Copied(float real, float imaginary, ScalarType? dtype, Device? device, bool requires_grad) =>
        Copied((real, imaginary), dtype, device, requires_grad);

    private static Tensor Copied<T>(T[] elements, ScalarType? dtype, Device? device, bool requires_grad, string[]? names)
        where T : unmanaged =>
        Create(elements, [elements.LongLength], dtype, device, requires_grad, names);

    private static Tensor Copied<T>(IList<T> elements, ScalarType? dtype, Device? device, bool requires_grad, string[]? names)
        where T : unmanaged =>
        Copied(elements, [elements.Count], dtype, device, requires_grad, names);

    private static Tensor Copied<T>(IList<T> elements, ReadOnlySpan<long> dimensions, ScalarType? dtype, Device? device,
        bool requires_grad, string[]? names) where T : unmanaged =>
        Create<T>(elements as T[] ?? elements.ToArray(), dimensions.ToArray(), dtype, device, requires_grad, names);

    private static Tensor Copied<T>(Memory<T> elements, ReadOnlySpan<long> dimensions, ScalarType? dtype, Device? device,
        bool requires_grad, string[]? names) where T : unmanaged =>
        Create<T>(elements.Span, dimensions.ToArray(), dtype, device, requires_grad, names);

    private static Tensor Copied(Array elements, ScalarType? dtype, Device? device, bool requires_grad, string[]? names) =>
        from_array(elements, dtype, device, requires_grad, names);

    private static Tensor AsTensor(Tensor data, ScalarType? dtype, Device? device) => data.to(dtype ?? data.dtype, device ?? data.device);

    private static Tensor AsTensor(Array data, ScalarType? dtype, Device? device) => from_array(data, dtype, device);

    private static Tensor AsTensor<T>(T[] data, ScalarType? dtype, Device? device) where T : unmanaged =>
        Copied(data, dtype, device, false, null);

    private static Tensor AsTensor<T>(IList<T> data, ScalarType? dtype, Device? device) where T : unmanaged =>
        Copied(data, dtype, device, false, null);
}

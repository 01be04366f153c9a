using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>Functions that create parameters of built-in modules, fill them with initial values, and read them.</summary>
internal static class ParameterInitializers
{
    /// <summary>
    /// Creates the weight of Linear or a convolution with PyTorch's default, <c>kaiming_uniform_</c> with a = sqrt(5): uniform in
    /// +-1/sqrt(fan in). Weights are drawn before biases, from libtorch's generator. So a C# model and its PyTorch original have the
    /// same parameters after the same seed.
    /// </summary>
    internal static Parameter Weight(long[] size, long fanIn, Device? device, ScalarType? dtype)
    {
        return Uniform(size, UniformBound(fanIn), device, dtype);
    }

    /// <summary>Returns the bound of the distribution of <see cref="Weight"/>, with PyTorch's rounding.</summary>
    internal static double UniformBound(long fanIn)
    {
        var slope = Math.Sqrt(5.0);
        var gain = Math.Sqrt(2.0 / (1 + slope * slope));
        return fanIn > 0 ? Math.Sqrt(3.0) * (gain / Math.Sqrt(fanIn)) : 0;
    }

    /// <summary>Creates the bias of Linear or a convolution with PyTorch's default.</summary>
    internal static Parameter Bias(long size, long fanIn, Device? device, ScalarType? dtype) =>
        Uniform([size], fanIn > 0 ? 1 / Math.Sqrt(fanIn) : 0, device, dtype);

    /// <summary>
    /// Whether layers that are created on this thread draw no random values, because they will get the values of a copied layer. Only
    /// <see cref="Table"/> draws nevertheless.
    /// </summary>
    [ThreadStatic]
    internal static bool SkipsDrawing;

    internal static Parameter Uniform(long[] size, double bound, Device? device, ScalarType? dtype)
    {
        using var off = no_grad();
        var made = new Parameter(empty(size, dtype, device));
        FillUniform(made, bound);
        return made;
    }

    internal static void FillUniform(Tensor tensor, double bound)
    {
        if (SkipsDrawing) return;
        using var off = no_grad();
        using var plain = tensor.detach();
        plain.uniform_(-bound, bound);
    }

    /// <summary>Fills a matrix as PyTorch's <c>xavier_uniform_</c> does.</summary>
    internal static void FillXavierUniform(Tensor matrix)
    {
        var deviation = Math.Sqrt(2.0 / (matrix.size(1) + matrix.size(0)));
        FillUniform(matrix, Math.Sqrt(3.0) * deviation);
    }

    /// <summary>Creates a table of values from the standard normal distribution, with zeros in the padding row.</summary>
    internal static Parameter Table(long rows, long length, long? padding, Device? device, ScalarType? dtype)
    {
        using var off = no_grad();
        var data = empty([rows, length], dtype, device).normal_();
        if (padding is { } row)
        {
            using var zero = data.select(0, row);
            zero.zero_();
        }

        return new Parameter(data);
    }

    /// <summary>Creates a tensor filled with one number.</summary>
    internal static Tensor CreateFilled(long[] size, double value, Device? device, ScalarType? dtype)
    {
        using var off = no_grad();
        using var filled = ones(size, dtype, device);
        return filled.mul(value);
    }

    /// <summary>
    /// Returns the parameter, or null if Python set it to None. Throws Python's AttributeError if Python has deleted it.
    /// </summary>
    internal static Parameter? ValueOrNull(Parameter? parameter) => IsPresent(parameter) ? parameter : null;

    /// <summary>Returns the buffer, or null if Python set it to None. Throws Python's AttributeError if Python has deleted it.</summary>
    internal static Tensor? ValueOrNull(Tensor? buffer) => IsPresent(buffer) ? buffer : null;

    private static bool IsPresent(Tensor? tensor)
    {
        if (tensor is null) return false;
        if (!tensor.IsInvalid) return true;
        tensor.Slot?.RequireAttribute();
        return false;
    }
}

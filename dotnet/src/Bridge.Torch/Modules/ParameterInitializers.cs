using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>How built-in modules initialize and read their parameters.</summary>
internal static class ParameterInitializers
{
    /// <summary>
    /// PyTorch's default for the weight of Linear and convolutions, Kaiming's with a = sqrt(5): uniform in +-1/sqrt(fan in), computed in
    /// PyTorch's steps, so that its rounding is the same too. Drawn from libtorch's own generator, weight before bias: the same seed gives
    /// a port and its original the same weights.
    /// </summary>
    internal static Parameter Weight(long[] size, long fanIn, Device? device, ScalarType? dtype)
    {
        return Uniform(size, Bound(fanIn), device, dtype);
    }

    /// <summary>The bound of that.</summary>
    internal static double Bound(long fanIn)
    {
        var slope = Math.Sqrt(5.0);
        var gain = Math.Sqrt(2.0 / (1 + slope * slope));
        return fanIn > 0 ? Math.Sqrt(3.0) * (gain / Math.Sqrt(fanIn)) : 0;
    }

    /// <summary>The same for the bias.</summary>
    internal static Parameter Bias(long size, long fanIn, Device? device, ScalarType? dtype) =>
        Uniform([size], fanIn > 0 ? 1 / Math.Sqrt(fanIn) : 0, device, dtype);

    /// <summary>While it is set, what is made on this thread is not drawn: a copy gets its values from the original.</summary>
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

    /// <summary>PyTorch's <c>xavier_uniform_</c> for a matrix.</summary>
    internal static void Xavier(Tensor matrix)
    {
        var deviation = Math.Sqrt(2.0 / (matrix.size(1) + matrix.size(0)));
        FillUniform(matrix, Math.Sqrt(3.0) * deviation);
    }

    /// <summary>A table drawn from the normal distribution, with a row of zeros.</summary>
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

    /// <summary>A tensor of one number. Nothing is drawn for it, so the generator stays in step with PyTorch's.</summary>
    internal static Tensor Filled(long[] size, double value, Device? device, ScalarType? dtype)
    {
        using var off = no_grad();
        using var filled = ones(size, dtype, device);
        return filled.mul(value);
    }

    /// <summary>A parameter that Python may have set to None; one that it has deleted raises AttributeError there.</summary>
    internal static Parameter? ValueOrNull(Parameter? parameter) => IsPresent(parameter) ? parameter : null;

    /// <summary>The same of a buffer.</summary>
    internal static Tensor? ValueOrNull(Tensor? buffer) => IsPresent(buffer) ? buffer : null;

    private static bool IsPresent(Tensor? tensor)
    {
        if (tensor is null) return false;
        if (!tensor.IsInvalid) return true;
        tensor.Slot?.RequireAttribute();
        return false;
    }
}

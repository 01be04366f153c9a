using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>How built-in modules initialize and read their parameters.</summary>
internal static class Initial
{
    /// <summary>
    /// PyTorch's default for the weight of Linear and convolutions, Kaiming's with a = sqrt(5): uniform in +-1/sqrt(fan in), computed in
    /// PyTorch's steps, so that its rounding is the same too. Drawn from libtorch's own generator, weight before bias: the same seed gives
    /// a port and its original the same weights.
    /// </summary>
    internal static Parameter Weight(long[] size, long fanIn, Device? device, ScalarType? dtype)
    {
        var slope = Math.Sqrt(5.0);
        var gain = Math.Sqrt(2.0 / (1 + slope * slope));
        return Uniform(size, fanIn > 0 ? Math.Sqrt(3.0) * (gain / Math.Sqrt(fanIn)) : 0, device, dtype);
    }

    /// <summary>The same for the bias.</summary>
    internal static Parameter Bias(long size, long fanIn, Device? device, ScalarType? dtype) =>
        Uniform([size], fanIn > 0 ? 1 / Math.Sqrt(fanIn) : 0, device, dtype);

    private static Parameter Uniform(long[] size, double bound, Device? device, ScalarType? dtype)
    {
        using var off = no_grad();
        return new Parameter(empty(size, dtype, device).uniform_(-bound, bound));
    }

    /// <summary>A tensor of one number. Nothing is drawn for it, so the generator stays in step with PyTorch's.</summary>
    internal static Tensor Filled(long[] size, double value, Device? device, ScalarType? dtype)
    {
        using var off = no_grad();
        using var one = ones(size, dtype, device);
        return one.mul(value);
    }

    /// <summary>A parameter that Python may have set to None.</summary>
    internal static Parameter? Present(Parameter? parameter) => parameter is { IsInvalid: false } ? parameter : null;

    /// <summary>A buffer that Python may have set to None.</summary>
    internal static Tensor? Present(Tensor? buffer) => buffer is { IsInvalid: false } ? buffer : null;
}

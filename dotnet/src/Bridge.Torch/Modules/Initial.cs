using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>How built-in modules begin and read their parameters.</summary>
internal static class Initial
{
    /// <summary>
    /// PyTorch's default for Linear and convolutions: uniform in +-1/sqrt(fan in). Drawn from libtorch's own generator, in PyTorch's order
    /// (weight, then bias), so the same seed gives a port and its original the same weights.
    /// </summary>
    internal static Parameter Uniform(long[] size, long fanIn, Device? device, ScalarType? dtype)
    {
        using var off = no_grad();
        var bound = fanIn > 0 ? 1 / Math.Sqrt(fanIn) : 0;
        return new Parameter(empty(size, dtype, device).uniform_(-bound, bound));
    }

    /// <summary>A parameter that Python may have set to None.</summary>
    internal static Parameter? Present(Parameter? parameter) => parameter is { IsInvalid: false } ? parameter : null;

    /// <summary>A buffer that Python may have set to None.</summary>
    internal static Tensor? Present(Tensor? buffer) => buffer is { IsInvalid: false } ? buffer : null;
}

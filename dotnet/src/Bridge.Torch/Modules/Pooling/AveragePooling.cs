using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The mean of each window of [N, C, L] or [C, L].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.AvgPool1d.html">torch.nn.AvgPool1d</see>.</remarks>
[Settings]
public sealed partial class AvgPool1d : PlainBuiltIn
{
    internal AvgPool1d(long kernel_size, long? stride, long? padding, bool ceil_mode, bool count_include_pad)
        : base(nameof(AvgPool1d)) =>
        (this.kernel_size, this.stride, this.padding, this.ceil_mode, this.count_include_pad) =
            (kernel_size, stride, padding, ceil_mode, count_include_pad);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad);
}

/// <summary>The mean of each window of [N, C, H, W] or [C, H, W].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.AvgPool2d.html">torch.nn.AvgPool2d</see>.</remarks>
[Settings]
public sealed partial class AvgPool2d : PlainBuiltIn
{
    internal AvgPool2d(long[] kernel_size, long[]? stride, long[]? padding, bool ceil_mode, bool count_include_pad,
        long? divisor_override) : base(nameof(AvgPool2d)) =>
        (this.kernel_size, this.stride, this.padding, this.ceil_mode, this.count_include_pad, this.divisor_override) =
        (kernel_size, stride ?? kernel_size, padding ?? [0, 0], ceil_mode, count_include_pad, divisor_override);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
}

/// <summary>The mean of each window of [N, C, D, H, W] or [C, D, H, W].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.AvgPool3d.html">torch.nn.AvgPool3d</see>.</remarks>
[Settings]
public sealed partial class AvgPool3d : PlainBuiltIn
{
    internal AvgPool3d(long[] kernel_size, long[]? stride, long[]? padding, bool ceil_mode, bool count_include_pad,
        long? divisor_override) : base(nameof(AvgPool3d)) =>
        (this.kernel_size, this.stride, this.padding, this.ceil_mode, this.count_include_pad, this.divisor_override) =
        (kernel_size, stride ?? kernel_size, padding ?? [0, 0, 0], ceil_mode, count_include_pad, divisor_override);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
}

/// <summary>The p-norm of each window of [N, C, L] or [C, L].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.LPPool1d.html">torch.nn.LPPool1d</see>.</remarks>
[Settings]
public sealed partial class LPPool1d : PlainBuiltIn
{
    internal LPPool1d(double norm_type, long kernel_size, long? stride, bool ceil_mode) : base(nameof(LPPool1d)) =>
        (this.norm_type, this.kernel_size, this.stride, this.ceil_mode) = (norm_type, kernel_size, stride, ceil_mode);

    private protected override Tensor Compute(Tensor input)
    {
        using var scope = NewDisposeScope();
        var means = nn.functional.avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode);
        return PoolingResults.NormOf(means, kernel_size, norm_type).MoveToOuterDisposeScope();
    }
}

/// <summary>The p-norm of each window of [N, C, H, W] or [C, H, W].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.LPPool2d.html">torch.nn.LPPool2d</see>.</remarks>
[Settings]
public sealed partial class LPPool2d : PlainBuiltIn
{
    internal LPPool2d(double norm_type, long[] kernel_size, long[]? stride, bool ceil_mode) : base(nameof(LPPool2d)) =>
        (this.norm_type, this.kernel_size, this.stride, this.ceil_mode, GivenStride) =
            (norm_type, kernel_size, stride ?? kernel_size, ceil_mode, stride);

    /// <summary>Gets the stride argument; null if it was omitted.</summary>
    internal long[]? GivenStride { get; }

    private protected override Tensor Compute(Tensor input)
    {
        using var scope = NewDisposeScope();
        var means = nn.functional.avg_pool2d(input.pow(norm_type), kernel_size, stride, [0, 0], ceil_mode);
        return PoolingResults.NormOf(means, kernel_size[0] * kernel_size[1], norm_type).MoveToOuterDisposeScope();
    }
}

/// <summary>Conversions of pooling operators' results.</summary>
internal static class PoolingResults
{
    internal static Tensor ValuesOf((Tensor output, Tensor indices) found)
    {
        found.indices.Dispose();
        return found.output;
    }

    internal static Tensor NormOf(Tensor means, long count, double norm_type) =>
        means.sign().mul(means.abs().relu()).mul(count).pow(1.0 / norm_type);
}

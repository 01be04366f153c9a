using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>Max pooling of [N, C, H, W] or [C, H, W] over random windows; see <c>functional.fractional_max_pool2d</c>.</summary>
[Settings]
public sealed partial class FractionalMaxPool2d : PlainBuiltIn
{
    /// <exception cref="ArgumentException">Both <c>output_size</c> and <c>output_ratio</c> are given, or neither.</exception>
    internal FractionalMaxPool2d(long[] kernel_size, long[]? output_size, double[]? output_ratio) : base(nameof(FractionalMaxPool2d))
    {
        if (output_size is null == output_ratio is null)
            throw new ArgumentException("FractionalMaxPool2d takes either output_size or output_ratio.");
        (this.kernel_size, this.output_size, this.output_ratio) = (kernel_size, output_size, output_ratio);
    }

    public long[]? output_size { get; set => field = Publish(value); }

    public double[]? output_ratio { get; set => field = Publish(value); }

    public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
        nn.functional.fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.fractional_max_pool2d(input, kernel_size, output_size, output_ratio);
}

/// <summary>Max pooling of [N, C, D, H, W] or [C, D, H, W] over random windows; see <c>functional.fractional_max_pool3d</c>.</summary>
[Settings]
public sealed partial class FractionalMaxPool3d : PlainBuiltIn
{
    /// <exception cref="ArgumentException">Both <c>output_size</c> and <c>output_ratio</c> are given, or neither.</exception>
    internal FractionalMaxPool3d(long[] kernel_size, long[]? output_size, double[]? output_ratio) : base(nameof(FractionalMaxPool3d))
    {
        if (output_size is null == output_ratio is null)
            throw new ArgumentException("FractionalMaxPool3d takes either output_size or output_ratio.");
        (this.kernel_size, this.output_size, this.output_ratio) = (kernel_size, output_size, output_ratio);
    }

    public long[]? output_size { get; set => field = Publish(value); }

    public double[]? output_ratio { get; set => field = Publish(value); }

    public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
        nn.functional.fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.fractional_max_pool3d(input, kernel_size, output_size, output_ratio);
}

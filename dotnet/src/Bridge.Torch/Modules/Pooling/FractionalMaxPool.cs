using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>Max pooling of [N, C, H, W] or [C, H, W] over random windows; see <c>functional.fractional_max_pool2d</c>.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool2d.html">FractionalMaxPool2d</see>.
/// </remarks>
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

    /// <summary>Gets or sets the size of the result of the <c>FractionalMaxPool2d</c>; null if a ratio is given.</summary>
    public long[]? output_size { get; set => field = Publish(value); }

    /// <summary>Gets or sets the result's size relative to the input of the <c>FractionalMaxPool2d</c>; null if a size is given.</summary>
    public double[]? output_ratio { get; set => field = Publish(value); }

    /// <summary>Returns the largest elements of a <c>FractionalMaxPool2d</c>'s windows and their indices in the flattened plane.</summary>
    /// <param name="input">The input, of shape (N, C, H, W) or (C, H, W).</param>
    /// <returns>The elements and the indices, both of the shape of the pooled input.</returns>
    public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
        nn.functional.fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.fractional_max_pool2d(input, kernel_size, output_size, output_ratio);
}

/// <summary>Max pooling of [N, C, D, H, W] or [C, D, H, W] over random windows; see <c>functional.fractional_max_pool3d</c>.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool3d.html">FractionalMaxPool3d</see>.
/// </remarks>
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

    /// <summary>Gets or sets the size of the result of the <c>FractionalMaxPool3d</c>; null if a ratio is given.</summary>
    public long[]? output_size { get; set => field = Publish(value); }

    /// <summary>Gets or sets the result's size relative to the input of the <c>FractionalMaxPool3d</c>; null if a size is given.</summary>
    public double[]? output_ratio { get; set => field = Publish(value); }

    /// <summary>Returns the largest elements of a <c>FractionalMaxPool3d</c>'s windows and their indices in the flattened volume.</summary>
    /// <param name="input">The input, of shape (N, C, D, H, W) or (C, D, H, W).</param>
    /// <returns>The elements and the indices, both of the shape of the pooled input.</returns>
    public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
        nn.functional.fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.fractional_max_pool3d(input, kernel_size, output_size, output_ratio);
}

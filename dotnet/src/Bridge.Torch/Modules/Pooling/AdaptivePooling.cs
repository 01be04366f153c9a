using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>Average pooling of [N, C, L] or [C, L] to a given output size.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool1d.html">AdaptiveAvgPool1d</see>.
/// </remarks>
[Settings]
public sealed partial class AdaptiveAvgPool1d : PlainBuiltIn
{
    internal AdaptiveAvgPool1d(long output_size) : base(nameof(AdaptiveAvgPool1d)) => this.output_size = output_size;

    private protected override Tensor Compute(Tensor input) => nn.functional.adaptive_avg_pool1d(input, output_size);
}

/// <summary>Average pooling of [N, C, H, W] or [C, H, W] to a given output size.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html">AdaptiveAvgPool2d</see>.
/// </remarks>
[Settings]
public sealed partial class AdaptiveAvgPool2d : PlainBuiltIn
{
    internal AdaptiveAvgPool2d(long[] output_size) : base(nameof(AdaptiveAvgPool2d)) => this.output_size = output_size;

    private protected override Tensor Compute(Tensor input) => nn.functional.adaptive_avg_pool2d(input, output_size);
}

/// <summary>Average pooling of [N, C, D, H, W] or [C, D, H, W] to a given output size.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool3d.html">AdaptiveAvgPool3d</see>.
/// </remarks>
[Settings]
public sealed partial class AdaptiveAvgPool3d : PlainBuiltIn
{
    internal AdaptiveAvgPool3d(long[] output_size) : base(nameof(AdaptiveAvgPool3d)) => this.output_size = output_size;

    private protected override Tensor Compute(Tensor input) => nn.functional.adaptive_avg_pool3d(input, output_size);
}

/// <summary>Max pooling of [N, C, L] or [C, L] to a given output size.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool1d.html">AdaptiveMaxPool1d</see>.
/// </remarks>
[Settings]
public sealed partial class AdaptiveMaxPool1d : PlainBuiltIn
{
    internal AdaptiveMaxPool1d(long output_size) : base(nameof(AdaptiveMaxPool1d)) => this.output_size = output_size;

    /// <summary>Returns the largest elements of an <c>AdaptiveMaxPool1d</c>'s windows and their indices in the last dimension.</summary>
    /// <param name="input">The input, of shape (N, C, L) or (C, L).</param>
    /// <returns>The elements and the indices, both of the shape of the pooled input.</returns>
    public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
        nn.functional.adaptive_max_pool1d_with_indices(input, output_size);

    private protected override Tensor Compute(Tensor input) => PoolingResults.ValuesOf(forward_with_indices(input));
}

/// <summary>Max pooling of [N, C, H, W] or [C, H, W] to a given output size.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool2d.html">AdaptiveMaxPool2d</see>.
/// </remarks>
[Settings]
public sealed partial class AdaptiveMaxPool2d : PlainBuiltIn
{
    internal AdaptiveMaxPool2d(long[] output_size) : base(nameof(AdaptiveMaxPool2d)) => this.output_size = output_size;

    /// <summary>Returns the largest elements of an <c>AdaptiveMaxPool2d</c>'s windows and their indices in the flattened plane.</summary>
    /// <param name="input">The input, of shape (N, C, H, W) or (C, H, W).</param>
    /// <returns>The elements and the indices, both of the shape of the pooled input.</returns>
    public (Tensor output, Tensor indices) forward_with_indices(Tensor input) =>
        nn.functional.adaptive_max_pool2d_with_indices(input, output_size);

    private protected override Tensor Compute(Tensor input) => PoolingResults.ValuesOf(forward_with_indices(input));
}

/// <summary>Max pooling of [N, C, D, H, W] or [C, D, H, W] to a given output size.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool3d.html">AdaptiveMaxPool3d</see>.
/// </remarks>
[Settings]
public sealed partial class AdaptiveMaxPool3d : PlainBuiltIn
{
    internal AdaptiveMaxPool3d(long[] output_size) : base(nameof(AdaptiveMaxPool3d)) => this.output_size = output_size;

    /// <summary>Returns the largest elements of an <c>AdaptiveMaxPool3d</c>'s windows and their indices in the flattened volume.</summary>
    /// <param name="input">The input, of shape (N, C, D, H, W) or (C, D, H, W).</param>
    /// <returns>The elements and the indices, both of the shape of the pooled input.</returns>
    public (Tensor output, Tensor indices) forward_with_indices(Tensor input) =>
        nn.functional.adaptive_max_pool3d_with_indices(input, output_size);

    private protected override Tensor Compute(Tensor input) => PoolingResults.ValuesOf(forward_with_indices(input));
}

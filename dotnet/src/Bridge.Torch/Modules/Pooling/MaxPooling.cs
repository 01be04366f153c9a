using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The largest element of each window of [N, C, L] or [C, L].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool1d.html">torch.nn.MaxPool1d</see>.</remarks>
[Settings]
public sealed partial class MaxPool1d : PlainBuiltIn
{
    internal MaxPool1d(long kernel_size, long? stride, long? padding, long? dilation, bool ceil_mode) : base(nameof(MaxPool1d)) =>
        (this.kernel_size, this.stride, this.padding, this.dilation, this.ceil_mode) =
            (kernel_size, stride ?? kernel_size, padding ?? 0, dilation ?? 1, ceil_mode);

    /// <summary>Returns the largest elements of the windows of a <c>MaxPool1d</c> and their indices in the last dimension.</summary>
    /// <param name="input">The input, of shape (N, C, L) or (C, L).</param>
    /// <returns>The elements and the indices, both of the shape of the pooled input.</returns>
    public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
        nn.functional.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode);
}

/// <summary>The largest element of each window of [N, C, H, W] or [C, H, W].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html">torch.nn.MaxPool2d</see>.</remarks>
[Settings]
public sealed partial class MaxPool2d : PlainBuiltIn
{
    internal MaxPool2d(long[] kernel_size, long[]? stride, long[]? padding, long[]? dilation, bool ceil_mode) : base(nameof(MaxPool2d))
    {
        this.kernel_size = kernel_size;
        this.stride = stride ?? kernel_size;
        this.padding = padding ?? [0, 0];
        this.dilation = dilation ?? [1, 1];
        this.ceil_mode = ceil_mode;
    }

    /// <summary>Returns the largest elements of the windows of a <c>MaxPool2d</c> and their indices in the flattened plane.</summary>
    /// <param name="input">The input, of shape (N, C, H, W) or (C, H, W).</param>
    /// <returns>The elements and the indices, both of the shape of the pooled input.</returns>
    public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
        nn.functional.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode);
}

/// <summary>The largest element of each window of [N, C, D, H, W] or [C, D, H, W].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MaxPool3d.html">torch.nn.MaxPool3d</see>.</remarks>
[Settings]
public sealed partial class MaxPool3d : PlainBuiltIn
{
    internal MaxPool3d(long[] kernel_size, long[]? stride, long[]? padding, long[]? dilation, bool ceil_mode)
        : base(nameof(MaxPool3d)) =>
        (this.kernel_size, this.stride, this.padding, this.dilation, this.ceil_mode) =
            (kernel_size, stride ?? kernel_size, padding ?? [0, 0, 0], dilation ?? [1, 1, 1], ceil_mode);

    /// <summary>Returns the largest elements of the windows of a <c>MaxPool3d</c> and their indices in the flattened volume.</summary>
    /// <param name="input">The input, of shape (N, C, D, H, W) or (C, D, H, W).</param>
    /// <returns>The elements and the indices, both of the shape of the pooled input.</returns>
    public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
        nn.functional.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode);
}

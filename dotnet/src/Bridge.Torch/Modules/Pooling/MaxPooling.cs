using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The largest element of each window of [N, C, L] or [C, L].</summary>
[Settings]
public sealed partial class MaxPool1d : PlainBuiltIn
{
    internal MaxPool1d(long kernel_size, long? stride, long? padding, long? dilation, bool ceil_mode) : base(nameof(MaxPool1d)) =>
        (this.kernel_size, this.stride, this.padding, this.dilation, this.ceil_mode) =
            (kernel_size, stride ?? kernel_size, padding ?? 0, dilation ?? 1, ceil_mode);

    /// <summary>Returns the largest elements, and the index of each in the input's last dimension.</summary>
    public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
        nn.functional.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode);
}

/// <summary>The largest element of each window of [N, C, H, W] or [C, H, W].</summary>
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

    /// <summary>Returns the largest elements, and the index of each in the flattened plane, [H * W].</summary>
    public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
        nn.functional.max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode);
}

/// <summary>The largest element of each window of [N, C, D, H, W] or [C, D, H, W].</summary>
[Settings]
public sealed partial class MaxPool3d : PlainBuiltIn
{
    internal MaxPool3d(long[] kernel_size, long[]? stride, long[]? padding, long[]? dilation, bool ceil_mode)
        : base(nameof(MaxPool3d)) =>
        (this.kernel_size, this.stride, this.padding, this.dilation, this.ceil_mode) =
            (kernel_size, stride ?? kernel_size, padding ?? [0, 0, 0], dilation ?? [1, 1, 1], ceil_mode);

    /// <summary>Returns the largest elements, and the index of each in the flattened volume, [D * H * W].</summary>
    public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
        nn.functional.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);

    private protected override Tensor Compute(Tensor input) =>
        nn.functional.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode);
}

using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>1-D convolution of [N, C, L] or [C, L].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv1d.html">torch.nn.Conv1d</see>.</remarks>
public sealed class Conv1d : Convolution
{
    internal Conv1d(long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding, long[]? dilation,
        PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
        : base(nameof(Conv1d), in_channels, out_channels, kernel_size, stride, padding, null, dilation, padding_mode, groups, bias,
            device, dtype)
    { }

    internal Conv1d(long in_channels, long out_channels, long[] kernel_size, Padding padding, long[]? stride, long[]? dilation,
        PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
        : base(nameof(Conv1d), in_channels, out_channels, kernel_size, stride, null, padding, dilation, padding_mode, groups, bias,
            device, dtype)
    { }

    private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) => named is { } kind
        ? nn.functional.Conv1d(input, weight, bias, stride, kind, dilation, groups)
        : nn.functional.Conv1d(input, weight, bias, stride, padding, dilation, groups);
}

/// <summary>2-D convolution of [N, C, H, W] or [C, H, W].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html">torch.nn.Conv2d</see>.</remarks>
public sealed class Conv2d : Convolution
{
    internal Conv2d(long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding, long[]? dilation,
        PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
        : base(nameof(Conv2d), in_channels, out_channels, kernel_size, stride, padding, null, dilation, padding_mode, groups, bias,
            device, dtype)
    { }

    internal Conv2d(long in_channels, long out_channels, long[] kernel_size, Padding padding, long[]? stride, long[]? dilation,
        PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
        : base(nameof(Conv2d), in_channels, out_channels, kernel_size, stride, null, padding, dilation, padding_mode, groups, bias,
            device, dtype)
    { }

    private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) => named is { } kind
        ? nn.functional.conv2d_padding(input, weight, bias, stride, kind, dilation, groups)
        : nn.functional.conv2d(input, weight, bias, stride, padding, dilation, groups);
}

/// <summary>3-D convolution of [N, C, D, H, W] or [C, D, H, W].</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv3d.html">torch.nn.Conv3d</see>.</remarks>
public sealed class Conv3d : Convolution
{
    internal Conv3d(long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding, long[]? dilation,
        PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
        : base(nameof(Conv3d), in_channels, out_channels, kernel_size, stride, padding, null, dilation, padding_mode, groups, bias,
            device, dtype)
    { }

    internal Conv3d(long in_channels, long out_channels, long[] kernel_size, Padding padding, long[]? stride, long[]? dilation,
        PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
        : base(nameof(Conv3d), in_channels, out_channels, kernel_size, stride, null, padding, dilation, padding_mode, groups, bias,
            device, dtype)
    { }

    private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) => named is { } kind
        ? nn.functional.conv3d_padding(input, weight, bias, stride, kind, dilation, groups)
        : nn.functional.conv3d(input, weight, bias, stride, padding, dilation, groups);
}

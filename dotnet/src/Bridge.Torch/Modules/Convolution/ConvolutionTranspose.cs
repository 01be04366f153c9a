using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The base class of transposed convolutions.</summary>
public abstract class ConvolutionTranspose : Convolution
{
    private protected ConvolutionTranspose(string name, long in_channels, long out_channels, long[] kernel_size, long[]? stride,
        long[]? padding, long[]? dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype,
        long[] output_padding)
        : base(name, in_channels, out_channels, kernel_size, stride, padding, null, dilation, padding_mode, groups, bias, device, dtype,
            output_padding)
    { }

    /// <summary>Creates the base of a transposed convolution that overrides <c>forward</c>.</summary>
    /// <param name="name">The name of the class.</param>
    /// <param name="in_channels">The number of channels of the input.</param>
    /// <param name="out_channels">The number of channels of the result.</param>
    /// <param name="kernel_size">The size of a window, along each dimension.</param>
    /// <param name="stride">The distance between windows, along each dimension.</param>
    /// <param name="padding">How many elements to add at both ends of each dimension; null for none.</param>
    /// <param name="padding_type">How to choose the padding instead; null to add <paramref name="padding"/>.</param>
    /// <param name="dilation">The distance between the elements of a window, along each dimension.</param>
    /// <param name="transposed">Whether this is a transposed convolution.</param>
    /// <param name="output_padding">
    /// The number of additional elements in the result of a transposed convolution, at one end of each dimension.
    /// </param>
    /// <param name="groups">The number of groups into which the channels are divided.</param>
    /// <param name="bias">Whether to add a bias.</param>
    /// <param name="padding_mode">The kind of elements with which to pad, such as zeros.</param>
    /// <param name="device">The device of the parameters; by default the default device.</param>
    /// <param name="dtype">The type of the parameters; by default the default type.</param>
    /// <exception cref="ArgumentException">The groups do not divide the channels, or the padding is not supported.</exception>
    protected ConvolutionTranspose(string name, long in_channels, long out_channels, long[] kernel_size, long[] stride, long[]? padding,
        Padding? padding_type, long[] dilation, bool transposed, long[] output_padding, long groups, bool bias,
        PaddingModes padding_mode, Device? device = null, ScalarType? dtype = null)
        : base(name, in_channels, out_channels, kernel_size, stride, padding, padding_type, dilation, transposed, output_padding,
            groups, bias, padding_mode, device, dtype)
    { }

    /// <summary>Computes a result of a given size: with a stride above 1, several sizes are possible for one size of the input.</summary>
    /// <param name="input">The input, with or without a batch dimension.</param>
    /// <param name="output_size">The spatial sizes of the result, or its shape; null for the size that <c>output_padding</c> gives.</param>
    /// <returns>The result, with <c>out_channels</c> channels.</returns>
    /// <exception cref="ArgumentException"><paramref name="output_size"/> is not possible for the input.</exception>
    public abstract Tensor forward(Tensor input, long[]? output_size);

    private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) => forward(input, null);

    /// <summary>Returns the number of additional elements in a result of a given size, at one end of each dimension.</summary>
    /// <param name="input">The input, with or without a batch dimension.</param>
    /// <param name="output_size">The spatial sizes of the result, or its shape; null to return <c>output_padding</c>.</param>
    /// <param name="kernel_size">The size of a window.</param>
    /// <param name="stride">The distance between the windows.</param>
    /// <param name="padding">The number of elements of the result that are cut off at both ends.</param>
    /// <param name="dilation">The distance between the elements of a window.</param>
    /// <param name="num_spatial_dims">The number of spatial dimensions.</param>
    /// <exception cref="ArgumentException"><paramref name="output_size"/> is not possible for the input.</exception>
    protected long[] _output_padding(Tensor input, long[]? output_size, long[] kernel_size, long[] stride, long[] padding,
        long[] dilation, long num_spatial_dims)
    {
        if (output_size is null) return output_padding;
        var count = (int)num_spatial_dims;
        var leading = (int)input.dim() - count;
        var wanted = output_size.Length == leading + count ? output_size[leading..] : output_size;
        if (wanted.Length != count)
            throw new ArgumentException(
                $"{GetName()}: output_size has {Phrases.Plural(output_size.Length, "number")}, it must have {count} or {leading + count}.",
                nameof(output_size));
        var extra = new long[count];
        for (var i = 0; i < count; i++)
        {
            var least = (input.size(leading + i) - 1) * stride[i] - 2 * padding[i] + dilation[i] * (kernel_size[i] - 1) + 1;
            extra[i] = wanted[i] - least;
            if (extra[i] < 0 || extra[i] >= stride[i])
                throw new ArgumentException(
                    $"{GetName()}: output_size [{string.Join(", ", wanted.Select(size => $"{size}"))}] is not possible: number {i} can "
                    + $"be {least} to {least + stride[i] - 1}.", nameof(output_size));
        }

        return extra;
    }
}

/// <summary>1-D transposed convolution of [N, C, L] or [C, L].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose1d.html">ConvTranspose1d</see>.
/// </remarks>
public sealed class ConvTranspose1d : ConvolutionTranspose
{
    internal ConvTranspose1d(long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding,
        long[]? output_padding, long[]? dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
        : base(nameof(ConvTranspose1d), in_channels, out_channels, kernel_size, stride, padding, dilation, padding_mode, groups, bias,
            device, dtype, output_padding ?? Sizes.Of(1, 0))
    { }

    /// <inheritdoc/>
    public override Tensor forward(Tensor input, long[]? output_size) => output_size is null ? forward(input)
        : nn.functional.ConvTranspose1d(input, weight, bias, stride, padding!,
            _output_padding(input, output_size, kernel_size, stride, padding!, dilation, 1), dilation, groups);

    private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) =>
        nn.functional.ConvTranspose1d(input, weight, bias, stride, padding!, output_padding, dilation, groups);
}

/// <summary>2-D transposed convolution of [N, C, H, W] or [C, H, W].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html">ConvTranspose2d</see>.
/// </remarks>
public sealed class ConvTranspose2d : ConvolutionTranspose
{
    internal ConvTranspose2d(long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding,
        long[]? output_padding, long[]? dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
        : base(nameof(ConvTranspose2d), in_channels, out_channels, kernel_size, stride, padding, dilation, padding_mode, groups, bias,
            device, dtype, output_padding ?? [0, 0])
    { }

    /// <inheritdoc/>
    public override Tensor forward(Tensor input, long[]? output_size) => output_size is null ? forward(input)
        : nn.functional.conv_transpose2d(input, weight, bias, stride, padding,
            _output_padding(input, output_size, kernel_size, stride, padding!, dilation, 2), dilation, groups);

    private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) =>
        nn.functional.conv_transpose2d(input, weight, bias, stride, padding, output_padding, dilation, groups);
}

/// <summary>3-D transposed convolution of [N, C, D, H, W] or [C, D, H, W].</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ConvTranspose3d.html">ConvTranspose3d</see>.
/// </remarks>
public sealed class ConvTranspose3d : ConvolutionTranspose
{
    internal ConvTranspose3d(long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding,
        long[]? output_padding, long[]? dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
        : base(nameof(ConvTranspose3d), in_channels, out_channels, kernel_size, stride, padding, dilation, padding_mode, groups, bias,
            device, dtype, output_padding ?? Sizes.Of(3, 0))
    { }

    /// <inheritdoc/>
    public override Tensor forward(Tensor input, long[]? output_size) => output_size is null ? forward(input)
        : nn.functional.conv_transpose3d(input, weight, bias, stride, padding,
            _output_padding(input, output_size, kernel_size, stride, padding!, dilation, 3), dilation, groups);

    private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) =>
        nn.functional.conv_transpose3d(input, weight, bias, stride, padding, output_padding, dilation, groups);
}

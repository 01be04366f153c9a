using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>The base class of transposed convolutions.</summary>
    public abstract class ConvolutionTranspose : Convolution
    {
        private protected ConvolutionTranspose(string name, long in_channels, long out_channels, long[] kernel_size, long[]? stride,
            long[]? padding, long[]? dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype,
            long[] output_padding)
            : base(name, in_channels, out_channels, kernel_size, stride, padding, null, dilation, padding_mode, groups, bias, device, dtype,
                output_padding)
        { }

        /// <summary>Creates the base of a class that overrides <c>forward</c>.</summary>
        protected ConvolutionTranspose(string name, long in_channels, long out_channels, long[] kernel_size, long[] stride, long[]? padding,
            Padding? padding_type, long[] dilation, bool transposed, long[] output_padding, long groups, bool bias,
            PaddingModes padding_mode, Device? device = null, ScalarType? dtype = null)
            : base(name, in_channels, out_channels, kernel_size, stride, padding, padding_type, dilation, transposed, output_padding,
                groups, bias, padding_mode, device, dtype)
        { }

        /// <summary>
        /// Computes a result of the given size. With a stride above 1, several output sizes are possible for one input size.
        /// </summary>
        /// <param name="input">The input, with or without a batch dimension.</param>
        /// <param name="output_size">
        /// The spatial sizes of the result, or its complete shape; null for the size that <c>output_padding</c> gives.
        /// </param>
        /// <exception cref="ArgumentException"><paramref name="output_size"/> is not possible for the input.</exception>
        public abstract Tensor forward(Tensor input, long[]? output_size);

        private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) => forward(input, null);

        /// <summary>Returns the output padding of each spatial dimension for a result of <paramref name="output_size"/>.</summary>
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
                    $"{GetName()}: output_size has {output_size.Length} numbers, it must have {count} or {leading + count}.",
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
    public sealed class ConvTranspose1d : ConvolutionTranspose
    {
        internal ConvTranspose1d(long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding,
            long[]? output_padding, long[]? dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
            : base(nameof(ConvTranspose1d), in_channels, out_channels, kernel_size, stride, padding, dilation, padding_mode, groups, bias,
                device, dtype, output_padding ?? Sizes.Of(1, 0))
        { }

        public override Tensor forward(Tensor input, long[]? output_size) => output_size is null ? forward(input)
            : nn.functional.ConvTranspose1d(input, weight, bias, stride, padding!,
                _output_padding(input, output_size, kernel_size, stride, padding!, dilation, 1), dilation, groups);

        private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) =>
            nn.functional.ConvTranspose1d(input, weight, bias, stride, padding!, output_padding, dilation, groups);
    }

    /// <summary>3-D transposed convolution of [N, C, D, H, W] or [C, D, H, W].</summary>
    public sealed class ConvTranspose3d : ConvolutionTranspose
    {
        internal ConvTranspose3d(long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding,
            long[]? output_padding, long[]? dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
            : base(nameof(ConvTranspose3d), in_channels, out_channels, kernel_size, stride, padding, dilation, padding_mode, groups, bias,
                device, dtype, output_padding ?? Sizes.Of(3, 0))
        { }

        public override Tensor forward(Tensor input, long[]? output_size) => output_size is null ? forward(input)
            : nn.functional.conv_transpose3d(input, weight, bias, stride, padding,
                _output_padding(input, output_size, kernel_size, stride, padding!, dilation, 3), dilation, groups);

        private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) =>
            nn.functional.conv_transpose3d(input, weight, bias, stride, padding, output_padding, dilation, groups);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static ConvTranspose1d ConvTranspose1d(long in_channels, long out_channels, long kernel_size, long stride = 1,
                long padding = 0, long output_padding = 0, long dilation = 1,
                PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null,
                    ScalarType? dtype = null) =>
                new(in_channels, out_channels, Sizes.Of(1, kernel_size), Sizes.Of(1, stride), Sizes.Of(1, padding),
                    Sizes.Of(1, output_padding), Sizes.Of(1, dilation), padding_mode, groups, bias, device, dtype);

            public static ConvTranspose3d ConvTranspose3d(long in_channels, long out_channels, long kernel_size, long stride = 1,
                long padding = 0, long output_padding = 0, long dilation = 1,
                PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null,
                    ScalarType? dtype = null) =>
                new(in_channels, out_channels, Sizes.Of(3, kernel_size), Sizes.Of(3, stride), Sizes.Of(3, padding),
                    Sizes.Of(3, output_padding), Sizes.Of(3, dilation), padding_mode, groups, bias, device, dtype);

            public static ConvTranspose3d ConvTranspose3d(long in_channels, long out_channels, (long, long, long) kernel_size,
                (long, long, long)? stride = null, (long, long, long)? padding = null, (long, long, long)? output_padding = null,
                (long, long, long)? dilation = null, PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true,
                    Device? device = null, ScalarType? dtype = null) =>
                new(in_channels, out_channels, Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), Sizes.Of(output_padding),
                    Sizes.Of(dilation), padding_mode, groups, bias, device, dtype);
        }
    }
}

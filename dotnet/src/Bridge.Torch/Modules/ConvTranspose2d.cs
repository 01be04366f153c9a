using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>2-D transposed convolution of [N, C, H, W] or [C, H, W].</summary>
    public sealed class ConvTranspose2d : Convolution
    {
        internal ConvTranspose2d(long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding, long[]? output_padding,
            long[]? dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
            : base(nameof(ConvTranspose2d), in_channels, out_channels, kernel_size, stride, padding, null, dilation, padding_mode, groups, bias, device, dtype, output_padding ?? [0, 0]) { }

        /// <summary>The same with a result of exactly that size: with a stride, several sizes of the result belong to one size of the input.</summary>
        /// <param name="input">[N, C, H, W] or [C, H, W].</param>
        /// <param name="output_size">[H, W], or the result's complete shape; null for the size that <c>output_padding</c> gives.</param>
        /// <exception cref="ArgumentException">The size is not possible.</exception>
        public Tensor forward(Tensor input, long[]? output_size)
        {
            if (output_size is null) return forward(input);
            var leading = (int)input.dim() - 2;
            var wanted = output_size.Length == leading + 2 ? output_size[leading..] : output_size;
            if (wanted.Length != 2)
                throw new ArgumentException($"ConvTranspose2d: output_size has {output_size.Length} numbers, it must have 2 or {leading + 2}.", nameof(output_size));
            var extra = new long[2];
            for (var i = 0; i < 2; i++)
            {
                var least = (input.size(leading + i) - 1) * stride[i] - 2 * padding[i] + dilation[i] * (kernel_size[i] - 1) + 1;
                extra[i] = wanted[i] - least;
                if (extra[i] < 0 || extra[i] >= stride[i])
                    throw new ArgumentException($"ConvTranspose2d: output_size [{string.Join(", ", wanted)}] is not possible: number {i} can be {least} to {least + stride[i] - 1}.", nameof(output_size));
            }

            return nn.functional.conv_transpose2d(input, weight, PresentBias, stride, padding, extra, dilation, groups);
        }

        private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) =>
            nn.functional.conv_transpose2d(input, weight, PresentBias, stride, padding, output_padding, dilation, groups);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static ConvTranspose2d ConvTranspose2d(long in_channels, long out_channels, long kernel_size, long stride = 1, long padding = 0, long output_padding = 0, long dilation = 1,
                PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null, ScalarType? dtype = null) =>
                new(in_channels, out_channels, Sizes.Of(2, kernel_size), Sizes.Of(2, stride), Sizes.Of(2, padding), Sizes.Of(2, output_padding), Sizes.Of(2, dilation), padding_mode, groups, bias, device, dtype);

            public static ConvTranspose2d ConvTranspose2d(long in_channels, long out_channels, (long, long) kernel_size, (long, long)? stride = null, (long, long)? padding = null, (long, long)? output_padding = null,
                (long, long)? dilation = null, PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null, ScalarType? dtype = null) =>
                new(in_channels, out_channels, Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), Sizes.Of(output_padding), Sizes.Of(dilation), padding_mode, groups, bias, device, dtype);
        }
    }
}

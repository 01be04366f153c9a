using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>2-D transposed convolution of [N, C, H, W] or [C, H, W].</summary>
    public sealed class ConvTranspose2d : ConvolutionTranspose
    {
        internal ConvTranspose2d(long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding,
            long[]? output_padding, long[]? dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
            : base(nameof(ConvTranspose2d), in_channels, out_channels, kernel_size, stride, padding, dilation, padding_mode, groups, bias,
                device, dtype, output_padding ?? [0, 0])
        { }

        public override Tensor forward(Tensor input, long[]? output_size) => output_size is null ? forward(input)
            : nn.functional.conv_transpose2d(input, weight, bias, stride, padding,
                _output_padding(input, output_size, kernel_size, stride, padding!, dilation, 2), dilation, groups);

        private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) =>
            nn.functional.conv_transpose2d(input, weight, bias, stride, padding, output_padding, dilation, groups);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static ConvTranspose2d ConvTranspose2d(long in_channels, long out_channels, long kernel_size, long stride = 1,
                long padding = 0, long output_padding = 0, long dilation = 1,
                PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null,
                    ScalarType? dtype = null) =>
                new(in_channels, out_channels, Sizes.Of(2, kernel_size), Sizes.Of(2, stride), Sizes.Of(2, padding),
                    Sizes.Of(2, output_padding), Sizes.Of(2, dilation), padding_mode, groups, bias, device, dtype);

            public static ConvTranspose2d ConvTranspose2d(long in_channels, long out_channels, (long, long) kernel_size,
                (long, long)? stride = null, (long, long)? padding = null, (long, long)? output_padding = null,
                (long, long)? dilation = null, PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true,
                    Device? device = null, ScalarType? dtype = null) =>
                new(in_channels, out_channels, Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), Sizes.Of(output_padding),
                    Sizes.Of(dilation), padding_mode, groups, bias, device, dtype);
        }
    }
}

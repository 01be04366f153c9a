using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>2-D convolution of [N, C, H, W] or [C, H, W].</summary>
    public sealed class Conv2d : Convolution
    {
        internal Conv2d(long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding, Padding? named,
            long[]? dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
            : base(nameof(Conv2d), in_channels, out_channels, kernel_size, stride, padding, named, dilation, padding_mode, groups, bias,
                device, dtype)
        { }

        private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) => named is { } kind
            ? nn.functional.conv2d_padding(input, weight, bias, stride, kind, dilation, groups)
            : nn.functional.conv2d(input, weight, bias, stride, padding, dilation, groups);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Conv2d Conv2d(long in_channels, long out_channels, long kernel_size, long stride = 1, long padding = 0,
                long dilation = 1, PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null,
                ScalarType? dtype = null) =>
                new(in_channels, out_channels, Sizes.Of(2, kernel_size), Sizes.Of(2, stride), Sizes.Of(2, padding), null,
                    Sizes.Of(2, dilation), padding_mode, groups, bias, device, dtype);

            public static Conv2d Conv2d(long in_channels, long out_channels, (long, long) kernel_size, (long, long)? stride = null,
                (long, long)? padding = null, (long, long)? dilation = null, PaddingModes padding_mode = PaddingModes.Zeros,
                long groups = 1, bool bias = true, Device? device = null, ScalarType? dtype = null) =>
                new(in_channels, out_channels, Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), null, Sizes.Of(dilation),
                    padding_mode, groups, bias, device, dtype);

            public static Conv2d Conv2d(long in_channels, long out_channels, long kernel_size, Padding padding, long stride = 1,
                long dilation = 1, PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null,
                ScalarType? dtype = null) =>
                new(in_channels, out_channels, Sizes.Of(2, kernel_size), Sizes.Of(2, stride), null, padding, Sizes.Of(2, dilation),
                    padding_mode, groups, bias, device, dtype);

            public static Conv2d Conv2d(long in_channels, long out_channels, (long, long) kernel_size, Padding padding,
                (long, long)? stride = null, (long, long)? dilation = null, PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1,
                bool bias = true, Device? device = null, ScalarType? dtype = null) =>
                new(in_channels, out_channels, Sizes.Of(kernel_size), Sizes.Of(stride), null, padding, Sizes.Of(dilation), padding_mode,
                    groups, bias, device, dtype);
        }
    }
}

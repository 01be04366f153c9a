using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>1-D convolution of [N, C, L] or [C, L].</summary>
    public sealed class Conv1d : Convolution
    {
        internal Conv1d(long in_channels, long out_channels, long kernel_size, long stride, long? padding, Padding? named,
            long dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype)
            : base(nameof(Conv1d), in_channels, out_channels, [kernel_size], [stride], Sizes.Of(1, padding), named, [dilation],
                padding_mode, groups, bias, device, dtype)
        { }

        private protected override Tensor Convolve(Tensor input, long[] padding, Padding? named) => named is { } kind
            ? nn.functional.Conv1d(input, weight, bias, stride, kind, dilation, groups)
            : nn.functional.Conv1d(input, weight, bias, stride, padding, dilation, groups);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Conv1d Conv1d(long in_channels, long out_channels, long kernel_size, long stride = 1, long padding = 0,
                long dilation = 1, PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null,
                ScalarType? dtype = null) =>
                new(in_channels, out_channels, kernel_size, stride, padding, null, dilation, padding_mode, groups, bias, device, dtype);

            public static Conv1d Conv1d(long in_channels, long out_channels, long kernel_size, Padding padding, long stride = 1,
                long dilation = 1, PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null,
                ScalarType? dtype = null) =>
                new(in_channels, out_channels, kernel_size, stride, null, padding, dilation, padding_mode, groups, bias, device, dtype);

            public partial class functional
            {
                public static Tensor conv1d(Tensor input, Tensor weight, Tensor? bias = null, long? stride = null, long? padding = null,
                    long? dilation = null, long groups = 1) =>
                    Conv1d(input, weight, bias, Sizes.Of(1, stride), Sizes.Of(1, padding), Sizes.Of(1, dilation), groups);

                public static Tensor conv1d_padding(Tensor input, Tensor weight, Tensor? bias = null, long? stride = null,
                    Padding padding = Padding.Valid, long? dilation = null, long groups = 1) =>
                    Conv1d(input, weight, bias, Sizes.Of(1, stride), padding, Sizes.Of(1, dilation), groups);
            }
        }
    }
}

using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>2-D convolution of [N, C, H, W] or [C, H, W].</summary>
    public sealed class Conv2d : BuiltIn
    {
        private readonly long[] _border;
        private readonly long[] _zero = [0, 0];

        internal Conv2d(long in_channels, long out_channels, (long, long) kernel_size, (long, long) stride, (long, long) padding, Padding? named,
            (long, long) dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype) : base(nameof(Conv2d))
        {
            if (groups <= 0 || in_channels % groups != 0 || out_channels % groups != 0)
                throw new ArgumentException($"Conv2d: {in_channels} input and {out_channels} output channels cannot be split into {groups} groups.");
            if (named == Padding.Same && stride != (1, 1))
                throw new ArgumentException("Conv2d: padding 'Same' needs stride 1.");
            (this.in_channels, this.out_channels, this.groups, this.padding_mode, padding_type) = (in_channels, out_channels, groups, padding_mode, named);
            this.kernel_size = [kernel_size.Item1, kernel_size.Item2];
            this.stride = [stride.Item1, stride.Item2];
            this.padding = [padding.Item1, padding.Item2];
            this.dilation = [dilation.Item1, dilation.Item2];
            _border = Border();
            var fanIn = in_channels / groups * kernel_size.Item1 * kernel_size.Item2;
            weight = Initial.Weight([out_channels, in_channels / groups, kernel_size.Item1, kernel_size.Item2], fanIn, device, dtype);
            register_parameter(nameof(weight), weight);
            if (!bias) return;
            this.bias = Initial.Bias(out_channels, fanIn, device, dtype);
            register_parameter(nameof(bias), this.bias);
        }

        public long in_channels { get; }

        public long out_channels { get; }

        public long groups { get; }

        public long[] kernel_size { get; }

        public long[] stride { get; }

        public long[] padding { get; }

        public long[] dilation { get; }

        public PaddingModes padding_mode { get; }

        public Padding? padding_type { get; }

        public Parameter weight { get; }

        public Parameter? bias { get; }

        private protected override Tensor Compute(Tensor input)
        {
            if (padding_mode != PaddingModes.Zeros)
            {
                using var padded = nn.functional.Pad(input, _border, padding_mode.ToString().ToLowerInvariant());
                return nn.functional.conv2d(padded, weight, Initial.Present(bias), stride, _zero, dilation, groups);
            }

            return padding_type is { } named
                ? nn.functional.conv2d_padding(input, weight, Initial.Present(bias), stride, named, dilation, groups)
                : nn.functional.conv2d(input, weight, Initial.Present(bias), stride, padding, dilation, groups);
        }

        // The border in the order that `pad` takes: last dimension first, left then right.
        private long[] Border()
        {
            if (padding_type is null) return [padding[1], padding[1], padding[0], padding[0]];
            if (padding_type == Padding.Valid) return [0, 0, 0, 0];
            var total = new[] { dilation[0] * (kernel_size[0] - 1), dilation[1] * (kernel_size[1] - 1) };
            return [total[1] / 2, total[1] - total[1] / 2, total[0] / 2, total[0] - total[0] / 2];
        }
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Modules.Conv2d Conv2d(long in_channels, long out_channels, long kernel_size, long stride = 1, long padding = 0, long dilation = 1,
                PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null, ScalarType? dtype = null) =>
                new(in_channels, out_channels, (kernel_size, kernel_size), (stride, stride), (padding, padding), null, (dilation, dilation), padding_mode, groups, bias, device, dtype);

            public static Modules.Conv2d Conv2d(long in_channels, long out_channels, (long, long) kernel_size, (long, long)? stride = null, (long, long)? padding = null,
                (long, long)? dilation = null, PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null, ScalarType? dtype = null) =>
                new(in_channels, out_channels, kernel_size, stride ?? (1, 1), padding ?? (0, 0), null, dilation ?? (1, 1), padding_mode, groups, bias, device, dtype);

            public static Modules.Conv2d Conv2d(long in_channels, long out_channels, long kernel_size, Padding padding, long stride = 1, long dilation = 1,
                PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null, ScalarType? dtype = null) =>
                new(in_channels, out_channels, (kernel_size, kernel_size), (stride, stride), (0, 0), padding, (dilation, dilation), padding_mode, groups, bias, device, dtype);

            public static Modules.Conv2d Conv2d(long in_channels, long out_channels, (long, long) kernel_size, Padding padding, (long, long)? stride = null,
                (long, long)? dilation = null, PaddingModes padding_mode = PaddingModes.Zeros, long groups = 1, bool bias = true, Device? device = null, ScalarType? dtype = null) =>
                new(in_channels, out_channels, kernel_size, stride ?? (1, 1), (0, 0), padding, dilation ?? (1, 1), padding_mode, groups, bias, device, dtype);
        }
    }
}

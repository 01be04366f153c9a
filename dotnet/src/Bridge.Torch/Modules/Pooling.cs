using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>The largest element of each window of [N, C, L] or [C, L].</summary>
    public sealed class MaxPool1d : PlainBuiltIn
    {
        internal MaxPool1d(long kernel_size, long? stride, long? padding, long? dilation, bool ceil_mode) : base(nameof(MaxPool1d)) =>
            (this.kernel_size, this.stride, this.padding, this.dilation, this.ceil_mode) = (kernel_size, stride ?? kernel_size, padding ?? 0, dilation ?? 1, ceil_mode);

        public long kernel_size { get; set => field = Publish(value); }

        public long? stride { get; set => field = Publish(value); }

        public long? padding { get; set => field = Publish(value); }

        public long? dilation { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        /// <summary>The largest elements, and where each is in the line.</summary>
        public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
            nn.functional.max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);

        private protected override Tensor Compute(Tensor input) => nn.functional.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode);
    }

    /// <summary>The mean of each window of [N, C, H, W] or [C, H, W].</summary>
    public sealed class AvgPool2d : PlainBuiltIn
    {
        internal AvgPool2d(long[] kernel_size, long[]? stride, long[]? padding, bool ceil_mode, bool count_include_pad, long? divisor_override) : base(nameof(AvgPool2d)) =>
            (this.kernel_size, this.stride, this.padding, this.ceil_mode, this.count_include_pad, this.divisor_override) =
            (kernel_size, stride ?? kernel_size, padding ?? [0, 0], ceil_mode, count_include_pad, divisor_override);

        public long[] kernel_size { get; set => field = Publish(value); }

        public long[] stride { get; set => field = Publish(value); }

        public long[] padding { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        public bool count_include_pad { get; set => field = Publish(value); }

        public long? divisor_override { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
    }

    /// <summary>The mean of each of as many windows as the result has elements.</summary>
    public sealed class AdaptiveAvgPool2d : PlainBuiltIn
    {
        internal AdaptiveAvgPool2d(long[] output_size) : base(nameof(AdaptiveAvgPool2d)) => this.output_size = output_size;

        public long[] output_size { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.adaptive_avg_pool2d(input, output_size);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static MaxPool1d MaxPool1d(long kernel_size, long? stride = null, long? padding = null, long? dilation = null, bool ceil_mode = false) =>
                new(kernel_size, stride, padding, dilation, ceil_mode);

            public static AvgPool2d AvgPool2d(long[] kernel_size, long[]? stride = null, long[]? padding = null, bool ceil_mode = false, bool count_include_pad = true, long? divisor_override = null) =>
                new(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);

            public static AvgPool2d AvgPool2d((long, long) kernel_size, (long, long)? stride = null, (long, long)? padding = null, bool ceil_mode = false, bool count_include_pad = true, long? divisor_override = null) =>
                new(Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), ceil_mode, count_include_pad, divisor_override);

            public static AvgPool2d AvgPool2d(long kernel_size, long? stride = null, long? padding = null, bool ceil_mode = false, bool count_include_pad = true, long? divisor_override = null) =>
                new(Sizes.Of(2, kernel_size), Sizes.Of(2, stride), Sizes.Of(2, padding), ceil_mode, count_include_pad, divisor_override);

            public static AdaptiveAvgPool2d AdaptiveAvgPool2d(long[] output_size) => new(output_size);

            public static AdaptiveAvgPool2d AdaptiveAvgPool2d((long, long) output_size) => new(Sizes.Of(output_size));

            public static AdaptiveAvgPool2d AdaptiveAvgPool2d(long output_size) => new([output_size, output_size]);

            public static partial class functional
            {
                public static Tensor max_pool1d(Tensor input, long kernel_size, long? stride = null, long? padding = null, long? dilation = null, bool ceil_mode = false) =>
                    MaxPool1d(input, [kernel_size], [stride ?? kernel_size], [padding ?? 0], [dilation ?? 1], ceil_mode);

                public static Tensor adaptive_avg_pool2d(Tensor input, (long, long) output_size) => adaptive_avg_pool2d(input, Sizes.Of(output_size));

                public static Tensor adaptive_avg_pool2d(Tensor input, long output_size) => adaptive_avg_pool2d(input, [output_size, output_size]);
            }
        }
    }
}

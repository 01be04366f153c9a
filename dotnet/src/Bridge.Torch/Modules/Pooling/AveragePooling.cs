using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>The mean of each window of [N, C, L] or [C, L].</summary>
    public sealed class AvgPool1d : PlainBuiltIn
    {
        internal AvgPool1d(long kernel_size, long? stride, long? padding, bool ceil_mode, bool count_include_pad)
            : base(nameof(AvgPool1d)) =>
            (this.kernel_size, this.stride, this.padding, this.ceil_mode, this.count_include_pad) =
                (kernel_size, stride, padding, ceil_mode, count_include_pad);

        public long kernel_size { get; set => field = Publish(value); }

        public long? stride { get; set => field = Publish(value); }

        public long? padding { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        public bool count_include_pad { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) =>
            nn.functional.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad);
    }

    /// <summary>The mean of each window of [N, C, H, W] or [C, H, W].</summary>
    public sealed class AvgPool2d : PlainBuiltIn
    {
        internal AvgPool2d(long[] kernel_size, long[]? stride, long[]? padding, bool ceil_mode, bool count_include_pad,
            long? divisor_override) : base(nameof(AvgPool2d)) =>
            (this.kernel_size, this.stride, this.padding, this.ceil_mode, this.count_include_pad, this.divisor_override) =
            (kernel_size, stride ?? kernel_size, padding ?? [0, 0], ceil_mode, count_include_pad, divisor_override);

        public long[] kernel_size { get; set => field = Publish(value); }

        public long[] stride { get; set => field = Publish(value); }

        public long[] padding { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        public bool count_include_pad { get; set => field = Publish(value); }

        public long? divisor_override { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) =>
            nn.functional.avg_pool2d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
    }

    /// <summary>The mean of each window of [N, C, D, H, W] or [C, D, H, W].</summary>
    public sealed class AvgPool3d : PlainBuiltIn
    {
        internal AvgPool3d(long[] kernel_size, long[]? stride, long[]? padding, bool ceil_mode, bool count_include_pad,
            long? divisor_override) : base(nameof(AvgPool3d)) =>
            (this.kernel_size, this.stride, this.padding, this.ceil_mode, this.count_include_pad, this.divisor_override) =
            (kernel_size, stride ?? kernel_size, padding ?? [0, 0, 0], ceil_mode, count_include_pad, divisor_override);

        public long[] kernel_size { get; set => field = Publish(value); }

        public long[] stride { get; set => field = Publish(value); }

        public long[] padding { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        public bool count_include_pad { get; set => field = Publish(value); }

        public long? divisor_override { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) =>
            nn.functional.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
    }

    /// <summary>The p-norm of each window of [N, C, L] or [C, L].</summary>
    public sealed class LPPool1d : PlainBuiltIn
    {
        internal LPPool1d(double norm_type, long kernel_size, long? stride, bool ceil_mode) : base(nameof(LPPool1d)) =>
            (this.norm_type, this.kernel_size, this.stride, this.ceil_mode) = (norm_type, kernel_size, stride, ceil_mode);

        public double norm_type { get; set => field = Publish(value); }

        public long kernel_size { get; set => field = Publish(value); }

        public long? stride { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input)
        {
            using var scope = NewDisposeScope();
            var means = nn.functional.avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode);
            return PoolingResults.NormOf(means, kernel_size, norm_type).MoveToOuterDisposeScope();
        }
    }

    /// <summary>The p-norm of each window of [N, C, H, W] or [C, H, W].</summary>
    public sealed class LPPool2d : PlainBuiltIn
    {
        internal LPPool2d(double norm_type, long[] kernel_size, long[]? stride, bool ceil_mode) : base(nameof(LPPool2d)) =>
            (this.norm_type, this.kernel_size, this.stride, this.ceil_mode, GivenStride) =
                (norm_type, kernel_size, stride ?? kernel_size, ceil_mode, stride);

        /// <summary>Gets the stride argument; null if it was omitted.</summary>
        internal long[]? GivenStride { get; }

        public double norm_type { get; set => field = Publish(value); }

        public long[] kernel_size { get; set => field = Publish(value); }

        public long[] stride { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input)
        {
            using var scope = NewDisposeScope();
            var means = nn.functional.avg_pool2d(input.pow(norm_type), kernel_size, stride, [0, 0], ceil_mode);
            return PoolingResults.NormOf(means, kernel_size[0] * kernel_size[1], norm_type).MoveToOuterDisposeScope();
        }
    }

    /// <summary>Conversions of pooling operators' results.</summary>
    internal static class PoolingResults
    {
        internal static Tensor ValuesOf((Tensor output, Tensor indices) found)
        {
            found.indices.Dispose();
            return found.output;
        }

        internal static Tensor NormOf(Tensor means, long count, double norm_type) =>
            means.sign().mul(means.abs().relu()).mul(count).pow(1.0 / norm_type);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static AvgPool1d AvgPool1d(long kernel_size, long? stride = null, long padding = 0, bool ceil_mode = false,
                bool count_include_pad = true) =>
                new(kernel_size, stride, padding, ceil_mode, count_include_pad);

            public static AvgPool2d AvgPool2d(long[] kernel_size, long[]? stride = null, long[]? padding = null, bool ceil_mode = false,
                bool count_include_pad = true, long? divisor_override = null) =>
                new(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);

            public static AvgPool2d AvgPool2d((long, long) kernel_size, (long, long)? stride = null, (long, long)? padding = null,
                bool ceil_mode = false, bool count_include_pad = true, long? divisor_override = null) =>
                new(Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), ceil_mode, count_include_pad, divisor_override);

            public static AvgPool2d AvgPool2d(long kernel_size, long? stride = null, long? padding = null, bool ceil_mode = false,
                bool count_include_pad = true, long? divisor_override = null) =>
                new(Sizes.Of(2, kernel_size), Sizes.Of(2, stride), Sizes.Of(2, padding), ceil_mode, count_include_pad, divisor_override);

            public static AvgPool3d AvgPool3d(long[] kernel_size, long[]? stride = null, long[]? padding = null, bool ceil_mode = false,
                bool count_include_pad = true, long? divisor_override = null) =>
                new(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);

            public static AvgPool3d AvgPool3d((long, long, long) kernel_size, (long, long, long)? stride = null,
                (long, long, long)? padding = null, bool ceil_mode = false, bool count_include_pad = true, long? divisor_override = null) =>
                new(Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), ceil_mode, count_include_pad, divisor_override);

            public static AvgPool3d AvgPool3d(long kernel_size, long? stride = null, long? padding = null, bool ceil_mode = false,
                bool count_include_pad = true, long? divisor_override = null) =>
                new(Sizes.Of(3, kernel_size), Sizes.Of(3, stride), Sizes.Of(3, padding), ceil_mode, count_include_pad, divisor_override);

            public static LPPool1d LPPool1d(double norm_type, long kernel_size, long? stride = null, bool ceil_mode = false) =>
                new(norm_type, kernel_size, stride, ceil_mode);

            public static LPPool2d LPPool2d(double norm_type, long[] kernel_size, long[]? stride = null, bool ceil_mode = false) =>
                new(norm_type, kernel_size, stride, ceil_mode);

            public static LPPool2d LPPool2d(double norm_type, long kernel_size, long? stride = null, bool ceil_mode = false) =>
                new(norm_type, Sizes.Of(2, kernel_size), Sizes.Of(2, stride), ceil_mode);
        }
    }
}

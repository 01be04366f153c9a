using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>The mean of each window of [N, C, L] or [C, L].</summary>
    public sealed class AvgPool1d : PlainBuiltIn
    {
        internal AvgPool1d(long kernel_size, long? stride, long? padding, bool ceil_mode, bool count_include_pad) : base(nameof(AvgPool1d)) =>
            (this.kernel_size, this.stride, this.padding, this.ceil_mode, this.count_include_pad) = (kernel_size, stride, padding, ceil_mode, count_include_pad);

        public long kernel_size { get; set => field = Publish(value); }

        public long? stride { get; set => field = Publish(value); }

        public long? padding { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        public bool count_include_pad { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad);
    }

    /// <summary>The mean of each window of [N, C, D, H, W] or [C, D, H, W].</summary>
    public sealed class AvgPool3d : PlainBuiltIn
    {
        internal AvgPool3d(long[] kernel_size, long[]? stride, long[]? padding, bool ceil_mode, bool count_include_pad, long? divisor_override) : base(nameof(AvgPool3d)) =>
            (this.kernel_size, this.stride, this.padding, this.ceil_mode, this.count_include_pad, this.divisor_override) =
            (kernel_size, stride ?? kernel_size, padding ?? [0, 0, 0], ceil_mode, count_include_pad, divisor_override);

        public long[] kernel_size { get; set => field = Publish(value); }

        public long[] stride { get; set => field = Publish(value); }

        public long[] padding { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        public bool count_include_pad { get; set => field = Publish(value); }

        public long? divisor_override { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.avg_pool3d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
    }

    /// <summary>The largest element of each window of [N, C, D, H, W] or [C, D, H, W].</summary>
    public sealed class MaxPool3d : PlainBuiltIn
    {
        internal MaxPool3d(long[] kernel_size, long[]? stride, long[]? padding, long[]? dilation, bool ceil_mode) : base(nameof(MaxPool3d)) =>
            (this.kernel_size, this.stride, this.padding, this.dilation, this.ceil_mode) = (kernel_size, stride ?? kernel_size, padding ?? [0, 0, 0], dilation ?? [1, 1, 1], ceil_mode);

        public long[] kernel_size { get; set => field = Publish(value); }

        public long[] stride { get; set => field = Publish(value); }

        public long[] padding { get; set => field = Publish(value); }

        public long[] dilation { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        /// <summary>The largest elements, and where each is in the volume.</summary>
        public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) => nn.functional.max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode);

        private protected override Tensor Compute(Tensor input) => nn.functional.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode);
    }

    /// <summary>The mean of each of as many windows as the result has elements, of [N, C, L] or [C, L].</summary>
    public sealed class AdaptiveAvgPool1d : PlainBuiltIn
    {
        internal AdaptiveAvgPool1d(long output_size) : base(nameof(AdaptiveAvgPool1d)) => this.output_size = output_size;

        public long output_size { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.adaptive_avg_pool1d(input, output_size);
    }

    /// <summary>The same of [N, C, D, H, W] or [C, D, H, W].</summary>
    public sealed class AdaptiveAvgPool3d : PlainBuiltIn
    {
        internal AdaptiveAvgPool3d(long[] output_size) : base(nameof(AdaptiveAvgPool3d)) => this.output_size = output_size;

        public long[] output_size { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.adaptive_avg_pool3d(input, output_size);
    }

    /// <summary>The largest element of each of as many windows as the result has elements, of [N, C, L] or [C, L].</summary>
    public sealed class AdaptiveMaxPool1d : PlainBuiltIn
    {
        internal AdaptiveMaxPool1d(long output_size) : base(nameof(AdaptiveMaxPool1d)) => this.output_size = output_size;

        public long output_size { get; set => field = Publish(value); }

        public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) => nn.functional.adaptive_max_pool1d_with_indices(input, output_size);

        private protected override Tensor Compute(Tensor input) => Largest.Of(forward_with_indices(input));
    }

    /// <summary>The same of [N, C, H, W] or [C, H, W].</summary>
    public sealed class AdaptiveMaxPool2d : PlainBuiltIn
    {
        internal AdaptiveMaxPool2d(long[] output_size) : base(nameof(AdaptiveMaxPool2d)) => this.output_size = output_size;

        public long[] output_size { get; set => field = Publish(value); }

        public (Tensor output, Tensor indices) forward_with_indices(Tensor input) => nn.functional.adaptive_max_pool2d_with_indices(input, output_size);

        private protected override Tensor Compute(Tensor input) => Largest.Of(forward_with_indices(input));
    }

    /// <summary>The same of [N, C, D, H, W] or [C, D, H, W].</summary>
    public sealed class AdaptiveMaxPool3d : PlainBuiltIn
    {
        internal AdaptiveMaxPool3d(long[] output_size) : base(nameof(AdaptiveMaxPool3d)) => this.output_size = output_size;

        public long[] output_size { get; set => field = Publish(value); }

        public (Tensor output, Tensor indices) forward_with_indices(Tensor input) => nn.functional.adaptive_max_pool3d_with_indices(input, output_size);

        private protected override Tensor Compute(Tensor input) => Largest.Of(forward_with_indices(input));
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
            return Largest.Norm(means, kernel_size, norm_type).MoveToOuterDisposeScope();
        }
    }

    /// <summary>The p-norm of each window of [N, C, H, W] or [C, H, W].</summary>
    public sealed class LPPool2d : PlainBuiltIn
    {
        internal LPPool2d(double norm_type, long[] kernel_size, long[]? stride, bool ceil_mode) : base(nameof(LPPool2d)) =>
            (this.norm_type, this.kernel_size, this.stride, this.ceil_mode, Given) = (norm_type, kernel_size, stride ?? kernel_size, ceil_mode, stride);

        /// <summary>The stride, if one was given.</summary>
        internal long[]? Given { get; }

        public double norm_type { get; set => field = Publish(value); }

        public long[] kernel_size { get; set => field = Publish(value); }

        public long[] stride { get; set => field = Publish(value); }

        public bool ceil_mode { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input)
        {
            using var scope = NewDisposeScope();
            var means = nn.functional.avg_pool2d(input.pow(norm_type), kernel_size, stride, [0, 0], ceil_mode);
            return Largest.Norm(means, kernel_size[0] * kernel_size[1], norm_type).MoveToOuterDisposeScope();
        }
    }

    internal static class Largest
    {
        internal static Tensor Of((Tensor output, Tensor indices) found)
        {
            found.indices.Dispose();
            return found.output;
        }

        internal static Tensor Norm(Tensor means, long count, double norm_type) => means.sign().mul(means.abs().relu()).mul(count).pow(1.0 / norm_type);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static AvgPool1d AvgPool1d(long kernel_size, long? stride = null, long padding = 0, bool ceil_mode = false, bool count_include_pad = true) =>
                new(kernel_size, stride, padding, ceil_mode, count_include_pad);

            public static AvgPool3d AvgPool3d(long[] kernel_size, long[]? stride = null, long[]? padding = null, bool ceil_mode = false, bool count_include_pad = true, long? divisor_override = null) =>
                new(kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);

            public static AvgPool3d AvgPool3d((long, long, long) kernel_size, (long, long, long)? stride = null, (long, long, long)? padding = null, bool ceil_mode = false, bool count_include_pad = true, long? divisor_override = null) =>
                new(Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), ceil_mode, count_include_pad, divisor_override);

            public static AvgPool3d AvgPool3d(long kernel_size, long? stride = null, long? padding = null, bool ceil_mode = false, bool count_include_pad = true, long? divisor_override = null) =>
                new(Sizes.Of(3, kernel_size), Sizes.Of(3, stride), Sizes.Of(3, padding), ceil_mode, count_include_pad, divisor_override);

            public static MaxPool3d MaxPool3d(long kernel_size, long? stride = null, long? padding = null, long? dilation = null, bool ceil_mode = false) =>
                new(Sizes.Of(3, kernel_size), Sizes.Of(3, stride), Sizes.Of(3, padding), Sizes.Of(3, dilation), ceil_mode);

            public static MaxPool3d MaxPool3d((long, long, long) kernel_size, (long, long, long)? stride = null, (long, long, long)? padding = null, (long, long, long)? dilation = null, bool ceil_mode = false) =>
                new(Sizes.Of(kernel_size), Sizes.Of(stride), Sizes.Of(padding), Sizes.Of(dilation), ceil_mode);

            public static MaxPool3d MaxPool3d(long[] kernel_size, long[]? stride = null, long[]? padding = null, long[]? dilation = null, bool ceil_mode = false) =>
                new(kernel_size, stride, padding, dilation, ceil_mode);

            public static AdaptiveAvgPool1d AdaptiveAvgPool1d(long output_size) => new(output_size);

            public static AdaptiveAvgPool3d AdaptiveAvgPool3d(long[] output_size) => new(output_size);

            public static AdaptiveAvgPool3d AdaptiveAvgPool3d((long, long, long) output_size) => new(Sizes.Of(output_size));

            public static AdaptiveAvgPool3d AdaptiveAvgPool3d(long output_size) => new(Sizes.Of(3, output_size));

            public static AdaptiveMaxPool1d AdaptiveMaxPool1d(long output_size) => new(output_size);

            public static AdaptiveMaxPool2d AdaptiveMaxPool2d(long[] output_size) => new(output_size);

            public static AdaptiveMaxPool3d AdaptiveMaxPool3d(long[] output_size) => new(output_size);

            public static LPPool1d LPPool1d(double norm_type, long kernel_size, long? stride = null, bool ceil_mode = false) => new(norm_type, kernel_size, stride, ceil_mode);

            public static LPPool2d LPPool2d(double norm_type, long[] kernel_size, long[]? stride = null, bool ceil_mode = false) => new(norm_type, kernel_size, stride, ceil_mode);

            public static LPPool2d LPPool2d(double norm_type, long kernel_size, long? stride = null, bool ceil_mode = false) =>
                new(norm_type, Sizes.Of(2, kernel_size), Sizes.Of(2, stride), ceil_mode);
        }
    }
}

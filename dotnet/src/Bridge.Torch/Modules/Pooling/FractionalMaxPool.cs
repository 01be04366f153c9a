using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>Max pooling of [N, C, H, W] or [C, H, W] over random windows; see <c>functional.fractional_max_pool2d</c>.</summary>
    public sealed class FractionalMaxPool2d : PlainBuiltIn
    {
        internal FractionalMaxPool2d(long[] kernel_size, long[]? output_size, double[]? output_ratio) : base(nameof(FractionalMaxPool2d)) =>
            (this.kernel_size, this.output_size, this.output_ratio) = (kernel_size, output_size, output_ratio);

        public long[] kernel_size { get; set => field = Publish(value); }

        public long[]? output_size { get; set => field = Publish(value); }

        public double[]? output_ratio { get; set => field = Publish(value); }

        public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
            nn.functional.fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio);

        private protected override Tensor Compute(Tensor input) =>
            nn.functional.fractional_max_pool2d(input, kernel_size, output_size, output_ratio);
    }

    /// <summary>Max pooling of [N, C, D, H, W] or [C, D, H, W] over random windows; see <c>functional.fractional_max_pool3d</c>.</summary>
    public sealed class FractionalMaxPool3d : PlainBuiltIn
    {
        internal FractionalMaxPool3d(long[] kernel_size, long[]? output_size, double[]? output_ratio) : base(nameof(FractionalMaxPool3d)) =>
            (this.kernel_size, this.output_size, this.output_ratio) = (kernel_size, output_size, output_ratio);

        public long[] kernel_size { get; set => field = Publish(value); }

        public long[]? output_size { get; set => field = Publish(value); }

        public double[]? output_ratio { get; set => field = Publish(value); }

        public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
            nn.functional.fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio);

        private protected override Tensor Compute(Tensor input) =>
            nn.functional.fractional_max_pool3d(input, kernel_size, output_size, output_ratio);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static FractionalMaxPool2d FractionalMaxPool2d(long kernel_size, long? output_size = null,
                double? output_ratio = null) =>
                FractionalMaxPool2d(Sizes.Of(2, kernel_size), Sizes.Of(2, output_size), output_ratio is { } ratio ? [ratio, ratio] : null);

            public static FractionalMaxPool2d FractionalMaxPool2d((long, long) kernel_size, (long, long)? output_size = null,
                (double, double)? output_ratio = null) =>
                FractionalMaxPool2d(Sizes.Of(kernel_size), Sizes.Of(output_size), output_ratio is var (height, width)
                    ? [height, width] : null);

            /// <exception cref="ArgumentException">Both <c>output_size</c> and <c>output_ratio</c> are given, or neither.</exception>
            public static FractionalMaxPool2d FractionalMaxPool2d(long[] kernel_size, long[]? output_size = null,
                double[]? output_ratio = null)
            {
                if (output_size is null == output_ratio is null)
                    throw new ArgumentException("FractionalMaxPool2d takes either output_size or output_ratio.");
                return new(kernel_size, output_size, output_ratio);
            }

            public static FractionalMaxPool3d FractionalMaxPool3d(long kernel_size, long? output_size = null,
                double? output_ratio = null) =>
                FractionalMaxPool3d(Sizes.Of(3, kernel_size), Sizes.Of(3, output_size), output_ratio is { } ratio
                    ? [ratio, ratio, ratio] : null);

            public static FractionalMaxPool3d FractionalMaxPool3d((long, long, long) kernel_size, (long, long, long)? output_size = null,
                (double, double, double)? output_ratio = null) =>
                FractionalMaxPool3d(Sizes.Of(kernel_size), Sizes.Of(output_size), output_ratio is var (depth, height, width)
                    ? [depth, height, width] : null);

            /// <exception cref="ArgumentException">Both <c>output_size</c> and <c>output_ratio</c> are given, or neither.</exception>
            public static FractionalMaxPool3d FractionalMaxPool3d(long[] kernel_size, long[]? output_size = null,
                double[]? output_ratio = null)
            {
                if (output_size is null == output_ratio is null)
                    throw new ArgumentException("FractionalMaxPool3d takes either output_size or output_ratio.");
                return new(kernel_size, output_size, output_ratio);
            }
        }
    }
}

using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>Average pooling of [N, C, L] or [C, L] to a given output size.</summary>
    public sealed class AdaptiveAvgPool1d : PlainBuiltIn
    {
        internal AdaptiveAvgPool1d(long output_size) : base(nameof(AdaptiveAvgPool1d)) => this.output_size = output_size;

        public long output_size { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.adaptive_avg_pool1d(input, output_size);
    }

    /// <summary>Average pooling of [N, C, H, W] or [C, H, W] to a given output size.</summary>
    public sealed class AdaptiveAvgPool2d : PlainBuiltIn
    {
        internal AdaptiveAvgPool2d(long[] output_size) : base(nameof(AdaptiveAvgPool2d)) => this.output_size = output_size;

        public long[] output_size { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.adaptive_avg_pool2d(input, output_size);
    }

    /// <summary>Average pooling of [N, C, D, H, W] or [C, D, H, W] to a given output size.</summary>
    public sealed class AdaptiveAvgPool3d : PlainBuiltIn
    {
        internal AdaptiveAvgPool3d(long[] output_size) : base(nameof(AdaptiveAvgPool3d)) => this.output_size = output_size;

        public long[] output_size { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.adaptive_avg_pool3d(input, output_size);
    }

    /// <summary>Max pooling of [N, C, L] or [C, L] to a given output size.</summary>
    public sealed class AdaptiveMaxPool1d : PlainBuiltIn
    {
        internal AdaptiveMaxPool1d(long output_size) : base(nameof(AdaptiveMaxPool1d)) => this.output_size = output_size;

        public long output_size { get; set => field = Publish(value); }

        public (Tensor Values, Tensor Indices) forward_with_indices(Tensor input) =>
            nn.functional.adaptive_max_pool1d_with_indices(input, output_size);

        private protected override Tensor Compute(Tensor input) => PoolingResults.ValuesOf(forward_with_indices(input));
    }

    /// <summary>Max pooling of [N, C, H, W] or [C, H, W] to a given output size.</summary>
    public sealed class AdaptiveMaxPool2d : PlainBuiltIn
    {
        internal AdaptiveMaxPool2d(long[] output_size) : base(nameof(AdaptiveMaxPool2d)) => this.output_size = output_size;

        public long[] output_size { get; set => field = Publish(value); }

        public (Tensor output, Tensor indices) forward_with_indices(Tensor input) =>
            nn.functional.adaptive_max_pool2d_with_indices(input, output_size);

        private protected override Tensor Compute(Tensor input) => PoolingResults.ValuesOf(forward_with_indices(input));
    }

    /// <summary>Max pooling of [N, C, D, H, W] or [C, D, H, W] to a given output size.</summary>
    public sealed class AdaptiveMaxPool3d : PlainBuiltIn
    {
        internal AdaptiveMaxPool3d(long[] output_size) : base(nameof(AdaptiveMaxPool3d)) => this.output_size = output_size;

        public long[] output_size { get; set => field = Publish(value); }

        public (Tensor output, Tensor indices) forward_with_indices(Tensor input) =>
            nn.functional.adaptive_max_pool3d_with_indices(input, output_size);

        private protected override Tensor Compute(Tensor input) => PoolingResults.ValuesOf(forward_with_indices(input));
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static AdaptiveAvgPool1d AdaptiveAvgPool1d(long output_size) => new(output_size);

            public static AdaptiveAvgPool2d AdaptiveAvgPool2d(long[] output_size) => new(output_size);

            public static AdaptiveAvgPool2d AdaptiveAvgPool2d((long, long) output_size) => new(Sizes.Of(output_size));

            public static AdaptiveAvgPool2d AdaptiveAvgPool2d(long output_size) => new([output_size, output_size]);

            public static AdaptiveAvgPool3d AdaptiveAvgPool3d(long[] output_size) => new(output_size);

            public static AdaptiveAvgPool3d AdaptiveAvgPool3d((long, long, long) output_size) => new(Sizes.Of(output_size));

            public static AdaptiveAvgPool3d AdaptiveAvgPool3d(long output_size) => new(Sizes.Of(3, output_size));

            public static AdaptiveMaxPool1d AdaptiveMaxPool1d(long output_size) => new(output_size);

            public static AdaptiveMaxPool2d AdaptiveMaxPool2d(long[] output_size) => new(output_size);

            public static AdaptiveMaxPool3d AdaptiveMaxPool3d(long[] output_size) => new(output_size);

            public partial class functional
            {
                public static Tensor adaptive_avg_pool2d(Tensor input, (long, long) output_size) =>
                    adaptive_avg_pool2d(input, Sizes.Of(output_size));

                public static Tensor adaptive_avg_pool2d(Tensor input, long output_size) =>
                    adaptive_avg_pool2d(input, [output_size, output_size]);
            }
        }
    }
}

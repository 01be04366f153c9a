using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>x1^T A x2 + b, over the last dimensions.</summary>
    public sealed class Bilinear : nn.Module<Tensor, Tensor, Tensor>
    {
        internal Bilinear(long in1_features, long in2_features, long out_features, bool hasBias, Device? device, ScalarType? dtype)
            : base(nameof(Bilinear))
        {
            MakesIntermediates = false;
            (this.in1_features, this.in2_features, this.out_features) = (in1_features, in2_features, out_features);
            var bound = 1 / Math.Sqrt(in1_features);
            weight = ParameterInitializers.Uniform([out_features, in1_features, in2_features], bound, device, dtype);
            if (hasBias) bias = ParameterInitializers.Uniform([out_features], bound, device, dtype);
        }

        public long in1_features { get; set => field = Publish(value); }

        public long in2_features { get; set => field = Publish(value); }

        public long out_features { get; set => field = Publish(value); }

        public Parameter weight { get; set => field = Put(value); }

        public Parameter? bias { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

        public override Tensor forward(Tensor input1, Tensor input2) =>
            RunsInPython ? ForwardInPython((input1, input2)) : nn.functional.bilinear(input1, input2, weight, bias);
    }

    /// <summary>The cosine similarity of two tensors along a dimension.</summary>
    public sealed class CosineSimilarity : ParameterLessModule<Tensor, Tensor, Tensor>
    {
        internal CosineSimilarity(long dim, double eps) : base(nameof(CosineSimilarity)) =>
            (MakesIntermediates, this.dim, this.eps) = (false, dim, eps);

        public long dim { get; set => field = Publish(value); }

        public double eps { get; set => field = Publish(value); }

        public override Tensor forward(Tensor input1, Tensor input2) =>
            RunsInPython ? ForwardInPython((input1, input2)) : nn.functional.cosine_similarity(input1, input2, dim, eps);
    }

    /// <summary>The p-norm of the difference of two tensors along the last dimension.</summary>
    public sealed class PairwiseDistance : ParameterLessModule<Tensor, Tensor, Tensor>
    {
        internal PairwiseDistance(double p, double eps, bool keepdim) : base(nameof(PairwiseDistance)) =>
            (MakesIntermediates, norm, this.eps, this.keepdim) = (false, p, eps, keepdim);

        public double norm { get; set => field = Publish(value); }

        public double eps { get; set => field = Publish(value); }

        public bool keepdim { get; set => field = Publish(value); }

        public override Tensor forward(Tensor input1, Tensor input2) =>
            RunsInPython ? ForwardInPython((input1, input2)) : nn.functional.pairwise_distance(input1, input2, norm, eps, keepdim);
    }

    /// <summary>
    /// A combination of sliding windows, [N, C * window size, windows], into images. Overlapping elements are added. The batch dimension is
    /// optional.
    /// </summary>
    public sealed class Fold : PlainBuiltIn
    {
        internal Fold((long, long) output_size, (long, long) kernel_size, (long, long) dilation, (long, long) padding, (long, long) stride)
            : base(nameof(Fold)) =>
            (this.output_size, this.kernel_size, this.dilation, this.padding, this.stride) =
                (output_size, kernel_size, dilation, padding, stride);

        public (long, long) output_size { get; set => field = Publish(value); }

        public (long, long) kernel_size { get; set => field = Publish(value); }

        public (long, long) dilation { get; set => field = Publish(value); }

        public (long, long) padding { get; set => field = Publish(value); }

        public (long, long) stride { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) =>
            nn.functional.fold(input, output_size, kernel_size, dilation, padding, stride);
    }

    /// <summary>The sliding windows of images, each as a column.</summary>
    public sealed class Unfold : PlainBuiltIn
    {
        internal Unfold((long, long) kernel_size, (long, long) dilation, (long, long) padding, (long, long) stride)
            : base(nameof(Unfold)) =>
            (this.kernel_size, this.dilation, this.padding, this.stride) = (kernel_size, dilation, padding, stride);

        public (long, long) kernel_size { get; set => field = Publish(value); }

        public (long, long) dilation { get; set => field = Publish(value); }

        public (long, long) padding { get; set => field = Publish(value); }

        public (long, long) stride { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.unfold(input, kernel_size, dilation, padding, stride);
    }

    /// <summary>A rearrangement of channels into pixels: [*, C * r * r, H, W] to [*, C, H * r, W * r].</summary>
    public sealed class PixelShuffle : PlainBuiltIn
    {
        internal PixelShuffle(long upscale_factor) : base(nameof(PixelShuffle)) => this.upscale_factor = upscale_factor;

        public long upscale_factor { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.pixel_shuffle(input, upscale_factor);
    }

    /// <summary>A rearrangement of pixels into channels: [*, C, H * r, W * r] to [*, C * r * r, H, W].</summary>
    public sealed class PixelUnshuffle : PlainBuiltIn
    {
        internal PixelUnshuffle(long downscale_factor) : base(nameof(PixelUnshuffle)) => this.downscale_factor = downscale_factor;

        public long downscale_factor { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.pixel_unshuffle(input, downscale_factor);
    }

    /// <summary>A permutation of channels that mixes their groups.</summary>
    public sealed class ChannelShuffle : PlainBuiltIn
    {
        internal ChannelShuffle(long groups) : base(nameof(ChannelShuffle)) => this.groups = groups;

        public long groups { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => input.channel_shuffle(groups);
    }

    /// <summary>A split of one dimension into several.</summary>
    public sealed class Unflatten : PlainBuiltIn
    {
        internal Unflatten(long dim, long[] unflattened_size) : base(nameof(Unflatten)) =>
            (this.dim, this.unflattened_size) = (dim, unflattened_size);

        public long dim { get; set => field = Publish(value); }

        public long[] unflattened_size { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => input.unflatten(dim, unflattened_size);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static Bilinear Bilinear(long in1_features, long in2_features, long out_features, bool hasBias = true,
                Device? device = null, ScalarType? dtype = null) =>
                new(in1_features, in2_features, out_features, hasBias, device, dtype);

            public static CosineSimilarity CosineSimilarity(long dim = 1, double eps = 1e-08) => new(dim, eps);

            public static PairwiseDistance PairwiseDistance(double p = 2.0, double eps = 1e-06, bool keepdim = false) =>
                new(p, eps, keepdim);

            public static Fold Fold(long output_size, long kernel_size, long dilation = 1, long padding = 0, long stride = 1) =>
                new((output_size, output_size), (kernel_size, kernel_size), (dilation, dilation), (padding, padding), (stride, stride));

            public static Fold Fold((long, long) output_size, (long, long) kernel_size, (long, long)? dilation = null,
                (long, long)? padding = null, (long, long)? stride = null) =>
                new(output_size, kernel_size, dilation ?? (1, 1), padding ?? (0, 0), stride ?? (1, 1));

            public static Unfold Unfold(long kernel_size, long dilation = 1, long padding = 0, long stride = 1) =>
                new((kernel_size, kernel_size), (dilation, dilation), (padding, padding), (stride, stride));

            public static Unfold Unfold((long, long) kernel_size, (long, long)? dilation = null, (long, long)? padding = null,
                (long, long)? stride = null) =>
                new(kernel_size, dilation ?? (1, 1), padding ?? (0, 0), stride ?? (1, 1));

            public static PixelShuffle PixelShuffle(long upscale_factor) => new(upscale_factor);

            public static PixelUnshuffle PixelUnshuffle(long downscale_factor) => new(downscale_factor);

            public static ChannelShuffle ChannelShuffle(long groups) => new(groups);

            public static Unflatten Unflatten(long dim, long[] unflattened_size) => new(dim, unflattened_size);
        }
    }
}

using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>
        /// Losses, folding, variants of dropout, instance norm and upsampling by the nearest element: methods that each call one operator
        /// (<see cref="AtenAttribute"/>), and methods that call those. The defaults are TorchSharp's, also where PyTorch has others: by
        /// default, the target of <c>kl_div</c> has log-probabilities.
        /// </summary>
        public partial class functional
        {
            [Aten("aten::binary_cross_entropy", "self=input, target, weight, reduction=(long)reduction")]
            public static partial Tensor binary_cross_entropy(Tensor input, Tensor target, Tensor? weight = null,
                Reduction reduction = Reduction.Mean);
            [Aten("aten::poisson_nll_loss", "input, target, log_input, full, eps, reduction=(long)reduction")]
            public static partial Tensor poisson_nll_loss(Tensor input, Tensor target, bool log_input = true, bool full = false,
                float eps = 1e-8f, Reduction reduction = Reduction.Mean);
            [Aten("aten::cosine_embedding_loss", "input1, input2, target, margin, reduction=(long)reduction")]
            public static partial Tensor cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, double margin = 0,
                Reduction reduction = Reduction.Mean);
            [Aten("aten::hinge_embedding_loss", "self=input, target, margin, reduction=(long)reduction")]
            public static partial Tensor hinge_embedding_loss(Tensor input, Tensor target, double margin = 0,
                Reduction reduction = Reduction.Mean);
            [Aten("aten::huber_loss", "self=input, target, reduction=(long)reduction, delta")]
            public static partial Tensor huber_loss(Tensor input, Tensor target, double delta = 1, Reduction reduction = Reduction.Mean);
            [Aten("aten::margin_ranking_loss", "input1, input2, target, margin, reduction=(long)reduction")]
            public static partial Tensor margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, double margin = 0,
                Reduction reduction = Reduction.Mean);
            [Aten("aten::multilabel_margin_loss", "self=input, target, reduction=(long)reduction")]
            public static partial Tensor multi_label_margin_loss(Tensor input, Tensor target, Reduction reduction = Reduction.Mean);
            [Aten("aten::multi_margin_loss", "self=input, target, p, margin, weight, reduction=(long)reduction")]
            private static partial Tensor MultiMargin(Tensor input, Tensor target, Scalar p, Scalar margin, Tensor? weight,
                Reduction reduction);
            [Aten("aten::kl_div", "self=input, target, reduction=(long)reduction, log_target")]
            public static partial Tensor kl_div(Tensor input, Tensor target, bool log_target = true, Reduction reduction = Reduction.Mean);
            [Aten("aten::soft_margin_loss", "self=input, target, reduction=(long)reduction")]
            public static partial Tensor soft_margin_loss(Tensor input, Tensor target, Reduction reduction = Reduction.Mean);
            [Aten("aten::triplet_margin_loss", "anchor, positive, negative, margin, p, eps, swap, reduction=(long)reduction")]
            public static partial Tensor triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, double margin = 1, long p = 2,
                double eps = 1e-6, bool swap = false, Reduction reduction = Reduction.Mean);
            [Aten("aten::im2col", "self=input, kernel_size, dilation, padding, stride")]
            private static partial Tensor Unfold(Tensor input, long[] kernel_size, long[] dilation, long[] padding, long[] stride);
            [Aten("aten::col2im", "self=input, output_size, kernel_size, dilation, padding, stride")]
            private static partial Tensor Fold(Tensor input, long[] output_size, long[] kernel_size, long[] dilation, long[] padding,
                long[] stride);
            [Aten("aten::instance_norm",
                "input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled=true")]
            public static partial Tensor instance_norm(Tensor input, Tensor? running_mean = null, Tensor? running_var = null,
                Tensor? weight = null, Tensor? bias = null, bool use_input_stats = true, double momentum = 0.1, double eps = 1e-5);
            [Aten("aten::alpha_dropout", "input, p, train=training")]
            private static partial Tensor AlphaDropout(Tensor input, double p, bool training);
            [Aten("aten::alpha_dropout_", "self=input, p, train=training")]
            private static partial Tensor AlphaDropoutInPlace(Tensor input, double p, bool training);
            [Aten("aten::feature_alpha_dropout", "input, p, train=training")]
            private static partial Tensor FeatureAlphaDropout(Tensor input, double p, bool training);
            [Aten("aten::feature_alpha_dropout_", "self=input, p, train=training")]
            private static partial Tensor FeatureAlphaDropoutInPlace(Tensor input, double p, bool training);

            public static Tensor multi_margin_loss(Tensor input, Tensor target, int p = 1, double margin = 1, Tensor? weight = null,
                Reduction reduction = Reduction.Mean) =>
                MultiMargin(input, target, p, margin, weight, reduction);

            public static Tensor alpha_dropout(Tensor input, double p = 0.5, bool training = false, bool inplace = false) =>
                inplace ? AlphaDropoutInPlace(input, p, training) : AlphaDropout(input, p, training);

            public static Tensor feature_alpha_dropout(Tensor input, double p = 0.5, bool training = false, bool inplace = false) =>
                inplace ? FeatureAlphaDropoutInPlace(input, p, training) : FeatureAlphaDropout(input, p, training);

            public static Tensor dropout3d(Tensor input, double p = 0.5, bool training = true, bool inplace = false) =>
                dropout2d(input, p, training, inplace);

            /// <summary>Returns sliding blocks of an image [N, C, H, W] as columns.</summary>
            public static Tensor unfold(Tensor input, long kernel_size, long dilation = 1, long padding = 0, long stride = 1) =>
                Unfold(input, Sizes.Of(2, kernel_size), Sizes.Of(2, dilation), Sizes.Of(2, padding), Sizes.Of(2, stride));

            public static Tensor unfold(Tensor input, (long, long) kernel_size, (long, long)? dilation = null, (long, long)? padding = null,
                (long, long)? stride = null) =>
                Unfold(input, Sizes.Of(kernel_size), Sizes.Of(dilation ?? (1, 1)), Sizes.Of(padding ?? (0, 0)), Sizes.Of(stride ?? (1, 1)));

            /// <summary>Sums overlapping blocks from <c>unfold</c> into an image.</summary>
            public static Tensor fold(Tensor input, long output_size, long kernel_size, long dilation = 1, long padding = 0,
                long stride = 1) =>
                Fold(input, Sizes.Of(2, output_size), Sizes.Of(2, kernel_size), Sizes.Of(2, dilation), Sizes.Of(2, padding),
                    Sizes.Of(2, stride));

            public static Tensor fold(Tensor input, (long, long) output_size, (long, long) kernel_size, (long, long)? dilation = null,
                (long, long)? padding = null, (long, long)? stride = null) =>
                Fold(input, Sizes.Of(output_size), Sizes.Of(kernel_size), Sizes.Of(dilation ?? (1, 1)), Sizes.Of(padding ?? (0, 0)),
                    Sizes.Of(stride ?? (1, 1)));

            public static Tensor upsample_nearest1d(Tensor input, long? outputSize, double? scaleFactor) =>
                Nearest1d(input, outputSize is { } size ? [size] : null, scaleFactor is { } factor ? [factor] : null);

            public static Tensor upsample_nearest2d(Tensor input, long[]? outputSizes = null, double[]? scaleFactors = null) =>
                Nearest2d(input, outputSizes, scaleFactors);

            public static Tensor upsample_nearest3d(Tensor input, long[]? outputSizes = null, double[]? scaleFactors = null) =>
                Nearest3d(input, outputSizes, scaleFactors);
        }
    }
}

using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>
        /// Other functions: methods that each call one operator (<see cref="AtenAttribute"/>), methods that call those, and methods that
        /// call the <c>forward</c> of a new module.
        /// </summary>
        public partial class functional
        {
            [Aten("aten::fractional_max_pool2d", "self=input, kernel_size, output_size, random_samples")]
            private static partial (Tensor, Tensor) Fractional2d(Tensor input, long[] kernel_size, long[] output_size,
                Tensor random_samples);
            [Aten("aten::fractional_max_pool3d", "self=input, kernel_size, output_size, random_samples")]
            private static partial (Tensor, Tensor) Fractional3d(Tensor input, long[] kernel_size, long[] output_size,
                Tensor random_samples);
            [Aten("aten::_adaptive_avg_pool3d_backward", "grad_output=gradOutput, self=originalInput")]
            private static partial Tensor AdaptiveAvgPool3dBackward(Tensor gradOutput, Tensor originalInput);
            [Aten("aten::avg_pool2d_backward",
                "grad_output=input, self=originalInput, kernel_size=kernel_sizes, stride=strides ?? [1], padding=paddings ?? [0], "
                + "ceil_mode, count_include_pad, divisor_override")]
            public static partial Tensor avg_pool2d_backward(Tensor input, Tensor originalInput, long[] kernel_sizes,
                long[]? strides = null, long[]? paddings = null, bool ceil_mode = false, bool count_include_pad = true,
                long? divisor_override = null);
            [Aten("aten::avg_pool3d_backward",
                "grad_output=input, self=originalInput, kernel_size=kernel_sizes, stride=strides ?? [1], padding=paddings ?? [0], "
                + "ceil_mode, count_include_pad, divisor_override")]
            public static partial Tensor avg_pool3d_backward(Tensor input, Tensor originalInput, long[] kernel_sizes,
                long[]? strides = null, long[]? paddings = null, bool ceil_mode = false, bool count_include_pad = true,
                long? divisor_override = null);
            [Aten("aten::upsample_nearest1d_backward", "grad_output, output_size, input_size, scales")]
            private static partial Tensor NearestBackward1d(Tensor grad_output, long[] output_size, long[] input_size, double? scales);
            [Aten("aten::upsample_nearest2d_backward", "grad_output, output_size, input_size, scales_h, scales_w")]
            private static partial Tensor NearestBackward2d(Tensor grad_output, long[] output_size, long[] input_size, double? scales_h,
                double? scales_w);
            [Aten("aten::upsample_nearest3d_backward", "grad_output, output_size, input_size, scales_d, scales_h, scales_w")]
            private static partial Tensor NearestBackward3d(Tensor grad_output, long[] output_size, long[] input_size, double? scales_d,
                double? scales_h, double? scales_w);

            public static Tensor rrelu(Tensor x, double lower = 0.125, double upper = 0.3333333333333333, bool inplace = false) =>
                inplace ? x.rrelu_(lower, upper).alias() : x.rrelu(lower, upper);

            public static Tensor dropout1d(Tensor input, double p = 0.5, bool training = true, bool inplace = false)
            {
                using var scope = NewDisposeScope();
                return dropout2d(input.unsqueeze(-1), p, training, inplace).squeeze(-1).MoveToOuterDisposeScope();
            }

            public static Tensor multilabel_soft_margin_loss(Tensor input, Tensor target, Tensor? weight = null,
                Reduction reduction = Reduction.Mean) =>
                new MultiLabelSoftMarginLoss(weight, reduction).forward(input, target);

            public static Tensor gaussian_nll_loss(Tensor input, Tensor target, Tensor variance, bool full = false, float eps = 1e-6f,
                Reduction reduction = Reduction.Mean) =>
                new GaussianNLLLoss(full, eps, reduction).forward(input, target, variance);

            public static Tensor triplet_margin_with_distance_loss(Tensor anchor, Tensor positive, Tensor negative,
                Func<Tensor, Tensor, Tensor>? distance = null, double margin = 1, bool swap = false,
                Reduction reduction = Reduction.Mean) =>
                new TripletMarginWithDistanceLoss(distance, margin, swap, reduction).forward(anchor, positive, negative);

            public static Tensor local_response_norm(Tensor input, long size, double alpha = 0.0001, double beta = 0.75, double k = 1) =>
                new LocalResponseNorm(size, alpha, beta, k).forward(input);

            public static Tensor lp_pool1d(Tensor input, double norm_type, long kernel_size, long? stride = null, bool ceil_mode = false) =>
                new LPPool1d(norm_type, kernel_size, stride, ceil_mode).forward(input);

            public static Tensor lp_pool2d(Tensor input, double norm_type, long[] kernel_size, long[]? stride = null,
                bool ceil_mode = false) =>
                new LPPool2d(norm_type, kernel_size, stride, ceil_mode).forward(input);

            public static Tensor lp_pool2d(Tensor input, double norm_type, long kernel_size, long? stride = null, bool ceil_mode = false) =>
                lp_pool2d(input, norm_type, Sizes.Of(2, kernel_size), Sizes.Of(2, stride), ceil_mode);

            public static Tensor max_unpool1d(Tensor input, Tensor indices, long kernel_size, long? stride = null, long? padding = null,
                long[]? output_size = null) =>
                new MaxUnpool1d(kernel_size, stride, padding).forward(input, indices, output_size);

            public static Tensor max_unpool2d(Tensor input, Tensor indices, long[] kernel_size, long[]? stride = null,
                long[]? padding = null, long[]? output_size = null) =>
                new MaxUnpool2d(kernel_size, stride, padding).forward(input, indices, output_size);

            public static Tensor max_unpool3d(Tensor input, Tensor indices, long[] kernel_size, long[]? stride = null,
                long[]? padding = null, long[]? output_size = null) =>
                new MaxUnpool3d(kernel_size, stride, padding).forward(input, indices, output_size);

            /// <summary>Computes the gradient and also writes it to <paramref name="gradInput"/>.</summary>
            public static Tensor adaptive_avg_pool3d_backward(Tensor gradInput, Tensor gradOutput, Tensor originalInput)
            {
                using var found = AdaptiveAvgPool3dBackward(gradOutput, originalInput);
                return gradInput.copy_(found).alias();
            }

            public static Tensor upsample(Tensor input, long[]? size = null, double[]? scale_factor = null,
                UpsampleMode mode = UpsampleMode.Nearest, bool align_corners = false) =>
                interpolate(input, size, scale_factor, (InterpolationMode)mode, Corners(mode, align_corners));

            public static Tensor upsample_bilinear(Tensor x, long[]? size = null, double[]? scale_factor = null,
                bool align_corners = false) =>
                upsample(x, size, scale_factor, UpsampleMode.Bilinear, align_corners);

            public static Tensor upsample_nearest(Tensor x, long[]? size = null, double[]? scale_factor = null,
                bool align_corners = false) =>
                upsample(x, size, scale_factor, UpsampleMode.Nearest, align_corners);

            /// <param name="grad_output">[N, C, L'], the gradient of the result.</param>
            /// <param name="outputSize">L'; null if a factor is given.</param>
            /// <param name="inputSize">L.</param>
            /// <param name="scaleFactor">The factor of <c>upsample_nearest1d</c>.</param>
            public static Tensor upsample_nearest1d_backward(Tensor grad_output, long? outputSize, long inputSize, double? scaleFactor) =>
                NearestBackward1d(grad_output, [outputSize ?? grad_output.size(2)], [grad_output.size(0), grad_output.size(1), inputSize],
                    scaleFactor);

            /// <param name="grad_output">[N, C, H', W'], the gradient of the result.</param>
            /// <param name="inputSizes">[N, C, H, W].</param>
            /// <param name="outputSizes">[H', W'].</param>
            /// <param name="scaleFactors">The factors of <c>upsample_nearest2d</c>.</param>
            public static Tensor upsample_nearest2d_backward(Tensor grad_output, long[] inputSizes, long[]? outputSizes = null,
                double[]? scaleFactors = null) =>
                NearestBackward2d(grad_output, outputSizes ?? grad_output.Sizes[2..], inputSizes, scaleFactors?[0], scaleFactors?[1]);

            public static Tensor upsample_nearest3d_backward(Tensor grad_output, long[] inputSizes, long[]? outputSizes = null,
                double[]? scaleFactors = null) =>
                NearestBackward3d(grad_output, outputSizes
                    ?? grad_output.Sizes[2..], inputSizes, scaleFactors?[0], scaleFactors?[1], scaleFactors?[2]);

            public static Tensor fractional_max_pool2d(Tensor input, long kernel_size, long? output_size = null,
                double? output_ratio = null) =>
                fractional_max_pool2d(input, Sizes.Of(2, kernel_size), Sizes.Of(2, output_size), Ratio(2, output_ratio));

            public static Tensor fractional_max_pool2d(Tensor input, (long, long) kernel_size, (long, long)? output_size = null,
                (double, double)? output_ratio = null) =>
                fractional_max_pool2d(input, Sizes.Of(kernel_size), Sizes.Of(output_size), output_ratio is var (height, width)
                    ? [height, width] : null);

            public static Tensor fractional_max_pool2d(Tensor input, long[] kernel_size, long[]? output_size = null,
                double[]? output_ratio = null) =>
                Values(fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio));

            public static (Tensor Values, Tensor Indices) fractional_max_pool2d_with_indices(Tensor input, long kernel_size,
                long? output_size = null, double? output_ratio = null) =>
                fractional_max_pool2d_with_indices(input, Sizes.Of(2, kernel_size), Sizes.Of(2, output_size), Ratio(2, output_ratio));

            public static (Tensor Values, Tensor Indices) fractional_max_pool2d_with_indices(Tensor input, (long, long) kernel_size,
                (long, long)? output_size = null, (double, double)? output_ratio = null) =>
                fractional_max_pool2d_with_indices(input, Sizes.Of(kernel_size), Sizes.Of(output_size), output_ratio is var (height, width)
                    ? [height, width] : null);

            public static (Tensor Values, Tensor Indices) fractional_max_pool2d_with_indices(Tensor input, long[] kernel_size,
                long[]? output_size = null, double[]? output_ratio = null)
            {
                using var samples = Samples(input, 2);
                return Fractional2d(input, kernel_size, PooledSize(input, 2, output_size, output_ratio), samples);
            }

            public static Tensor fractional_max_pool3d(Tensor input, long kernel_size, long? output_size = null,
                double? output_ratio = null) =>
                fractional_max_pool3d(input, Sizes.Of(3, kernel_size), Sizes.Of(3, output_size), Ratio(3, output_ratio));

            public static Tensor fractional_max_pool3d(Tensor input, (long, long, long) kernel_size, (long, long, long)? output_size = null,
                (double, double, double)? output_ratio = null) =>
                fractional_max_pool3d(input, Sizes.Of(kernel_size), Sizes.Of(output_size), output_ratio is var (depth, height, width)
                    ? [depth, height, width] : null);

            public static Tensor fractional_max_pool3d(Tensor input, long[] kernel_size, long[]? output_size = null,
                double[]? output_ratio = null) =>
                Values(fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio));

            public static (Tensor Values, Tensor Indices) fractional_max_pool3d_with_indices(Tensor input, long kernel_size,
                long? output_size = null, double? output_ratio = null) =>
                fractional_max_pool3d_with_indices(input, Sizes.Of(3, kernel_size), Sizes.Of(3, output_size), Ratio(3, output_ratio));

            public static (Tensor Values, Tensor Indices) fractional_max_pool3d_with_indices(Tensor input, (long, long, long) kernel_size,
                (long, long, long)? output_size = null, (double, double, double)? output_ratio = null) =>
                fractional_max_pool3d_with_indices(input, Sizes.Of(kernel_size), Sizes.Of(output_size),
                    output_ratio is var (depth, height, width) ? [depth, height, width] : null);

            public static (Tensor Values, Tensor Indices) fractional_max_pool3d_with_indices(Tensor input, long[] kernel_size,
                long[]? output_size = null, double[]? output_ratio = null)
            {
                using var samples = Samples(input, 3);
                return Fractional3d(input, kernel_size, PooledSize(input, 3, output_size, output_ratio), samples);
            }

            // PyTorch refuses align_corners for the mode Nearest.
            private static bool? Corners(UpsampleMode mode, bool align_corners) =>
                mode == UpsampleMode.Nearest && !align_corners ? null : align_corners;

            private static double[]? Ratio(int dimensions, double? ratio) =>
                ratio is { } given ? [.. Enumerable.Repeat(given, dimensions)] : null;

            /// <summary>Draws the random window positions for each image and channel, as PyTorch does.</summary>
            private static Tensor Samples(Tensor input, int dimensions)
            {
                var batch = input.dim() == dimensions + 1 ? 1 : input.size(0);
                return rand([batch, input.size(-dimensions - 1), dimensions], input.dtype, input.device);
            }

            /// <exception cref="ArgumentException">Not exactly one of size and ratio is given, or its length is wrong.</exception>
            private static long[] PooledSize(Tensor input, int dimensions, long[]? size, double[]? ratio)
            {
                if (size is null == ratio is null)
                    throw new ArgumentException($"fractional_max_pool{dimensions}d takes either output_size or output_ratio.");
                if ((size?.Length ?? ratio!.Length) != dimensions)
                    throw new ArgumentException(
                        $"fractional_max_pool{dimensions}d: {(size is null ? "output_ratio" : "output_size")} must have {dimensions} "
                        + "numbers.");
                return size ?? [.. ratio!.Select((part, at) => (long)(input.size(at - dimensions) * part))];
            }
        }
    }
}

using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>How <c>grid_sample</c> interpolates.</summary>
    public enum GridSampleMode
    {
        Nearest = 0,
        Bilinear = 2,
    }

    /// <summary>The values outside of the input of <c>grid_sample</c>.</summary>
    public enum GridSamplePaddingMode
    {
        Zeros = 0,
        Reflection = 1,
        Border = 2,
    }

    public static partial class nn
    {
        /// <summary>
        /// Transposed convolutions, similarities, the bilinear map, losses, grid sampling, pixel shuffles and an overload of <c>pad</c>:
        /// methods that each call one operator (<see cref="AtenAttribute"/>), and methods that call those.
        /// </summary>
        public partial class functional
        {
            [Aten("aten::conv_transpose1d", "input, weight, bias, stride, padding, output_padding, groups, dilation")]
            internal static partial Tensor ConvTranspose1d(Tensor input, Tensor weight, Tensor? bias, long[] stride, long[] padding,
                long[] output_padding, long groups, long[] dilation);
            [Aten("aten::conv_transpose3d.input",
                "input, weight, bias, stride=strides ?? [1, 1, 1], padding=padding ?? [0, 0, 0], output_padding=output_padding ?? [0, 0, "
                + "0], groups, dilation=dilation ?? [1, 1, 1]")]
            public static partial Tensor conv_transpose3d(Tensor input, Tensor weight, Tensor? bias = null, long[]? strides = null,
                long[]? padding = null, long[]? output_padding = null, long[]? dilation = null, long groups = 1);
            [Aten("aten::cosine_similarity", "x1, x2, dim, eps")]
            public static partial Tensor cosine_similarity(Tensor x1, Tensor x2, long dim = 1, double eps = 1e-8);
            [Aten("aten::pairwise_distance", "x1=input1, x2=input2, p, eps, keepdim")]
            public static partial Tensor pairwise_distance(Tensor input1, Tensor input2, double p = 2.0, double eps = 1e-6,
                bool keepdim = false);
            [Aten("aten::bilinear", "input1, input2, weight, bias")]
            public static partial Tensor bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias = null);
            [Aten("aten::smooth_l1_loss", "self=input, target, reduction=(long)reduction, beta")]
            public static partial Tensor smooth_l1_loss(Tensor input, Tensor target, Reduction reduction = Reduction.Mean, double beta = 1);
            [Aten("aten::ctc_loss.Tensor",
                "log_probs, targets, input_lengths, target_lengths, blank, reduction=(long)reduction, zero_infinity")]
            public static partial Tensor ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths,
                long blank = 0, bool zero_infinity = false, Reduction reduction = Reduction.Mean);
            [Aten("aten::grid_sampler", "input, grid, interpolation_mode, padding_mode, align_corners")]
            private static partial Tensor GridSampler(Tensor input, Tensor grid, long interpolation_mode, long padding_mode,
                bool align_corners);
            [Aten("aten::affine_grid_generator", "theta, size, align_corners")]
            private static partial Tensor AffineGrid(Tensor theta, long[] size, bool align_corners);
            [Aten("aten::pixel_shuffle", "self=input, upscale_factor")]
            public static partial Tensor pixel_shuffle(Tensor input, long upscale_factor);
            [Aten("aten::pixel_unshuffle", "self=input, downscale_factor")]
            public static partial Tensor pixel_unshuffle(Tensor input, long downscale_factor);

            public static Tensor conv_transpose1d(Tensor input, Tensor weight, Tensor? bias = null, long? stride = null,
                long? padding = null, long? output_padding = null, long? dilation = null, long groups = 1) =>
                ConvTranspose1d(input, weight, bias, [stride ?? 1], [padding ?? 0], [output_padding ?? 0], groups, [dilation ?? 1]);

            public static Tensor pad(Tensor input, ReadOnlySpan<long> pad, PaddingModes mode = PaddingModes.Constant, double value = 0) =>
                functional.pad(input, pad.ToArray(), mode, value);

            /// <summary>Samples an input [N, C, H, W] at grid points [N, H', W', 2] with coordinates from -1 to 1.</summary>
            public static Tensor grid_sample(Tensor input, Tensor grid, GridSampleMode mode = GridSampleMode.Bilinear,
                GridSamplePaddingMode padding_mode = GridSamplePaddingMode.Zeros, bool? align_corners = null) =>
                GridSampler(input, grid, mode == GridSampleMode.Nearest ? 1 : 0,
                    padding_mode switch { GridSamplePaddingMode.Reflection => 2, GridSamplePaddingMode.Border => 1, _ => 0 }, align_corners
                        ?? false);

            /// <summary>Returns the grid of <c>grid_sample</c> for matrices [N, 2, 3] or [N, 3, 4].</summary>
            public static Tensor affine_grid(Tensor theta, long[]? size = null, bool align_corners = false) =>
                AffineGrid(theta, size ?? throw new ArgumentNullException(nameof(size)), align_corners);
        }
    }
}

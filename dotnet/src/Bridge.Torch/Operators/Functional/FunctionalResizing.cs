using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>The methods by which <c>interpolate</c> computes values between elements.</summary>
    public enum InterpolationMode
    {
        /// <summary>The nearest element, with PyTorch's first rounding of indices.</summary>
        Nearest = 0,

        /// <summary>Linear, for signals.</summary>
        Linear = 1,

        /// <summary>Linear in two dimensions, for images.</summary>
        Bilinear = 2,

        /// <summary>Cubic in two dimensions, for images.</summary>
        Bicubic = 3,

        /// <summary>Linear in three dimensions, for volumes.</summary>
        Trilinear = 4,

        /// <summary>The mean of the area of the input that an element of the result covers.</summary>
        Area = 5,

        /// <summary>The nearest element, with the rounding of indices of other libraries.</summary>
        NearestExact = 6,
    }

    /// <summary>The methods by which <c>grid_sample</c> interpolates.</summary>
    public enum GridSampleMode
    {
        /// <summary>It takes the nearest element.</summary>
        Nearest = 0,

        /// <summary>It interpolates linearly in each dimension.</summary>
        Bilinear = 2,
    }

    /// <summary>The values outside of the input of <c>grid_sample</c>.</summary>
    public enum GridSamplePaddingMode
    {
        /// <summary>Zeros.</summary>
        Zeros = 0,

        /// <summary>The input, reflected at its border.</summary>
        Reflection = 1,

        /// <summary>The nearest elements of the border.</summary>
        Border = 2,
    }

    public static partial class nn
    {
        public partial class functional
        {
            [Aten("aten::upsample_nearest1d.vec", "input, output_size=size, scale_factors=factors")]
            private static partial Tensor Nearest1d(Tensor input, long[]? size, double[]? factors);
            [Aten("aten::upsample_linear1d.vec", "input, output_size=size, align_corners=corners, scale_factors=factors")]
            private static partial Tensor Linear(Tensor input, long[]? size, bool corners, double[]? factors);
            [Aten("aten::upsample_bilinear2d.vec", "input, output_size=size, align_corners=corners, scale_factors=factors")]
            private static partial Tensor Bilinear(Tensor input, long[]? size, bool corners, double[]? factors);
            [Aten("aten::upsample_bicubic2d.vec", "input, output_size=size, align_corners=corners, scale_factors=factors")]
            private static partial Tensor Bicubic(Tensor input, long[]? size, bool corners, double[]? factors);
            [Aten("aten::upsample_trilinear3d.vec", "input, output_size=size, align_corners=corners, scale_factors=factors")]
            private static partial Tensor Trilinear(Tensor input, long[]? size, bool corners, double[]? factors);

            [Aten("aten::_upsample_nearest_exact1d.vec", "input, output_size=size, scale_factors=factors")]
            private static partial Tensor Exact1d(Tensor input, long[]? size, double[]? factors);
            [Aten("aten::_upsample_nearest_exact2d.vec", "input, output_size=size, scale_factors=factors")]
            private static partial Tensor Exact2d(Tensor input, long[]? size, double[]? factors);
            [Aten("aten::_upsample_nearest_exact3d.vec", "input, output_size=size, scale_factors=factors")]
            private static partial Tensor Exact3d(Tensor input, long[]? size, double[]? factors);
            [Aten("aten::_upsample_bilinear2d_aa.vec", "input, output_size=size, align_corners=corners, scale_factors=factors")]
            private static partial Tensor BilinearSmooth(Tensor input, long[]? size, bool corners, double[]? factors);
            [Aten("aten::_upsample_bicubic2d_aa.vec", "input, output_size=size, align_corners=corners, scale_factors=factors")]
            private static partial Tensor BicubicSmooth(Tensor input, long[]? size, bool corners, double[]? factors);
            [Aten("aten::upsample_nearest1d_backward", "grad_output, output_size, input_size, scales")]
            private static partial Tensor NearestBackward1d(Tensor grad_output, long[] output_size, long[] input_size, double? scales);
            [Aten("aten::upsample_nearest2d_backward", "grad_output, output_size, input_size, scales_h, scales_w")]
            private static partial Tensor NearestBackward2d(Tensor grad_output, long[] output_size, long[] input_size, double? scales_h,
                double? scales_w);
            [Aten("aten::upsample_nearest3d_backward", "grad_output, output_size, input_size, scales_d, scales_h, scales_w")]
            private static partial Tensor NearestBackward3d(Tensor grad_output, long[] output_size, long[] input_size, double? scales_d,
                double? scales_h, double? scales_w);
            [Aten("aten::grid_sampler", "input, grid, interpolation_mode, padding_mode, align_corners")]
            private static partial Tensor GridSampler(Tensor input, Tensor grid, long interpolation_mode, long padding_mode,
                bool align_corners);
            [Aten("aten::affine_grid_generator", "theta, size, align_corners")]
            private static partial Tensor AffineGrid(Tensor theta, long[] size, bool align_corners);

            /// <summary>Resizes signals, images or volumes to a given size, or by given factors.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html">
            /// torch.nn.functional.interpolate</see>.
            /// </remarks>
            /// <param name="x">The input, of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W).</param>
            /// <param name="size">The sizes of the result's last dimensions; one number stands for all. Null if factors are given.</param>
            /// <param name="scale_factor">The factors of the sizes; one number stands for all. Null if sizes are given.</param>
            /// <param name="mode">
            /// How values between elements are computed: Linear for signals, Bilinear and Bicubic for images, Trilinear for volumes.
            /// </param>
            /// <param name="align_corners">Whether the corner elements keep their places; null for modes without interpolation.</param>
            /// <param name="recompute_scale_factor">Whether positions follow from the rounded sizes rather than from the factors.</param>
            /// <param name="antialias">Whether shrinking averages over more elements; for Bilinear and Bicubic.</param>
            /// <returns>The result, of shape (N, C, L'), (N, C, H', W') or (N, C, D', H', W').</returns>
            /// <exception cref="ArgumentException">
            /// Not exactly one of size and scale_factor is given, align_corners is given for a mode without it, or recompute_scale_factor
            /// is true beside a size.
            /// </exception>
            /// <exception cref="NotSupportedException">The mode does not support the number of dimensions, or antialias.</exception>
            public static Tensor interpolate(Tensor x, long[]? size = null, double[]? scale_factor = null,
                InterpolationMode mode = InterpolationMode.Nearest, bool? align_corners = null,
                bool recompute_scale_factor = false, bool antialias = false)
            {
                if (align_corners is not null
                    && mode is (InterpolationMode.Nearest or InterpolationMode.NearestExact or InterpolationMode.Area))
                    throw new ArgumentException(
                        "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear");
                if (size is not null && scale_factor is not null)
                    throw new ArgumentException("only one of size or scale_factor should be defined");
                if (size is null && scale_factor is null) throw new ArgumentException("either size or scale_factor should be defined");
                if (recompute_scale_factor && size is not null)
                    throw new ArgumentException("recompute_scale_factor is not meaningful with an explicit size.");
                var spatial = (int)x.dim() - 2;
                if (scale_factor is { Length: 1 } && spatial > 1) scale_factor = Enumerable.Repeat(scale_factor[0], spatial).ToArray();
                if (size is { Length: 1 } && spatial > 1) size = Enumerable.Repeat(size[0], spatial).ToArray();
                if (recompute_scale_factor && scale_factor is not null)
                    (size, scale_factor) = (scale_factor.Select((factor, at) => (long)Math.Floor(x.size(at + 2) * factor)).ToArray(), null);
                var corners = align_corners ?? false;
                if (antialias && (spatial != 2 || mode is not (InterpolationMode.Bilinear or InterpolationMode.Bicubic)))
                    throw new NotSupportedException(
                        $"interpolate: antialias works with Bilinear and Bicubic on 4 dimensions, not with {mode} on {x.dim()}.");
                if (mode == InterpolationMode.Area)
                    size ??= [.. Enumerable.Range(0, spatial).Select(at => (long)Math.Floor(x.size(at + 2) * scale_factor![at]))];
                return (mode, spatial) switch
                {
                    (InterpolationMode.Bilinear, 2) when antialias => BilinearSmooth(x, size, corners, scale_factor),
                    (InterpolationMode.Bicubic, 2) when antialias => BicubicSmooth(x, size, corners, scale_factor),
                    (InterpolationMode.Area, 1) => adaptive_avg_pool1d(x, size![0]),
                    (InterpolationMode.Area, 2) => adaptive_avg_pool2d(x, size!),
                    (InterpolationMode.Area, 3) => adaptive_avg_pool3d(x, size!),
                    (InterpolationMode.NearestExact, 1) => Exact1d(x, size, scale_factor),
                    (InterpolationMode.NearestExact, 2) => Exact2d(x, size, scale_factor),
                    (InterpolationMode.NearestExact, 3) => Exact3d(x, size, scale_factor),
                    (InterpolationMode.Nearest, 1) => Nearest1d(x, size, scale_factor),
                    (InterpolationMode.Nearest, 2) => upsample_nearest2d(x, size, scale_factor),
                    (InterpolationMode.Nearest, 3) => upsample_nearest3d(x, size, scale_factor),
                    (InterpolationMode.Linear, 1) => Linear(x, size, corners, scale_factor),
                    (InterpolationMode.Bilinear, 2) => Bilinear(x, size, corners, scale_factor),
                    (InterpolationMode.Bicubic, 2) => Bicubic(x, size, corners, scale_factor),
                    (InterpolationMode.Trilinear, 3) => Trilinear(x, size, corners, scale_factor),
                    _ => throw new NotSupportedException(
                        $"interpolate: {mode} is not supported for a tensor with {Phrases.Plural(x.dim(), "dimension")}."),
                };
            }

            /// <summary>Resizes the signals <paramref name="input"/> by repeating the nearest element.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html">
            /// torch.nn.functional.interpolate</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, L).</param>
            /// <param name="outputSize">The size of the result's last dimension; null if a factor is given.</param>
            /// <param name="scaleFactor">The factor of that size; null if the size is given.</param>
            /// <returns>The result, of shape (N, C, L').</returns>
            public static Tensor upsample_nearest1d(Tensor input, long? outputSize, double? scaleFactor) =>
                Nearest1d(input, Sizes.Of(1, outputSize), Sizes.Of(1, scaleFactor));

            /// <summary>Resizes signals, images or volumes, by the mode that <c>nn.Upsample</c> has.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.upsample.html">
            /// torch.nn.functional.upsample</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W).</param>
            /// <param name="size">The sizes of the result's last dimensions; null if factors are given.</param>
            /// <param name="scale_factor">The factors of the sizes; null if sizes are given.</param>
            /// <param name="mode">How values between the elements are computed.</param>
            /// <param name="align_corners">Whether the corner elements keep their places at the corners; not for the mode Nearest.</param>
            /// <returns>The result, of shape (N, C, L'), (N, C, H', W') or (N, C, D', H', W').</returns>
            public static Tensor upsample(Tensor input, long[]? size = null, double[]? scale_factor = null,
                UpsampleMode mode = UpsampleMode.Nearest, bool align_corners = false) =>
                interpolate(input, size, scale_factor, (InterpolationMode)mode, Corners(mode, align_corners));

            /// <summary>Resizes images by linear interpolation in both dimensions.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.upsample_bilinear.html">
            /// torch.nn.functional.upsample_bilinear</see>.
            /// </remarks>
            /// <param name="x">The images, of shape (N, C, H, W).</param>
            /// <param name="size">The height and the width of the result; null if factors are given.</param>
            /// <param name="scale_factor">The factors of height and width; null if sizes are given.</param>
            /// <param name="align_corners">Whether the corner elements keep their places at the corners.</param>
            /// <returns>The images, of shape (N, C, H', W').</returns>
            public static Tensor upsample_bilinear(Tensor x, long[]? size = null, double[]? scale_factor = null,
                bool align_corners = false) =>
                upsample(x, size, scale_factor, UpsampleMode.Bilinear, align_corners);

            /// <summary>Resizes signals, images or volumes by repeating the nearest element.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.upsample_nearest.html">
            /// torch.nn.functional.upsample_nearest</see>.
            /// </remarks>
            /// <param name="x">The input, of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W).</param>
            /// <param name="size">The sizes of the result's last dimensions; null if factors are given.</param>
            /// <param name="scale_factor">The factors of the sizes; null if sizes are given.</param>
            /// <param name="align_corners">False; PyTorch refuses true.</param>
            /// <returns>The result, of shape (N, C, L'), (N, C, H', W') or (N, C, D', H', W').</returns>
            public static Tensor upsample_nearest(Tensor x, long[]? size = null, double[]? scale_factor = null,
                bool align_corners = false) =>
                upsample(x, size, scale_factor, UpsampleMode.Nearest, align_corners);

            /// <summary>Computes the gradient of <c>upsample_nearest1d</c> for its input.</summary>
            /// <param name="grad_output">The gradient of the result, of shape (N, C, L').</param>
            /// <param name="outputSize">L'; null if a factor is given.</param>
            /// <param name="inputSize">L.</param>
            /// <param name="scaleFactor">The factor of <c>upsample_nearest1d</c>.</param>
            /// <returns>The gradient, of shape (N, C, L).</returns>
            public static Tensor upsample_nearest1d_backward(Tensor grad_output, long? outputSize, long inputSize, double? scaleFactor) =>
                NearestBackward1d(grad_output, [outputSize ?? grad_output.size(2)], [grad_output.size(0), grad_output.size(1), inputSize],
                    scaleFactor);

            /// <summary>Computes the gradient of <c>upsample_nearest2d</c> for its input.</summary>
            /// <param name="grad_output">The gradient of the result, of shape (N, C, H', W').</param>
            /// <param name="inputSizes">[N, C, H, W].</param>
            /// <param name="outputSizes">[H', W']; by default those of the gradient.</param>
            /// <param name="scaleFactors">The factors of <c>upsample_nearest2d</c>.</param>
            /// <returns>The gradient, of shape (N, C, H, W).</returns>
            public static Tensor upsample_nearest2d_backward(Tensor grad_output, long[] inputSizes, long[]? outputSizes = null,
                double[]? scaleFactors = null) =>
                NearestBackward2d(grad_output, outputSizes ?? grad_output.Sizes[2..], inputSizes, scaleFactors?[0], scaleFactors?[1]);

            /// <summary>Computes the gradient of <c>upsample_nearest3d</c> for its input.</summary>
            /// <param name="grad_output">The gradient of the result, of shape (N, C, D', H', W').</param>
            /// <param name="inputSizes">[N, C, D, H, W].</param>
            /// <param name="outputSizes">[D', H', W']; by default those of the gradient.</param>
            /// <param name="scaleFactors">The factors of <c>upsample_nearest3d</c>.</param>
            /// <returns>The gradient, of shape (N, C, D, H, W).</returns>
            public static Tensor upsample_nearest3d_backward(Tensor grad_output, long[] inputSizes, long[]? outputSizes = null,
                double[]? scaleFactors = null) =>
                NearestBackward3d(grad_output, outputSizes ?? grad_output.Sizes[2..], inputSizes, scaleFactors?[0], scaleFactors?[1],
                    scaleFactors?[2]);

            /// <summary>Samples <paramref name="input"/> at the points of a grid.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html">
            /// torch.nn.functional.grid_sample</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, H, W) or (N, C, D, H, W).</param>
            /// <param name="grid">The points, of shape (N, H', W', 2) or (N, D', H', W', 3), with coordinates from -1 to 1.</param>
            /// <param name="mode">How values between the elements are computed.</param>
            /// <param name="padding_mode">The values outside of the input.</param>
            /// <param name="align_corners">Whether -1 and 1 are the centers of the corner elements rather than their borders.</param>
            /// <returns>The values at the points, of shape (N, C, H', W') or (N, C, D', H', W').</returns>
            public static Tensor grid_sample(Tensor input, Tensor grid, GridSampleMode mode = GridSampleMode.Bilinear,
                GridSamplePaddingMode padding_mode = GridSamplePaddingMode.Zeros, bool? align_corners = null) =>
                GridSampler(input, grid, mode == GridSampleMode.Nearest ? 1 : 0,
                    padding_mode switch { GridSamplePaddingMode.Reflection => 2, GridSamplePaddingMode.Border => 1, _ => 0 }, align_corners
                        ?? false);

            /// <summary>Returns a grid for <c>grid_sample</c> that applies affine maps.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.affine_grid.html">
            /// torch.nn.functional.affine_grid</see>.
            /// </remarks>
            /// <param name="theta">The matrices, of shape (N, 2, 3) or (N, 3, 4).</param>
            /// <param name="size">The sizes of the images or volumes to sample, [N, C, H, W] or [N, C, D, H, W]; must not be null.</param>
            /// <param name="align_corners">Whether -1 and 1 are the centers of the corner elements rather than their borders.</param>
            /// <returns>The grid, of shape (N, H, W, 2) or (N, D, H, W, 3).</returns>
            /// <exception cref="ArgumentNullException">The size is null.</exception>
            public static Tensor affine_grid(Tensor theta, long[]? size = null, bool align_corners = false) =>
                AffineGrid(theta, size ?? throw new ArgumentNullException(nameof(size)), align_corners);

            // PyTorch refuses align_corners for the mode Nearest.
            private static bool? Corners(UpsampleMode mode, bool align_corners) =>
                mode == UpsampleMode.Nearest && !align_corners ? null : align_corners;
        }
    }
}

using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>The interpolation of <c>interpolate</c>.</summary>
    public enum InterpolationMode
    {
        Nearest = 0,
        Linear = 1,
        Bilinear = 2,
        Bicubic = 3,
        Trilinear = 4,
        Area = 5,
        NearestExact = 6,
    }

    public static partial class nn
    {
        /// <summary>How losses per element are reduced.</summary>
        public enum Reduction : long
        {
            None = 0,
            Mean = 1,
            Sum = 2,
        }

        /// <summary>
        /// Losses, attention, one-hot encoding, padding, division by the norm and resizing: methods that each call one operator
        /// (<see cref="AtenAttribute"/>), and others.
        /// </summary>
        public partial class functional
        {
            [Aten("aten::cross_entropy_loss", "self=input, target, weight, reduction=(long)reduction, ignore_index, label_smoothing")]
            public static partial Tensor cross_entropy(Tensor input, Tensor target, Tensor? weight = null, long ignore_index = -100,
                Reduction reduction = Reduction.Mean, double label_smoothing = 0.0);
            [Aten("aten::nll_loss_nd", "self=input, target, weight, reduction=(long)reduction")]
            public static partial Tensor nll_loss(Tensor input, Tensor target, Tensor? weight = null, Reduction reduction = Reduction.Mean);
            [Aten("aten::mse_loss", "self=input, target, reduction=(long)reduction")]
            public static partial Tensor mse_loss(Tensor input, Tensor target, Reduction reduction = Reduction.Mean);
            [Aten("aten::l1_loss", "self=input, target, reduction=(long)reduction")]
            public static partial Tensor l1_loss(Tensor input, Tensor target, Reduction reduction = Reduction.Mean);
            [Aten("aten::binary_cross_entropy_with_logits",
                "self=input, target, weight, pos_weight=pos_weights, reduction=(long)reduction")]
            public static partial Tensor binary_cross_entropy_with_logits(Tensor input, Tensor target, Tensor? weight = null,
                Reduction reduction = Reduction.Mean, Tensor? pos_weights = null);
            [Aten("aten::scaled_dot_product_attention", "query, key, value, attn_mask, dropout_p=p, is_causal=is_casual")]
            private static partial Tensor Attend(Tensor query, Tensor key, Tensor value, Tensor? attn_mask, double p, bool is_casual);

            /// <exception cref="ArgumentException">Both <c>attn_mask</c> and a causal mask are given.</exception>
            public static Tensor scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask = null,
                double p = 0.0, bool is_casual = false)
            {
                if (is_casual && attn_mask is not null)
                    throw new ArgumentException("A causal mask and attn_mask exclude each other.", nameof(attn_mask));
                return Attend(query, key, value, attn_mask, p, is_casual);
            }

            [Aten("aten::one_hot", "self=x, num_classes")] public static partial Tensor one_hot(Tensor x, long num_classes = -1);
            [Aten("aten::linalg_vector_norm", "self=input, ord, dim=[dim], keepdim=true")]
            private static partial Tensor Lengths(Tensor input, Scalar ord, long dim);
            [Aten("aten::upsample_nearest1d.vec", "input, output_size=size, scale_factors=factors")]
            private static partial Tensor Nearest1d(Tensor input, long[]? size, double[]? factors);
            [Aten("aten::upsample_nearest2d.vec", "input, output_size=size, scale_factors=factors")]
            private static partial Tensor Nearest2d(Tensor input, long[]? size, double[]? factors);
            [Aten("aten::upsample_nearest3d.vec", "input, output_size=size, scale_factors=factors")]
            private static partial Tensor Nearest3d(Tensor input, long[]? size, double[]? factors);
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

            public static Tensor pad(Tensor input, long[] pad, PaddingModes mode = PaddingModes.Constant, double value = 0) => mode switch
            {
                PaddingModes.Reflect => Pad(input, pad, "reflect"),
                PaddingModes.Replicate => Pad(input, pad, "replicate"),
                PaddingModes.Circular => Pad(input, pad, "circular"),
                _ => Pad(input, pad, "constant", mode == PaddingModes.Constant ? value : 0),
            };

            public static Tensor pad(Tensor input, (long, long) pad, PaddingModes mode = PaddingModes.Constant, double value = 0) =>
                functional.pad(input, [pad.Item1, pad.Item2], mode, value);

            public static Tensor pad(Tensor input, (long, long, long, long) pad, PaddingModes mode = PaddingModes.Constant,
                double value = 0) =>
                functional.pad(input, [pad.Item1, pad.Item2, pad.Item3, pad.Item4], mode, value);

            public static Tensor pad(Tensor input, long pad, PaddingModes mode = PaddingModes.Constant, double value = 0) =>
                functional.pad(input, [pad, pad], mode, value);

            /// <summary>
            /// Divides each vector along <paramref name="dim"/> by its p-norm, or by <paramref name="eps"/> if the norm is smaller.
            /// </summary>
            public static Tensor normalize(Tensor input, double p = 2.0, long dim = 1, double eps = 1e-12)
            {
                using var scope = NewDisposeScope();
                return input.div(Lengths(input, p, dim).clamp_min(eps).expand_as(input)).MoveToOuterDisposeScope();
            }

            /// <summary>Resizes a signal [N, C, L], image [N, C, H, W] or volume [N, C, D, H, W].</summary>
            /// <exception cref="ArgumentException">
            /// Not exactly one of size and scale_factor is given, align_corners is given for a mode without it, or recompute_scale_factor
            /// is true beside a size.
            /// </exception>
            /// <exception cref="NotSupportedException">The mode does not support the number of dimensions, or antialias.</exception>
            public static Tensor interpolate(Tensor x, long[]? size = null, double[]? scale_factor = null,
                InterpolationMode mode = InterpolationMode.Nearest,
                bool? align_corners = null, bool recompute_scale_factor = false, bool antialias = false)
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
                    (InterpolationMode.Nearest, 2) => Nearest2d(x, size, scale_factor),
                    (InterpolationMode.Nearest, 3) => Nearest3d(x, size, scale_factor),
                    (InterpolationMode.Linear, 1) => Linear(x, size, corners, scale_factor),
                    (InterpolationMode.Bilinear, 2) => Bilinear(x, size, corners, scale_factor),
                    (InterpolationMode.Bicubic, 2) => Bicubic(x, size, corners, scale_factor),
                    (InterpolationMode.Trilinear, 3) => Trilinear(x, size, corners, scale_factor),
                    _ => throw new NotSupportedException($"interpolate: {mode} is not supported for a tensor with {x.dim()} dimensions."),
                };
            }
        }
    }
}

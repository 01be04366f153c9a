using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>Resizing of a signal, image or volume by <c>functional.interpolate</c>.</summary>
    public sealed class Upsample : PlainBuiltIn
    {
        internal Upsample(long[]? size, double[]? scale_factor, UpsampleMode mode, bool? align_corners, bool? recompute_scale_factor)
            : base(nameof(Upsample))
        {
            (_size, _scale_factor) = (size, scale_factor);
            this.mode = mode;
            this.align_corners = align_corners;
            this.recompute_scale_factor = recompute_scale_factor;
        }

        private readonly long[]? _size;
        private readonly double[]? _scale_factor;

        public ReadOnlySpan<long> size => _size;

        public ReadOnlySpan<double> scale_factor => _scale_factor;

        public UpsampleMode mode { get; }

        public bool? align_corners { get; }

        public bool? recompute_scale_factor { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) =>
            nn.functional.interpolate(input, _size, _scale_factor, (InterpolationMode)mode, align_corners, recompute_scale_factor ?? false);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        /// <summary>The interpolation modes of <c>Upsample</c>, numbered as in <see cref="InterpolationMode"/>.</summary>
        public enum UpsampleMode
        {
            Nearest = 0,
            Linear = 1,
            Bilinear = 2,
            Bicubic = 3,
            Trilinear = 4,
        }

        public static partial class nn
        {
            public static Modules.Upsample Upsample(long[]? size = null, double[]? scale_factor = null,
                UpsampleMode mode = UpsampleMode.Nearest, bool? align_corners = null, bool? recompute_scale_factor = null) =>
                    new(size, scale_factor, mode, align_corners, recompute_scale_factor);
        }
    }
}

using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>Resizing of a signal, image or volume by <c>functional.interpolate</c>.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Upsample.html">Upsample</see>.</remarks>
    [Settings]
    public sealed partial class Upsample : PlainBuiltIn
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

        /// <summary>Gets the sizes of the result of the <c>Upsample</c>; empty if factors are given.</summary>
        public ReadOnlySpan<long> size => _size;

        /// <summary>Gets the factors of the sizes of the <c>Upsample</c>; empty if the sizes are given.</summary>
        public ReadOnlySpan<double> scale_factor => _scale_factor;

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
            /// <summary>Copies the nearest element, for any number of dimensions.</summary>
            Nearest = 0,

            /// <summary>Interpolates linearly along the one dimension of signals.</summary>
            Linear = 1,

            /// <summary>Interpolates linearly along both dimensions of images.</summary>
            Bilinear = 2,

            /// <summary>Interpolates images by polynomials of third degree.</summary>
            Bicubic = 3,

            /// <summary>Interpolates linearly along the three dimensions of volumes.</summary>
            Trilinear = 4,
        }
    }
}

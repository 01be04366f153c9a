using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>
    /// Normalization of each channel of [N, C] or [N, C, L] over the batch; in evaluation mode, by the running statistics, if any.
    /// </summary>
    public sealed class BatchNorm1d : BatchNorm
    {
        internal BatchNorm1d(long num_features, double eps, double momentum, bool affine, bool track_running_stats, Device? device,
            ScalarType? dtype)
            : base(num_features, eps, momentum, affine, track_running_stats, device, dtype, nameof(BatchNorm1d)) { }

        protected override void ValidateInputDimensions(Tensor input)
        {
            if (input.dim() is not (2 or 3)) throw ShapeError(input, "[N, C] or [N, C, L]");
        }
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static BatchNorm1d BatchNorm1d(long num_features, double eps = 1e-05, double momentum = 0.1, bool affine = true,
                bool track_running_stats = true, Device? device = null, ScalarType? dtype = null) =>
                    new(num_features, eps, momentum, affine, track_running_stats, device, dtype);
        }
    }
}

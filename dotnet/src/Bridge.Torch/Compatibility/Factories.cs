using System.ComponentModel;
using TorchSharp.Modules;

namespace TorchSharp;

// Factories of TorchSharp before 0.107. They have no optional parameters, so only a call that gives all arguments can choose one. If such
// a call also fits a current factory, both do the same.
public static partial class torch
{
    public static partial class nn
    {
        /// <summary>
        /// 0.102.0 to 0.103.1: creates an AvgPool1d whose divisor has no effect, as in those versions; see the overload without it.
        /// </summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static AvgPool1d AvgPool1d(long kernelSize, long? stride, long padding, bool ceil_mode, bool count_include_pad,
            long? divisor_override) =>
            new(kernelSize, stride, padding, ceil_mode, count_include_pad);

        /// <summary>0.102.0 to 0.103.1: creates an Upsample; see the overload with recompute_scale_factor.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static Upsample Upsample(long[]? size, double[]? scale_factor, UpsampleMode mode, bool? align_corners) =>
            new(size, scale_factor, mode, align_corners, null);

        /// <summary>0.104.0: creates a Softplus with integers; see the overload with doubles.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public static Softplus Softplus(int beta, int threshold) => new(beta, threshold);
    }

    /// <summary>Optimizers, and schedulers of their learning rates.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/optim.html">torch.optim</see>.</remarks>
    public static partial class optim
    {
        public static partial class lr_scheduler
        {
            /// <summary>0.102.0 to 0.104.0: creates a polynomial schedule with an integer power; see the overload with a double.</summary>
            [EditorBrowsable(EditorBrowsableState.Never)]
            public static LRScheduler PolynomialLR(Optimizer optimizer, int total_iters, int power, int last_epoch, bool verbose) =>
                new impl.PolynomialLR(optimizer, total_iters, (double)power, last_epoch, verbose);

            public static partial class impl
            {
                public partial class PolynomialLR
                {
                    /// <summary>
                    /// 0.102.0 to 0.104.0: creates a PolynomialLR with an integer power; see the constructor with a double.
                    /// </summary>
                    [EditorBrowsable(EditorBrowsableState.Never)]
                    public PolynomialLR(Optimizer optimizer, int total_iters, int power, int last_epoch, bool verbose)
                        : this(optimizer, total_iters, (double)power, last_epoch, verbose) { }
                }
            }
        }
    }
}

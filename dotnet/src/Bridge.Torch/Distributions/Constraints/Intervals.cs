#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class constraints
        {
            /// <summary>The numbers from <c>lower_bound</c> to <c>upper_bound</c>, both included.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.interval">
            /// torch.distributions.constraints.interval</see>.
            /// </remarks>
            public class _Interval : Constraint
            {
                /// <summary>Creates the constraint that a number lies in a closed interval.</summary>
                /// <param name="lower_bound">The lower bound, which is included.</param>
                /// <param name="upper_bound">The upper bound, which is included.</param>
                public _Interval(double lower_bound, double upper_bound) =>
                    (this.lower_bound, this.upper_bound) = (lower_bound, upper_bound);

                /// <summary>Gets the lower bound of this <c>_Interval</c>, which is included.</summary>
                public double lower_bound { get; }

                /// <summary>Gets the upper bound of this <c>_Interval</c>, which is included.</summary>
                public double upper_bound { get; }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => (value >= lower_bound).logical_and(value <= upper_bound));

                /// <inheritdoc/>
                public override string ToString() => Described($"lower_bound={lower_bound},upper_bound={upper_bound}");
            }

            /// <summary>The numbers from <c>lower_bound</c>, which is included, to <c>upper_bound</c>, which is not.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.half_open_interval">
            /// torch.distributions.constraints.half_open_interval</see>.
            /// </remarks>
            public class _HalfOpenInterval : Constraint
            {
                /// <summary>Creates the constraint that a number lies in an interval without its upper bound.</summary>
                /// <param name="lower_bound">The lower bound, which is included.</param>
                /// <param name="upper_bound">The upper bound, which is not included.</param>
                public _HalfOpenInterval(double lower_bound, double upper_bound) =>
                    (this.lower_bound, this.upper_bound) = (lower_bound, upper_bound);

                /// <summary>Gets the lower bound of this <c>_HalfOpenInterval</c>, which is included.</summary>
                public double lower_bound { get; }

                /// <summary>Gets the upper bound of this <c>_HalfOpenInterval</c>, which is not included.</summary>
                public double upper_bound { get; }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => (value >= lower_bound).logical_and(value < upper_bound));

                /// <inheritdoc/>
                public override string ToString() => Described($"lower_bound={lower_bound},upper_bound={upper_bound}");
            }

            /// <summary>The numbers greater than <c>lower_bound</c>.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.greater_than">
            /// torch.distributions.constraints.greater_than</see>.
            /// </remarks>
            public class _GreaterThan : Constraint
            {
                /// <summary>Creates the constraint that a number is above a bound.</summary>
                /// <param name="lower_bound">The lower bound, which is not included.</param>
                public _GreaterThan(double lower_bound) => this.lower_bound = lower_bound;

                /// <summary>Gets the lower bound of this <c>_GreaterThan</c>, which is not included.</summary>
                public double lower_bound { get; }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) => value > lower_bound;

                /// <inheritdoc/>
                public override string ToString() => Described($"lower_bound={lower_bound}");
            }

            /// <summary>The numbers that are at least <c>lower_bound</c>.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.greater_than_eq">
            /// torch.distributions.constraints.greater_than_eq</see>.
            /// </remarks>
            public class _GreaterThanEq : Constraint
            {
                /// <summary>Creates the constraint that a number is at least a bound.</summary>
                /// <param name="lower_bound">The lower bound, which is included.</param>
                public _GreaterThanEq(double lower_bound) => this.lower_bound = lower_bound;

                /// <summary>Gets the lower bound of this <c>_GreaterThanEq</c>, which is included.</summary>
                public double lower_bound { get; }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) => value >= lower_bound;

                /// <inheritdoc/>
                public override string ToString() => Described($"lower_bound={lower_bound}");
            }

            /// <summary>The numbers less than <c>upper_bound</c>.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.less_than">
            /// torch.distributions.constraints.less_than</see>.
            /// </remarks>
            public class _LessThan : Constraint
            {
                /// <summary>Creates the constraint that a number is below a bound.</summary>
                /// <param name="upper_bound">The upper bound, which is not included.</param>
                public _LessThan(double upper_bound) => this.upper_bound = upper_bound;

                /// <summary>Gets the upper bound of this <c>_LessThan</c>, which is not included.</summary>
                public double upper_bound { get; }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) => value < upper_bound;

                /// <inheritdoc/>
                public override string ToString() => Described($"upper_bound={upper_bound}");
            }
        }
    }
}

#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class constraints
        {
            /// <summary>The whole numbers from <c>lower_bound</c> to <c>upper_bound</c>, both included.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.integer_interval">
            /// torch.distributions.constraints.integer_interval</see>.
            /// </remarks>
            public class _IntegerInterval : Constraint
            {
                /// <summary>Creates the constraint that a number is whole and in an interval.</summary>
                /// <param name="lower_bound">The lower bound, which is included.</param>
                /// <param name="upper_bound">The upper bound, which is included.</param>
                public _IntegerInterval(long lower_bound, long upper_bound) : base(true, 0) =>
                    (this.lower_bound, this.upper_bound) = (lower_bound, upper_bound);

                /// <summary>Gets the lower bound of this <c>_IntegerInterval</c>, which is included.</summary>
                public long lower_bound { get; }

                /// <summary>Gets the upper bound of this <c>_IntegerInterval</c>, which is included.</summary>
                public long upper_bound { get; }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => value.remainder(1).eq(0)
                        .logical_and(value >= lower_bound).logical_and(value <= upper_bound));

                /// <inheritdoc/>
                public override string ToString() => Described($"lower_bound={lower_bound},upper_bound={upper_bound}");
            }

            /// <summary>The whole numbers that are at most <c>upper_bound</c>.</summary>
            public class _IntegerLessThan : Constraint
            {
                /// <summary>Creates the constraint that a number is whole and at most a bound.</summary>
                /// <param name="upper_bound">The upper bound, which is included.</param>
                public _IntegerLessThan(long upper_bound) : base(true, 0) => this.upper_bound = upper_bound;

                /// <summary>Gets the upper bound of this <c>_IntegerLessThan</c>, which is included.</summary>
                public long upper_bound { get; }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => value.remainder(1).eq(0).logical_and(value <= upper_bound));

                /// <inheritdoc/>
                public override string ToString() => Described($"upper_bound={upper_bound}");
            }

            /// <summary>The whole numbers that are at least <c>lower_bound</c>.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.positive_integer</see>.
            /// </remarks>
            public class _IntegerGreaterThan : Constraint
            {
                /// <summary>Creates the constraint that a number is whole and at least a bound.</summary>
                /// <param name="lower_bound">The lower bound, which is included.</param>
                public _IntegerGreaterThan(long lower_bound) : base(true, 0) => this.lower_bound = lower_bound;

                /// <summary>Gets the lower bound of this <c>_IntegerGreaterThan</c>, which is included.</summary>
                public long lower_bound { get; }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => value.remainder(1).eq(0).logical_and(value >= lower_bound));

                /// <inheritdoc/>
                public override string ToString() => Described($"lower_bound={lower_bound}");
            }
        }
    }
}

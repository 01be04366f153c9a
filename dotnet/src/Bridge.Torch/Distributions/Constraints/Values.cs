#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class constraints
        {
            /// <summary>A region that depends on other values, so that nothing can be checked.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.dependent</see>.
            /// </remarks>
            public class _Dependent : Constraint
            {
                /// <summary>Creates a constraint that depends on other values.</summary>
                /// <param name="is_discrete">Whether the region has only whole numbers.</param>
                /// <param name="event_dim">The number of last dimensions that one event has.</param>
                public _Dependent(bool is_discrete = false, int event_dim = 0) : base(is_discrete, event_dim) { }

                /// <inheritdoc/>
                /// <exception cref="InvalidOperationException">Always.</exception>
                public override Tensor check(Tensor value) =>
                    throw new InvalidOperationException("Cannot determine validity of a dependent constraint.");
            }

            /// <summary>The numbers 0 and 1.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.boolean</see>.
            /// </remarks>
            public class _Boolean : Constraint
            {
                /// <summary>Creates the constraint that a number is 0 or 1, for any shape of values.</summary>
                public _Boolean() : base(true, 0) { }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() => (value == 0).logical_or(value == 1));
            }

            /// <summary>Vectors of zeros, except for a single 1.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.one_hot</see>.
            /// </remarks>
            public class _OneHot : Constraint
            {
                /// <summary>Creates the constraint that a vector is one-hot.</summary>
                public _OneHot() : base(true, 1) { }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => (value == 0).logical_or(value == 1).all(-1).logical_and(value.sum(-1) == 1));
            }

            /// <summary>All numbers: everything but NaN.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.real</see>.
            /// </remarks>
            public class _Real : Constraint
            {
                /// <inheritdoc/>
                public override Tensor check(Tensor value) => value.eq(value);
            }

            /// <summary>Vectors of nonnegative numbers whose sum is 1.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
            /// torch.distributions.constraints.simplex</see>.
            /// </remarks>
            public class _Simplex : Constraint
            {
                /// <summary>Creates the constraint that a vector is in the unit simplex.</summary>
                public _Simplex() : base(false, 1) { }

                /// <inheritdoc/>
                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => (value >= 0).all(-1).logical_and((value.sum(-1) - 1).abs() < 1e-6));
            }

            /// <summary>Vectors of nonnegative counts whose sum is at most a bound. Fractional counts are accepted too.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.multinomial">
            /// torch.distributions.constraints.multinomial</see>.
            /// </remarks>
            public class _Multinomial : Constraint
            {
                /// <summary>Creates the constraint that the sum of nonnegative counts is at most a bound.</summary>
                /// <param name="upper_bound">The greatest sum, which is included.</param>
                public _Multinomial(long upper_bound) : base(true, 1) => this.upper_bound = upper_bound;

                /// <summary>Gets the greatest sum that this <c>_Multinomial</c> allows.</summary>
                public long upper_bound { get; }

                /// <inheritdoc/>
                /// <param name="x">The counts; the last dimension holds the vectors.</param>
                public override Tensor check(Tensor x) =>
                    WrappedTensorDisposeScope(() => (x >= 0).all(-1).logical_and(x.sum(-1) <= upper_bound));

                /// <inheritdoc/>
                public override string ToString() => Described($"upper_bound={upper_bound}");
            }
        }
    }
}

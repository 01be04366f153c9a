#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        /// <summary>Constraints on the values of distributions and transforms.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints">
        /// torch.distributions.constraints</see>.
        /// </remarks>
        public static partial class constraints
        {
            /// <summary>The constraint of a region that depends on other values; nothing can be checked.</summary>
            public static _Dependent dependent = new();
            /// <summary>The constraint that a number is 0 or 1.</summary>
            public static _Boolean boolean = new();
            /// <summary>The constraint that a vector has a single 1 and otherwise zeros.</summary>
            public static _OneHot one_hot = new();
            /// <summary>The constraint that a number is whole and at least 0.</summary>
            public static _IntegerGreaterThan nonnegative_integer = new(0);
            /// <summary>The constraint that a number is whole and at least 1.</summary>
            public static _IntegerGreaterThan positive_integer = new(1);
            /// <summary>The constraint that a number is not NaN.</summary>
            public static _Real real = new();
            /// <summary>The constraint that no number of a vector is NaN.</summary>
            public static _IndependentConstraint real_vector = independent(real, 1);
            /// <summary>The constraint that a number is above 0.</summary>
            public static _GreaterThan positive = new(0);
            /// <summary>The constraint that a number is at least 0.</summary>
            public static _GreaterThanEq nonnegative = new(0);
            /// <summary>The constraint that a number is from 0 to 1, both included.</summary>
            public static _Interval unit_interval = new(0, 1);
            /// <summary>The constraint that the numbers of a vector are at least 0 and have the sum 1.</summary>
            public static _Simplex simplex = new();
            /// <summary>The constraint that a matrix has only zeros above its diagonal.</summary>
            public static _LowerTriangular lower_triangular = new();
            /// <summary>The constraint that a matrix is lower triangular with a positive diagonal.</summary>
            public static _LowerCholesky lower_cholesky = new();
            /// <summary>The constraint that a matrix is the lower Cholesky factor of a correlation matrix.</summary>
            public static _CorrCholesky corr_cholesky = new();
            /// <summary>The constraint that a matrix has as many rows as columns.</summary>
            public static _Square square = new();
            /// <summary>The constraint that a matrix equals its transpose, up to rounding.</summary>
            public static _Symmetric symmetric = new();
            /// <summary>The constraint that a matrix is symmetric and has no negative eigenvalue.</summary>
            public static _PositiveSemiDefinite positive_semidefinite = new();
            /// <summary>The constraint that a matrix is symmetric and has positive eigenvalues.</summary>
            public static _PositiveDefinite positive_definite = new();

            /// <summary>Returns a constraint that counts batch dimensions of another constraint as dimensions of an event.</summary>
            /// <param name="base_constraint">The other constraint.</param>
            /// <param name="reinterpreted_batch_ndims">The number of the last batch dimensions that count as event dimensions.</param>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.independent">
            /// torch.distributions.constraints.independent</see>.
            /// </remarks>
            public static _IndependentConstraint independent(Constraint base_constraint, int reinterpreted_batch_ndims) =>
                new(base_constraint, reinterpreted_batch_ndims);

            /// <summary>Returns the constraint that a number is whole and between two bounds.</summary>
            /// <param name="lb">The lower bound, which is included.</param>
            /// <param name="ub">The upper bound, which is included.</param>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.integer_interval">
            /// torch.distributions.constraints.integer_interval</see>.
            /// </remarks>
            public static _IntegerInterval integer_interval(long lb, long ub) => new(lb, ub);

            /// <summary>Returns the constraint that a number is greater than a bound.</summary>
            /// <param name="lower_bound">The lower bound, which is not included.</param>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.greater_than">
            /// torch.distributions.constraints.greater_than</see>.
            /// </remarks>
            public static _GreaterThan greater_than(double lower_bound) => new(lower_bound);

            /// <summary>Returns the constraint that a number is greater than or equal to a bound.</summary>
            /// <param name="lower_bound">The lower bound, which is included.</param>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.greater_than_eq">
            /// torch.distributions.constraints.greater_than_eq</see>.
            /// </remarks>
            public static _GreaterThanEq greater_than_eq(double lower_bound) => new(lower_bound);

            /// <summary>Returns the constraint that a number is less than a bound.</summary>
            /// <param name="upper_bound">The upper bound, which is not included.</param>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.less_than">
            /// torch.distributions.constraints.less_than</see>.
            /// </remarks>
            public static _LessThan less_than(double upper_bound) => new(upper_bound);

            /// <summary>Returns the constraint that the counts in a vector are at least 0 and have at most a given sum.</summary>
            /// <param name="upper_bound">The greatest sum, which is included.</param>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.multinomial">
            /// torch.distributions.constraints.multinomial</see>.
            /// </remarks>
            public static _Multinomial multinomial(long upper_bound) => new(upper_bound);

            /// <summary>Returns the constraint that a number is in a closed interval.</summary>
            /// <param name="lower_bound">The lower bound, which is included.</param>
            /// <param name="upper_bound">The upper bound, which is included.</param>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.interval">
            /// torch.distributions.constraints.interval</see>.
            /// </remarks>
            public static _Interval interval(double lower_bound, double upper_bound) => new(lower_bound, upper_bound);

            /// <summary>Returns the constraint that a number is in an interval without its upper bound.</summary>
            /// <param name="lower_bound">The lower bound, which is included.</param>
            /// <param name="upper_bound">The upper bound, which is not included.</param>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.half_open_interval">
            /// torch.distributions.constraints.half_open_interval</see>.
            /// </remarks>
            public static _HalfOpenInterval half_open_interval(double lower_bound, double upper_bound) => new(lower_bound, upper_bound);

            /// <summary>Returns a constraint that applies other constraints to consecutive parts of a dimension.</summary>
            /// <param name="cseq">The constraints, one for each part.</param>
            /// <param name="dim">The dimension.</param>
            /// <param name="lengths">The parts' lengths; null for 1 each.</param>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.cat">
            /// torch.distributions.constraints.cat</see>.
            /// </remarks>
            public static _Cat cat(IList<Constraint> cseq, long dim = 0, IList<long> lengths = null) => new(cseq, dim, lengths);

            /// <summary>Returns a constraint that applies other constraints to the indices of a dimension.</summary>
            /// <param name="cseq">The constraints, one for each index.</param>
            /// <param name="dim">The dimension.</param>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.stack">
            /// torch.distributions.constraints.stack</see>.
            /// </remarks>
            public static _Stack stack(IList<Constraint> cseq, int dim = 0) => new(cseq, dim);
        }
    }
}

#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        /// <summary>Constraints on the values of distributions and transforms.</summary>
        public static partial class constraints
        {
            public static _Dependent dependent = new();
            public static _Boolean boolean = new();
            public static _OneHot one_hot = new();
            public static _IntegerGreaterThan nonnegative_integer = new(0);
            public static _IntegerGreaterThan positive_integer = new(1);
            public static _Real real = new();
            public static _IndependentConstraint real_vector = independent(real, 1);
            public static _GreaterThan positive = new(0);
            public static _GreaterThanEq nonnegative = new(0);
            public static _Interval unit_interval = new(0, 1);
            public static _Simplex simplex = new();
            public static _LowerTriangular lower_triangular = new();
            public static _LowerCholesky lower_cholesky = new();
            public static _CorrCholesky corr_cholesky = new();
            public static _Square square = new();
            public static _Symmetric symmetric = new();
            public static _PositiveSemiDefinite positive_semidefinite = new();
            public static _PositiveDefinite positive_definite = new();

            public static _IndependentConstraint independent(Constraint base_constraint, int reinterpreted_batch_ndims) =>
                new(base_constraint, reinterpreted_batch_ndims);

            public static _IntegerInterval integer_interval(long lb, long ub) => new(lb, ub);

            public static _GreaterThan greater_than(double lower_bound) => new(lower_bound);

            public static _GreaterThanEq greater_than_eq(double lower_bound) => new(lower_bound);

            public static _LessThan less_than(double upper_bound) => new(upper_bound);

            public static _Multinomial multinomial(long upper_bound) => new(upper_bound);

            public static _Interval interval(double lower_bound, double upper_bound) => new(lower_bound, upper_bound);

            public static _HalfOpenInterval half_open_interval(double lower_bound, double upper_bound) => new(lower_bound, upper_bound);

            public static _Cat cat(IList<Constraint> cseq, long dim = 0, IList<long> lengths = null) => new(cseq, dim, lengths);

            public static _Stack stack(IList<Constraint> cseq, int dim = 0) => new(cseq, dim);
        }
    }
}

#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class constraints
        {
            /// <summary>A region that depends on other values, so that nothing can be checked.</summary>
            public class _Dependent : Constraint
            {
                public _Dependent(bool is_discrete = false, int event_dim = 0) : base(is_discrete, event_dim) { }

                /// <exception cref="InvalidOperationException">Always.</exception>
                public override Tensor check(Tensor value) =>
                    throw new InvalidOperationException("Cannot determine validity of a dependent constraint.");
            }

            /// <summary>The numbers 0 and 1.</summary>
            public class _Boolean : Constraint
            {
                public _Boolean() : base(true, 0) { }

                public override Tensor check(Tensor value) => WrappedTensorDisposeScope(() => (value == 0).logical_or(value == 1));
            }

            /// <summary>Vectors of zeros, except for a single 1.</summary>
            public class _OneHot : Constraint
            {
                public _OneHot() : base(true, 1) { }

                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => (value == 0).logical_or(value == 1).all(-1).logical_and(value.sum(-1) == 1));
            }

            /// <summary>All numbers: everything but NaN.</summary>
            public class _Real : Constraint
            {
                public override Tensor check(Tensor value) => value.eq(value);
            }

            /// <summary>Vectors of nonnegative numbers whose sum is 1.</summary>
            public class _Simplex : Constraint
            {
                public _Simplex() : base(false, 1) { }

                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => (value >= 0).all(-1).logical_and((value.sum(-1) - 1).abs() < 1e-6));
            }

            /// <summary>Vectors of nonnegative counts whose sum is at most a bound.</summary>
            public class _Multinomial : Constraint
            {
                public _Multinomial(long upper_bound) : base(true, 1) => this.upper_bound = upper_bound;

                public long upper_bound { get; }

                public override Tensor check(Tensor x) =>
                    WrappedTensorDisposeScope(() => (x >= 0).all(-1).logical_and(x.sum(-1) <= upper_bound));

                public override string ToString() => Described($"upper_bound={upper_bound}");
            }
        }
    }
}

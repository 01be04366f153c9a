#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class constraints
        {
            /// <summary>The numbers from <c>lower_bound</c> to <c>upper_bound</c>, both included.</summary>
            public class _Interval : Constraint
            {
                public _Interval(double lower_bound, double upper_bound) =>
                    (this.lower_bound, this.upper_bound) = (lower_bound, upper_bound);

                public double lower_bound { get; }

                public double upper_bound { get; }

                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => (value >= lower_bound).logical_and(value <= upper_bound));

                public override string ToString() => Described($"lower_bound={lower_bound},upper_bound={upper_bound}");
            }

            /// <summary>The numbers from <c>lower_bound</c>, which is included, to <c>upper_bound</c>, which is not.</summary>
            public class _HalfOpenInterval : Constraint
            {
                public _HalfOpenInterval(double lower_bound, double upper_bound) =>
                    (this.lower_bound, this.upper_bound) = (lower_bound, upper_bound);

                public double lower_bound { get; }

                public double upper_bound { get; }

                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => (value >= lower_bound).logical_and(value < upper_bound));

                public override string ToString() => Described($"lower_bound={lower_bound},upper_bound={upper_bound}");
            }

            /// <summary>The numbers greater than <c>lower_bound</c>.</summary>
            public class _GreaterThan : Constraint
            {
                public _GreaterThan(double lower_bound) => this.lower_bound = lower_bound;

                public double lower_bound { get; }

                public override Tensor check(Tensor value) => value > lower_bound;

                public override string ToString() => Described($"lower_bound={lower_bound}");
            }

            /// <summary>The numbers from <c>lower_bound</c> on, which is included.</summary>
            public class _GreaterThanEq : Constraint
            {
                public _GreaterThanEq(double lower_bound) => this.lower_bound = lower_bound;

                public double lower_bound { get; }

                public override Tensor check(Tensor value) => value >= lower_bound;

                public override string ToString() => Described($"lower_bound={lower_bound}");
            }

            /// <summary>The numbers less than <c>upper_bound</c>.</summary>
            public class _LessThan : Constraint
            {
                public _LessThan(double upper_bound) => this.upper_bound = upper_bound;

                public double upper_bound { get; }

                public override Tensor check(Tensor value) => value < upper_bound;

                public override string ToString() => Described($"upper_bound={upper_bound}");
            }
        }
    }
}

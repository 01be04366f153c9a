#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class constraints
        {
            /// <summary>The whole numbers from <c>lower_bound</c> to <c>upper_bound</c>, both included.</summary>
            public class _IntegerInterval : Constraint
            {
                public _IntegerInterval(long lower_bound, long upper_bound) : base(true, 0) =>
                    (this.lower_bound, this.upper_bound) = (lower_bound, upper_bound);

                public long lower_bound { get; }

                public long upper_bound { get; }

                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => value.remainder(1).eq(0)
                        .logical_and(value >= lower_bound).logical_and(value <= upper_bound));

                public override string ToString() => Described($"lower_bound={lower_bound},upper_bound={upper_bound}");
            }

            /// <summary>The whole numbers up to <c>upper_bound</c>, which is included.</summary>
            public class _IntegerLessThan : Constraint
            {
                public _IntegerLessThan(long upper_bound) : base(true, 0) => this.upper_bound = upper_bound;

                public long upper_bound { get; }

                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => value.remainder(1).eq(0).logical_and(value <= upper_bound));

                public override string ToString() => Described($"upper_bound={upper_bound}");
            }

            /// <summary>The whole numbers from <c>lower_bound</c> on, which is included.</summary>
            public class _IntegerGreaterThan : Constraint
            {
                public _IntegerGreaterThan(long lower_bound) : base(true, 0) => this.lower_bound = lower_bound;

                public long lower_bound { get; }

                public override Tensor check(Tensor value) =>
                    WrappedTensorDisposeScope(() => value.remainder(1).eq(0).logical_and(value >= lower_bound));

                public override string ToString() => Described($"lower_bound={lower_bound}");
            }
        }
    }
}

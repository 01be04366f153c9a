namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class transforms
        {
            /// <summary>The logistic function, with results clamped so that none is 0 or 1.</summary>
            public class SigmoidTransform : Transform
            {
                public override constraints.Constraint domain => constraints.real;

                public override constraints.Constraint codomain => constraints.unit_interval;

                public override bool bijective => true;

                private static Tensor Clamped(Tensor value)
                {
                    var limits = finfo(value.dtype);
                    return value.clamp(limits.tiny, 1 - limits.eps);
                }

                protected internal override Tensor _sign() => 1;

                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    WrappedTensorDisposeScope(() => -nn.functional.softplus(-x) - nn.functional.softplus(x));

                protected internal override Tensor _call(Tensor x) => WrappedTensorDisposeScope(() => Clamped(x.sigmoid()));

                protected internal override Tensor _inverse(Tensor y) => WrappedTensorDisposeScope(() =>
                {
                    var clamped = Clamped(y);
                    return clamped.log() - (-clamped).log1p();
                });
            }

            /// <summary>The hyperbolic tangent.</summary>
            public class TanhTransform : Transform
            {
                public override constraints.Constraint domain => constraints.real;

                public override constraints.Constraint codomain => constraints.interval(-1, 1);

                public override bool bijective => true;

                protected internal override Tensor _sign() => 1;

                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    WrappedTensorDisposeScope(() => 2 * (Math.Log(2) - x - nn.functional.softplus(-2 * x)));

                protected internal override Tensor _call(Tensor x) => x.tanh();

                protected internal override Tensor _inverse(Tensor y) => y.atanh();
            }

            /// <summary>The absolute value. Its inverse returns its argument unchanged.</summary>
            public class AbsTransform : Transform
            {
                public override constraints.Constraint domain => constraints.real;

                public override constraints.Constraint codomain => constraints.positive;

                protected internal override Tensor _call(Tensor x) => x.abs();

                protected internal override Tensor _inverse(Tensor y) => y.alias();
            }

            /// <summary>A value to the power of a given exponent.</summary>
            public class PowerTransform : Transform
            {
                private readonly Tensor _exponent;

                public PowerTransform(Tensor exponent) => _exponent = Held(exponent);

                public override constraints.Constraint domain => constraints.positive;

                public override constraints.Constraint codomain => constraints.positive;

                public override bool bijective => true;

                public override long[] forward_shape(long[] shape) => broadcast_shapes(shape, _exponent.shape).Shape;

                public override long[] inverse_shape(long[] shape) => broadcast_shapes(shape, _exponent.shape).Shape;

                protected internal override Tensor _sign() => _exponent.sign();

                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    WrappedTensorDisposeScope(() => (_exponent * y / x).abs().log());

                protected internal override Tensor _call(Tensor x) => x.pow(_exponent);

                protected internal override Tensor _inverse(Tensor y) => WrappedTensorDisposeScope(() => y.pow(1 / _exponent));
            }
        }
    }
}

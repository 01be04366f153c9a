namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class transforms
        {
            /// <summary>The logistic function, with results clamped so that none is 0 or 1.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.SigmoidTransform">
            /// torch.distributions.transforms.SigmoidTransform</see>.
            /// </remarks>
            public class SigmoidTransform : Transform
            {
                /// <inheritdoc/>
                public override constraints.Constraint domain => constraints.real;

                /// <inheritdoc/>
                public override constraints.Constraint codomain => constraints.unit_interval;

                /// <inheritdoc/>
                public override bool bijective => true;

                private static Tensor Clamped(Tensor value)
                {
                    var limits = finfo(value.dtype);
                    return value.clamp(limits.tiny, 1 - limits.eps);
                }

                /// <inheritdoc/>
                protected internal override Tensor _sign() => 1;

                /// <inheritdoc/>
                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    WrappedTensorDisposeScope(() => -nn.functional.softplus(-x) - nn.functional.softplus(x));

                /// <inheritdoc/>
                protected internal override Tensor _call(Tensor x) => WrappedTensorDisposeScope(() => Clamped(x.sigmoid()));

                /// <inheritdoc/>
                protected internal override Tensor _inverse(Tensor y) => WrappedTensorDisposeScope(() =>
                {
                    var clamped = Clamped(y);
                    return clamped.log() - (-clamped).log1p();
                });
            }

            /// <summary>The hyperbolic tangent, applied to each element.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.TanhTransform">
            /// torch.distributions.transforms.TanhTransform</see>.
            /// </remarks>
            public class TanhTransform : Transform
            {
                /// <inheritdoc/>
                public override constraints.Constraint domain => constraints.real;

                /// <inheritdoc/>
                public override constraints.Constraint codomain => constraints.interval(-1, 1);

                /// <inheritdoc/>
                public override bool bijective => true;

                /// <inheritdoc/>
                protected internal override Tensor _sign() => 1;

                /// <inheritdoc/>
                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    WrappedTensorDisposeScope(() => 2 * (Math.Log(2) - x - nn.functional.softplus(-2 * x)));

                /// <inheritdoc/>
                protected internal override Tensor _call(Tensor x) => x.tanh();

                /// <inheritdoc/>
                protected internal override Tensor _inverse(Tensor y) => y.atanh();
            }

            /// <summary>The absolute value. Its inverse returns its argument unchanged.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.AbsTransform">
            /// torch.distributions.transforms.AbsTransform</see>.
            /// </remarks>
            public class AbsTransform : Transform
            {
                /// <inheritdoc/>
                public override constraints.Constraint domain => constraints.real;

                /// <inheritdoc/>
                public override constraints.Constraint codomain => constraints.positive;

                /// <inheritdoc/>
                protected internal override Tensor _call(Tensor x) => x.abs();

                /// <inheritdoc/>
                protected internal override Tensor _inverse(Tensor y) => y.alias();
            }

            /// <summary>A value to the power of a given exponent.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.PowerTransform">
            /// torch.distributions.transforms.PowerTransform</see>.
            /// </remarks>
            public class PowerTransform : Transform
            {
                private readonly Tensor _exponent;

                /// <summary>Creates the transform that raises positive values to a power.</summary>
                /// <param name="exponent">The exponent, without zeros, of a shape that broadcasts with the values'.</param>
                public PowerTransform(Tensor exponent) => _exponent = Held(exponent);

                /// <inheritdoc/>
                public override constraints.Constraint domain => constraints.positive;

                /// <inheritdoc/>
                public override constraints.Constraint codomain => constraints.positive;

                /// <inheritdoc/>
                public override bool bijective => true;

                /// <inheritdoc/>
                public override long[] forward_shape(long[] shape) => broadcast_shapes(shape, _exponent.shape).Shape;

                /// <inheritdoc/>
                public override long[] inverse_shape(long[] shape) => broadcast_shapes(shape, _exponent.shape).Shape;

                /// <inheritdoc/>
                protected internal override Tensor _sign() => _exponent.sign();

                /// <inheritdoc/>
                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    WrappedTensorDisposeScope(() => (_exponent * y / x).abs().log());

                /// <inheritdoc/>
                protected internal override Tensor _call(Tensor x) => x.pow(_exponent);

                /// <inheritdoc/>
                protected internal override Tensor _inverse(Tensor y) => WrappedTensorDisposeScope(() => y.pow(1 / _exponent));
            }
        }
    }
}

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class transforms
        {
            /// <summary>The inverse of a transform.</summary>
            private sealed class InverseTransform : Transform
            {
                private readonly Transform _transform;

                internal InverseTransform(Transform transform) => _inv = _transform = transform;

                public override constraints.Constraint domain => _transform.codomain;

                public override constraints.Constraint codomain => _transform.domain;

                public override bool bijective => _transform.bijective;

                public override long[] forward_shape(long[] shape) => _transform.inverse_shape(shape);

                public override long[] inverse_shape(long[] shape) => _transform.forward_shape(shape);

                protected internal override Tensor _sign() => _transform._sign();

                protected internal override Tensor _call(Tensor x) => _transform._inverse(x);

                protected internal override Tensor _inverse(Tensor y) => _transform._call(y);

                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) => -_transform.log_abs_det_jacobian(y, x);
            }
        }
    }
}

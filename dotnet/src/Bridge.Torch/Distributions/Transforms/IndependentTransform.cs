namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class transforms
        {
            /// <summary>
            /// Another transform, with its last batch dimensions counted as dimensions of an event. The misspelled name is TorchSharp's.
            /// </summary>
            public class IndepdenentTransform : Transform
            {
                private readonly Transform _transform;
                private readonly int _reinterpreted;

                public IndepdenentTransform(Transform base_transform, int reinterpreted_batch_dims) =>
                    (_transform, _reinterpreted) = (base_transform, reinterpreted_batch_dims);

                public override constraints.Constraint domain => constraints.independent(_transform.domain, _reinterpreted);

                public override constraints.Constraint codomain => constraints.independent(_transform.codomain, _reinterpreted);

                public override bool bijective => _transform.bijective;

                public override long[] forward_shape(long[] shape) => _transform.forward_shape(shape);

                public override long[] inverse_shape(long[] shape) => _transform.inverse_shape(shape);

                protected internal override Tensor _sign() => _transform._sign();

                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    _sum_rightmost(_transform.log_abs_det_jacobian(x, y), _reinterpreted);

                /// <exception cref="ArgumentException">The value has too few dimensions.</exception>
                protected internal override Tensor _call(Tensor x) => _transform.forward(Checked(x, domain));

                /// <exception cref="ArgumentException">The result has too few dimensions.</exception>
                protected internal override Tensor _inverse(Tensor y) => _transform.inv.forward(Checked(y, codomain));

                private static Tensor Checked(Tensor value, constraints.Constraint region) =>
                    value.dim() < region.event_dim ? throw new ArgumentException("Too few dimensions on input.", nameof(value)) : value;
            }
        }
    }
}

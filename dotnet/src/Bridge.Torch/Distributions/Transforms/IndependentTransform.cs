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
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.IndependentTransform">
            /// torch.distributions.transforms.IndependentTransform</see>.
            /// </remarks>
            public class IndepdenentTransform : Transform
            {
                private readonly Transform _transform;
                private readonly int _reinterpreted;

                /// <summary>Creates a transform that counts batch dimensions of another transform as dimensions of an event.</summary>
                /// <param name="base_transform">The other transform.</param>
                /// <param name="reinterpreted_batch_dims">The number of the last batch dimensions that count as event dimensions.</param>
                public IndepdenentTransform(Transform base_transform, int reinterpreted_batch_dims) =>
                    (_transform, _reinterpreted) = (base_transform, reinterpreted_batch_dims);

                /// <inheritdoc/>
                public override constraints.Constraint domain => constraints.independent(_transform.domain, _reinterpreted);

                /// <inheritdoc/>
                public override constraints.Constraint codomain => constraints.independent(_transform.codomain, _reinterpreted);

                /// <inheritdoc/>
                public override bool bijective => _transform.bijective;

                /// <inheritdoc/>
                public override long[] forward_shape(long[] shape) => _transform.forward_shape(shape);

                /// <inheritdoc/>
                public override long[] inverse_shape(long[] shape) => _transform.inverse_shape(shape);

                /// <inheritdoc/>
                protected internal override Tensor _sign() => _transform._sign();

                /// <inheritdoc/>
                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    _sum_rightmost(_transform.log_abs_det_jacobian(x, y), _reinterpreted);

                /// <inheritdoc/>
                /// <exception cref="ArgumentException">The value has too few dimensions.</exception>
                protected internal override Tensor _call(Tensor x) => _transform.forward(Checked(x, domain));

                /// <inheritdoc/>
                /// <exception cref="ArgumentException">The result has too few dimensions.</exception>
                protected internal override Tensor _inverse(Tensor y) => _transform.inv.forward(Checked(y, codomain));

                private static Tensor Checked(Tensor value, constraints.Constraint region) =>
                    value.dim() < region.event_dim ? throw new ArgumentException("Too few dimensions on input.", nameof(value)) : value;
            }
        }
    }
}

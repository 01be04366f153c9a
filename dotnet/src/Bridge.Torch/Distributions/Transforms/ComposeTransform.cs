namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class transforms
        {
            /// <summary>Several transforms, one after the other.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.ComposeTransform">
            /// torch.distributions.transforms.ComposeTransform</see>.
            /// </remarks>
            public class ComposeTransform : Transform
            {
                private readonly Transform[] _parts;

                /// <summary>Creates the transform that applies other transforms in order.</summary>
                /// <param name="parts">The transforms, in the order in which they are applied; none for the identity.</param>
                /// <param name="cache_size">Has no effect.</param>
                public ComposeTransform(IEnumerable<Transform> parts, int cache_size = 0) => _parts = [.. parts];

                private IEnumerable<Transform> Backwards => _parts.AsEnumerable().Reverse();

                /// <inheritdoc/>
                public override Transform inv => _inv ??= Linked(new ComposeTransform(Backwards.Select(part => part.inv)), this);

                /// <inheritdoc/>
                public override constraints.Constraint domain
                {
                    get
                    {
                        if (_parts is []) return constraints.real;
                        // The number of dimensions of an event before each part, from the last part to the first.
                        var event_dim = _parts[^1].codomain.event_dim;
                        foreach (var part in Backwards)
                            event_dim = Math.Max(event_dim + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim);
                        return Widened(_parts[0].domain, event_dim);
                    }
                }

                /// <inheritdoc/>
                public override constraints.Constraint codomain
                {
                    get
                    {
                        if (_parts is []) return constraints.real;
                        // The number of dimensions of an event after each part.
                        var event_dim = _parts[0].domain.event_dim;
                        foreach (var part in _parts)
                            event_dim = Math.Max(event_dim + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim);
                        return Widened(_parts[^1].codomain, event_dim);
                    }
                }

                /// <inheritdoc/>
                public override bool bijective => _parts.All(part => part.bijective);

                /// <inheritdoc/>
                public override long[] forward_shape(long[] shape) => _parts.Aggregate(shape, (sizes, part) => part.forward_shape(sizes));

                /// <inheritdoc/>
                public override long[] inverse_shape(long[] shape) =>
                    Backwards.Aggregate(shape, (sizes, part) => part.inverse_shape(sizes));

                /// <inheritdoc/>
                protected internal override Tensor _sign() => _parts.Aggregate((Tensor)1, (product, part) => product * part._sign());

                /// <inheritdoc/>
                protected internal override Tensor _call(Tensor x) => _parts.Aggregate(x, (value, part) => part.forward(value));

                /// <inheritdoc/>
                protected internal override Tensor _inverse(Tensor y) => Backwards.Aggregate(y, (value, part) => part.inv.forward(value));

                /// <inheritdoc/>
                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y)
                {
                    if (_parts is []) return x.zeros_like();
                    Tensor? result = null;
                    var event_dim = domain.event_dim;
                    for (var i = 0; i < _parts.Length; i++)
                    {
                        var part = _parts[i];
                        var next = i == _parts.Length - 1 ? y : part.forward(x);
                        var term = _sum_rightmost(part.log_abs_det_jacobian(x, next), event_dim - part.domain.event_dim);
                        result = result is null ? term : result + term;
                        event_dim += part.codomain.event_dim - part.domain.event_dim;
                        x = next;
                    }

                    return result!;
                }

                /// <summary>Returns the constraint for events of at least <paramref name="event_dim"/> dimensions.</summary>
                private static constraints.Constraint Widened(constraints.Constraint constraint, int event_dim) =>
                    event_dim > constraint.event_dim ? constraints.independent(constraint, event_dim - constraint.event_dim) : constraint;
            }
        }
    }
}

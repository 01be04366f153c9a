namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class transforms
        {
            /// <summary>A value times a scale, plus a location.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.AffineTransform">
            /// torch.distributions.transforms.AffineTransform</see>.
            /// </remarks>
            public class AffineTransform : Transform
            {
                private readonly Tensor _loc, _scale;
                private readonly double? _constant;
                private readonly int _eventDim;

                /// <summary>Creates the transform that multiplies by a scale and adds a location.</summary>
                /// <param name="loc">The location.</param>
                /// <param name="scale">The scale, which is not 0.</param>
                /// <param name="event_dim">The number of last dimensions that one value has; 0 if each element is a value.</param>
                public AffineTransform(double loc, double scale, int event_dim = 0)
                    : this(tensor(loc), tensor(scale), event_dim) =>
                    _constant = scale;

                /// <summary>Creates the transform that multiplies by a scale and adds a location.</summary>
                /// <param name="loc">The location, of a shape that broadcasts with the values'.</param>
                /// <param name="scale">The scale, without zeros, of a shape that broadcasts with the values'.</param>
                /// <param name="event_dim">The number of last dimensions that one value has; 0 if each element is a value.</param>
                public AffineTransform(Tensor loc, Tensor scale, int event_dim = 0) =>
                    (_loc, _scale, _eventDim) = (Held(loc), Held(scale), event_dim);

                /// <inheritdoc/>
                public override int event_dim => _eventDim;

                /// <inheritdoc/>
                public override bool bijective => true;

                /// <inheritdoc/>
                public override constraints.Constraint domain =>
                    _eventDim == 0 ? constraints.real : constraints.independent(constraints.real, _eventDim);

                /// <inheritdoc/>
                public override constraints.Constraint codomain => domain;

                /// <inheritdoc/>
                public override long[] forward_shape(long[] shape) => broadcast_shapes(shape, _loc.shape, _scale.shape).Shape;

                /// <inheritdoc/>
                public override long[] inverse_shape(long[] shape) => forward_shape(shape);

                /// <inheritdoc/>
                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) => WrappedTensorDisposeScope(() =>
                {
                    var result = _constant is { } scale ? x.full_like(Math.Log(Math.Abs(scale))) : _scale.abs().log();
                    if (_eventDim == 0) return result.expand(x.shape);
                    // As in PyTorch, except if elements of an event share a scale: here, its logarithm counts for each of these elements.
                    return _sum_rightmost(result.expand(x.shape), _eventDim);
                });

                /// <inheritdoc/>
                protected internal override Tensor _call(Tensor x) => WrappedTensorDisposeScope(() => _loc + _scale * x);

                /// <inheritdoc/>
                protected internal override Tensor _inverse(Tensor y) => WrappedTensorDisposeScope(() => (y - _loc) / _scale);

                /// <inheritdoc/>
                protected internal override Tensor _sign() => _scale.sign();
            }
        }
    }
}

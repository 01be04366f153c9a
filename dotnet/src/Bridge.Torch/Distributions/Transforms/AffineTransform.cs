namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class transforms
        {
            /// <summary>A value times a scale, plus a location.</summary>
            public class AffineTransform : Transform
            {
                private readonly Tensor _loc, _scale;
                private readonly double? _constant;
                private readonly int _eventDim;

                public AffineTransform(double loc, double scale, int event_dim = 0)
                    : this(tensor(loc), tensor(scale), event_dim) =>
                    _constant = scale;

                public AffineTransform(Tensor loc, Tensor scale, int event_dim = 0) =>
                    (_loc, _scale, _eventDim) = (Held(loc), Held(scale), event_dim);

                public override int event_dim => _eventDim;

                public override bool bijective => true;

                public override constraints.Constraint domain =>
                    _eventDim == 0 ? constraints.real : constraints.independent(constraints.real, _eventDim);

                public override constraints.Constraint codomain => domain;

                public override long[] forward_shape(long[] shape) => broadcast_shapes(shape, _loc.shape, _scale.shape).Shape;

                public override long[] inverse_shape(long[] shape) => forward_shape(shape);

                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) => WrappedTensorDisposeScope(() =>
                {
                    var result = _constant is { } scale ? x.full_like(Math.Log(Math.Abs(scale))) : _scale.abs().log();
                    if (_eventDim == 0) return result.expand(x.shape);
                    // As in PyTorch, except if elements of an event share a scale: here, its logarithm counts for each of these elements.
                    return _sum_rightmost(result.expand(x.shape), _eventDim);
                });

                protected internal override Tensor _call(Tensor x) => WrappedTensorDisposeScope(() => _loc + _scale * x);

                protected internal override Tensor _inverse(Tensor y) => WrappedTensorDisposeScope(() => (y - _loc) / _scale);

                protected internal override Tensor _sign() => _scale.sign();
            }
        }
    }
}

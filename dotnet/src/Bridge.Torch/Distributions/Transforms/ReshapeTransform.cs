namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class transforms
        {
            /// <summary>Gives the last dimensions another shape.</summary>
            public class ReshapeTransform : Transform
            {
                private readonly long[] _from, _to;

                /// <exception cref="ArgumentException">The shapes differ in the number of elements.</exception>
                public ReshapeTransform(long[] in_shape, long[] out_shape)
                {
                    if (new Size(in_shape).numel() != new Size(out_shape).numel())
                        throw new ArgumentException("The shapes have different numbers of elements.", nameof(out_shape));
                    (_from, _to) = ([.. in_shape], [.. out_shape]);
                }

                public override bool bijective => true;

                public override constraints.Constraint domain => constraints.independent(constraints.real, _from.Length);

                public override constraints.Constraint codomain => constraints.independent(constraints.real, _to.Length);

                public override long[] forward_shape(long[] shape) => Replaced(shape, _from, _to);

                public override long[] inverse_shape(long[] shape) => Replaced(shape, _to, _from);

                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    zeros(x.shape[..^_from.Length], x.dtype, x.device);

                protected internal override Tensor _call(Tensor x) => x.reshape([.. x.shape[..^_from.Length], .. _to]);

                protected internal override Tensor _inverse(Tensor y) => y.reshape([.. y.shape[..^_to.Length], .. _from]);

                private static long[] Replaced(long[] shape, long[] from, long[] to) =>
                    shape.Length >= from.Length && shape[^from.Length..].SequenceEqual(from)
                        ? [.. shape[..^from.Length], .. to]
                        : throw new ArgumentException($"Expected a shape that ends with [{string.Join(", ", from)}].", nameof(shape));
            }
        }
    }
}

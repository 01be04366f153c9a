namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        public static partial class transforms
        {
            /// <summary>Gives the last dimensions of a value another shape.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.ReshapeTransform">
            /// torch.distributions.transforms.ReshapeTransform</see>.
            /// </remarks>
            public class ReshapeTransform : Transform
            {
                private readonly long[] _from, _to;

                /// <summary>Creates the transform that reshapes each value.</summary>
                /// <param name="in_shape">The shape of a value, without the batch's dimensions.</param>
                /// <param name="out_shape">The shape of a result, without the batch's dimensions.</param>
                /// <exception cref="ArgumentException">The shapes differ in the number of elements.</exception>
                public ReshapeTransform(long[] in_shape, long[] out_shape)
                {
                    if (new Size(in_shape).numel() != new Size(out_shape).numel())
                        throw new ArgumentException("The shapes have different numbers of elements.", nameof(out_shape));
                    (_from, _to) = ([.. in_shape], [.. out_shape]);
                }

                /// <inheritdoc/>
                public override bool bijective => true;

                /// <inheritdoc/>
                public override constraints.Constraint domain => constraints.independent(constraints.real, _from.Length);

                /// <inheritdoc/>
                public override constraints.Constraint codomain => constraints.independent(constraints.real, _to.Length);

                /// <inheritdoc/>
                /// <exception cref="ArgumentException">The shape does not end with a value's.</exception>
                public override long[] forward_shape(long[] shape) => Replaced(shape, _from, _to);

                /// <inheritdoc/>
                /// <exception cref="ArgumentException">The shape does not end with a result's.</exception>
                public override long[] inverse_shape(long[] shape) => Replaced(shape, _to, _from);

                /// <inheritdoc/>
                protected internal override Tensor log_abs_det_jacobian(Tensor x, Tensor y) =>
                    zeros(x.shape[..^_from.Length], x.dtype, x.device);

                /// <inheritdoc/>
                protected internal override Tensor _call(Tensor x) => x.reshape([.. x.shape[..^_from.Length], .. _to]);

                /// <inheritdoc/>
                protected internal override Tensor _inverse(Tensor y) => y.reshape([.. y.shape[..^_to.Length], .. _from]);

                private static long[] Replaced(long[] shape, long[] from, long[] to) =>
                    shape.Length >= from.Length && shape[^from.Length..].SequenceEqual(from)
                        ? [.. shape[..^from.Length], .. to]
                        : throw new ArgumentException($"Expected a shape that ends with [{string.Join(", ", from)}].", nameof(shape));
            }
        }
    }
}

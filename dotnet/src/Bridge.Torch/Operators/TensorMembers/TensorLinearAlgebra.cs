using Bridge.Torch;

namespace TorchSharp;

// Linear algebra members of Tensor that are obsolete or choose the dimensions.
public static partial class torch
{
    public partial class Tensor
    {
        /// <summary>Returns the Cholesky factor of each matrix of this tensor, which is positive definite.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.cholesky.html">torch.Tensor.cholesky</see>.
        /// </remarks>
        /// <param name="upper">Whether the factor is an upper triangle.</param>
        [Aten("aten::cholesky", "self, upper"), Obsolete("Use torch.linalg.cholesky.")]
        public partial Tensor cholesky(bool upper = false);

        /// <summary>Sums products of this tensor and another over pairs of dimensions.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.tensordot.html">torch.tensordot</see>.
        /// </remarks>
        /// <param name="b">The second tensor.</param>
        /// <param name="dims">Pairs of a dimension of this tensor and one of the other.</param>
        public Tensor tensordot(Tensor b, (long, long)[] dims) =>
            tensordot(b, [.. dims.Select(pair => pair.Item1)], [.. dims.Select(pair => pair.Item2)]);

        /// <summary>Sums products of this tensor and another over the last dimensions of this one and the first of the other.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.tensordot.html">torch.tensordot</see>.
        /// </remarks>
        /// <param name="b">The second tensor.</param>
        /// <param name="dims">The number of dimensions.</param>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="dims"/> is negative.</exception>
        public Tensor tensordot(Tensor b, long dims = 2)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(dims);
            var first = new long[dims];
            var second = new long[dims];
            for (var at = 0; at < dims; at++) (first[at], second[at]) = (at - dims, at);
            return tensordot(b, first, second);
        }
    }
}

using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Linear algebra members of Tensor, <c>addcdiv</c> and <c>addcmul</c>: methods that each call one operator (<see cref="AtenAttribute"/>),
/// and methods that call those.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::cholesky", "self, upper"), Obsolete("Use torch.linalg.cholesky.")]
        public partial Tensor cholesky(bool upper = false);

        public Tensor tensordot(Tensor b, (long, long)[] dims) =>
            tensordot(b, [.. dims.Select(pair => pair.Item1)], [.. dims.Select(pair => pair.Item2)]);

        /// <summary>Contracts the last dimensions of this tensor with the first of the other.</summary>
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

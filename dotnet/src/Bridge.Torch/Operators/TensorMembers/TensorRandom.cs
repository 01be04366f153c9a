using Bridge.Torch;

namespace TorchSharp;

// Members of Tensor that draw random numbers and are no rows of a table.
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::random_.from", "self, from, to, generator")] private partial Tensor Drawn_(long from, long? to, Generator? generator);

        /// <summary>Writes a random permutation of the integers from 0 to <paramref name="n"/> - 1 into this tensor.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.randperm.html">torch.randperm</see>.</remarks>
        /// <param name="n">The number of integers.</param>
        /// <returns>This tensor.</returns>
        [Aten("aten::randperm.out", "n, out=self"), Obsolete("PyTorch's randperm is no method of a tensor; use torch.randperm.")]
        public partial Tensor randperm_out(long n);

        /// <summary>Fills the tensor with random integers in [from, to).</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.random_.html">torch.Tensor.random_</see>.
        /// </remarks>
        /// <param name="from">The smallest integer; a fraction is cut off.</param>
        /// <param name="to">The upper bound, which is not included.</param>
        /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
        /// <returns>This tensor.</returns>
        public Tensor random_(double from, double to, Generator? generator = null) => Drawn_((long)from, (long)to, generator);
    }
}

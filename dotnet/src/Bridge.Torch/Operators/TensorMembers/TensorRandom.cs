using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Members of Tensor that draw random numbers or fill it: methods that each call one operator (<see cref="AtenAttribute"/>), and methods
/// that call those.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::random_.from", "self, from, to, generator")] private partial Tensor Drawn_(long from, long? to, Generator? generator);
        [Aten("aten::randperm.out", "n, out=self"), Obsolete("PyTorch's randperm is no method of a tensor; use torch.randperm.")]
        public partial Tensor randperm_out(long n);

        /// <summary>Fills the tensor with random integers in [from, to).</summary>
        public Tensor random_(double from, double to, Generator? generator = null) => Drawn_((long)from, (long)to, generator);
    }
}

using static TorchSharp.torch;

namespace Uncaught
{
    /// <summary>Multiplies the input by itself.</summary>
    public sealed class Squared : nn.Module<Tensor, Tensor>
    {
        public Squared()
            : base("Squared")
        {
        }

        public override Tensor forward(Tensor x) => x.matmul(x);
    }
}

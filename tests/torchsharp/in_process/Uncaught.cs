using static TorchSharp.torch;

namespace Uncaught
{
    /// <summary>The variance of each column.</summary>
    public sealed class Spread : nn.Module<Tensor, Tensor>
    {
        public Spread()
            : base("Spread")
        {
        }

        public override Tensor forward(Tensor x) => x.var([0L]);
    }
}

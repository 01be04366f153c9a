using static TorchSharp.torch;

namespace Caught
{
    /// <summary>Adds the input to itself, transposed.</summary>
    public sealed class Added : nn.Module<Tensor, Tensor>
    {
        public Added()
            : base("Added")
        {
        }

        public override Tensor forward(Tensor x) => x.add(x.t()).view(x.shape);
    }
}

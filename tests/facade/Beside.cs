using TorchSharp;
using static TorchSharp.torch;

namespace Beside;

/// <summary>Compiled against the facade, and uses a library that was compiled against TorchSharp.</summary>
public class Net : nn.Module<Tensor, Tensor>
{
    private readonly nn.Module<Tensor, Tensor> block = Layers.Blocks.Block(4);

    public Net() : base(nameof(Net)) => RegisterComponents();

    public override Tensor forward(Tensor x) => Layers.Blocks.Twice(block.call(x));
}

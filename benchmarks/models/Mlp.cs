using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace BenchmarkModels;

/// <summary>Linear and ReLU, n times.</summary>
public class Mlp : Module<Tensor, Tensor>
{
    private readonly Sequential layers = Sequential();

    public Mlp(long depth, long width) : base(nameof(Mlp))
    {
        for (var i = 0; i < depth; i++)
        {
            layers.append(Linear(width, width));
            layers.append(ReLU());
        }

        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => layers.call(input);
}

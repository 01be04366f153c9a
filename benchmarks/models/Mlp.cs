using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace BenchmarkModels;

/// <summary>Linear and ReLU, n times.</summary>
public sealed class Mlp : Module<Tensor, Tensor>
{
    private readonly Sequential layers = Sequential();
    private long seen;

    public Mlp(long depth, long width, bool hooked = false) : base(nameof(Mlp))
    {
        for (var i = 0; i < depth; i++)
        {
            layers.append(Linear(width, width));
            layers.append(ReLU());
        }

        RegisterComponents();
        if (!hooked) return;
        foreach (var module in modules().Prepend(this).Distinct()) module.register_forward_hook(Count);
    }

    public override Tensor forward(Tensor input) => layers.call(input);

    // What a hook that does nothing costs.
    private object? Count(Module module, object?[] args, object? output)
    {
        seen++;
        return null;
    }
}

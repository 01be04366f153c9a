using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Disposes what its child gives, which a hook keeps.</summary>
public sealed class Disposing : Module<Tensor, Tensor>
{
    private readonly Sequential child = Sequential(Identity());
    private readonly List<Tensor> seen = [];

    public Disposing(long size) : base(nameof(Disposing))
    {
        RegisterComponents();
        ((Module)child).register_forward_pre_hook((module, args) => [(Tensor)args[0]! + 1]);
        ((Module)child).register_forward_hook((module, args, output) =>
        {
            if (size > 0) seen.Add((Tensor)output!);
            return null;
        });
    }

    public long kept => seen.Count;

    public double sum => seen.Sum(tensor => tensor.sum().item<float>());

    public override Tensor forward(Tensor input)
    {
        using var hidden = child.call(input);
        return hidden + input;
    }
}

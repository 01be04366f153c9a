using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>
/// Chains of built-ins, with modules between them that make tensors, keep one, or throw for what begins with -7; the tensors that .NET has
/// when it is called.
/// </summary>
public sealed class Reused : Module<Tensor, (Tensor, Tensor, Tensor)>
{
    private readonly Sequential layers;
    private readonly Sequential others;
    private readonly Keep keep = new();

    public Reused() : base(nameof(Reused))
    {
        layers = Sequential(ReLU(), new Add(), Sigmoid(), Tanh(), new Triple());
        others = Sequential(ReLU(), Tanh(), ReLU(), keep, Sigmoid(), Tanh());
        RegisterComponents();
    }

    public override (Tensor, Tensor, Tensor) forward(Tensor input)
    {
        keep.Drop(); // what the last call kept
        GC.Collect();
        GC.WaitForPendingFinalizers();
        var count = tensor(Tensor.TotalCount);
        if (input[0].item<float>() == -7) input = cat([input, input]);
        var result = layers.call(input);
        others.call(input);
        return (result, keep.Kept!.alias(), count);
    }

    private sealed class Add() : Module<Tensor, Tensor>(nameof(Add))
    {
        public override Tensor forward(Tensor input) =>
            input.shape[0] == 14 ? throw new InvalidOperationException("on purpose") : input + ones_like(input);
    }

    private sealed class Triple() : Module<Tensor, Tensor>(nameof(Triple))
    {
        public override Tensor forward(Tensor input)
        {
            var (one, two) = (input * 1, input * 2);
            return one + two;
        }
    }

    private sealed class Keep() : Module<Tensor, Tensor>(nameof(Keep))
    {
        public Tensor? Kept { get; private set; }

        public void Drop() => Kept = null;

        public override Tensor forward(Tensor input) => Kept = input;
    }
}

using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>
/// Three built-ins in a Sequential, and one that counts: what was freed before it is called, and what a hook has seen and cannot use any
/// more.
/// </summary>
public sealed class Chain : Module<Tensor, Tensor>
{
    private readonly Sequential layers;
    private readonly Count count;
    private readonly List<Tensor> seen = [];

    public Chain(bool hooked = false) : base(nameof(Chain))
    {
        count = new(seen);
        var second = ReLU();
        layers = Sequential(ReLU(), second, ReLU(), count);
        RegisterComponents();
        if (!hooked) return;
        second.register_forward_hook((Module<Tensor, Tensor> _, Tensor input, Tensor output) =>
        {
            seen.AddRange([input, output]);
            return null!;
        });
    }

    public override Tensor forward(Tensor input)
    {
        count.Begin();
        return layers.call(input);
    }

    private sealed class Count(List<Tensor> seen) : Module<Tensor, Tensor>(nameof(Count))
    {
        private long before;

        private static long Freed => DisposeScopeManager.Statistics.TensorStatistics.DisposedInScopeCount;

        public void Begin() => before = Freed;

        public override Tensor forward(Tensor input) => tensor(new[] { Freed - before, seen.Count(one => one.IsInvalid) });
    }
}

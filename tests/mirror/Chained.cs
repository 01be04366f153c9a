using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Built-ins that are one operator each, one after another, with hooks on all of them that look at no values.</summary>
public sealed class Chained : Module<Tensor, Tensor>
{
    private readonly Sequential layers = Sequential(
        Linear(4, 4), ReLU(), Linear(4, 4, hasBias: false), Tanh(), Linear(4, 4), Sigmoid(), SiLU(), Linear(4, 4));

    private readonly long replaces;
    private readonly long throws;
    private readonly bool turns;
    private readonly long removes;
    private readonly List<IDisposable> handles = [];

    /// <param name="hooked">There are hooks.</param>
    /// <param name="replaces">The hook that gives a tensor in place of the result, by how many ran before.</param>
    /// <param name="throws">The one that throws.</param>
    /// <param name="turns">Each call makes the ReLU one that works in place, or no longer so.</param>
    /// <param name="each">How many hooks each layer has.</param>
    /// <param name="removes">The hook that removes the one after it.</param>
    public Chained(bool hooked = false, long replaces = -1, long throws = -1, bool turns = false, long each = 1, long removes = -1)
        : base(nameof(Chained))
    {
        (this.replaces, this.throws, this.turns, this.removes) = (replaces, throws, turns, removes);
        RegisterComponents();
        if (!hooked) return;
        foreach (var layer in layers.children())
            for (var i = 0; i < each; i++) handles.Add(layer.register_forward_hook(Count));
    }

    /// <summary>How many hooks ran.</summary>
    public long Seen;

    /// <summary>The tensors that the calls made in their scopes, and disposed there, as TorchSharp counts them.</summary>
    public long Made => DisposeScopeManager.Statistics.TensorStatistics.CreatedInScopeCount;

    public long Disposed => DisposeScopeManager.Statistics.TensorStatistics.DisposedInScopeCount;

    public override Tensor forward(Tensor input)
    {
        if (turns) ((ReLU)layers[1]).inplace ^= true;
        return layers.call(input);
    }

    private object? Count(Module module, object?[] args, object? output)
    {
        var number = Seen++;
        if (number == removes) handles[(int)number + 1].Dispose();
        if (number == throws) throw new InvalidOperationException("on purpose");
        return number == replaces ? full(2, 4, 0.5f) : null;
    }
}

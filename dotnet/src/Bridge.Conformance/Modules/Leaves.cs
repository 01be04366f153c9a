using System.Text.Json;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>A module with the constants of a leaf, which another may read.</summary>
internal interface ILeaf
{
    Tensor Weight { get; }

    Tensor Bias { get; }
}

/// <summary><c>x * weight + bias</c>.</summary>
/// <typeparam name="T">What it takes and gives: a tensor, or <c>object</c>.</typeparam>
public class Leaf<T> : Module<T, T>, ILeaf where T : class?
{
    // Not private: TorchSharp before 0.104 registers no private field of a base class.
    private protected readonly Tensor weight;
    private protected readonly Tensor bias;
    private readonly Part _part;

    /// <summary>Makes the node's module.</summary>
    public Leaf(Part part) : base("Leaf")
    {
        _part = part;
        weight = part.Constant("k", 2);
        bias = part.Constant("c", 1);
        RegisterComponents();
    }

    Tensor ILeaf.Weight => weight;

    Tensor ILeaf.Bias => bias;

    private protected Part Part => _part;

    /// <inheritdoc/>
    public override T forward(T x)
    {
        _part.Enter(this, x);
        return Compute(x);
    }

    private protected virtual T Compute(T x) => (T)(object)(Operand.Times(x, weight) + bias);
}

/// <summary>A leaf on the detached argument.</summary>
public sealed class Detach<T>(Part part) : Leaf<T>(part) where T : class?
{
    private protected override T Compute(T x) => base.Compute((T)(object)Operand.Tensor(x).detach());
}

/// <summary>Registers a hook during its first <c>forward</c>, then does as a leaf.</summary>
public sealed class Register<T>(Part part) : Leaf<T>(part) where T : class?
{
    private int _done;

    private protected override T Compute(T x)
    {
        if (Interlocked.Exchange(ref _done, 1) == 0) Part.Recorder.Register(Part.Node.GetProperty("register"));
        return base.Compute(x);
    }
}

/// <summary>Calls itself some times, then does as a leaf.</summary>
public sealed class Recurse<T>(Part part) : Leaf<T>(part) where T : class?
{
    private readonly Depth _depth = new(part.Node);

    private protected override T Compute(T x) => _depth.Run(deeper => deeper ? call(x) : base.Compute(x));
}

/// <summary>How often a recursion still goes down, for each thread.</summary>
internal sealed class Depth(JsonElement node)
{
    // By the object: a copy of the module has one of its own, while a ThreadLocal would be shared with it (I-1).
    [ThreadStatic]
    private static Dictionary<Depth, int>? _left;

    internal T Run<T>(Func<bool, T> compute)
    {
        var left = _left ??= [];
        var outermost = left.TryAdd(this, node.Integer("depth", 1));
        try
        {
            if (left[this] == 0) return compute(false);
            left[this]--;
            return compute(true);
        }
        finally
        {
            if (outermost) left.Remove(this);
        }
    }
}

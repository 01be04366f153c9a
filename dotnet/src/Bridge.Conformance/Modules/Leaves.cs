using System.Text.Json;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>A module with a weight and a bias, which its parent may read.</summary>
internal interface ILeaf
{
    Tensor Weight { get; }

    Tensor Bias { get; }
}

/// <summary>Computes <c>x * weight + bias</c>.</summary>
/// <typeparam name="T">The argument and the result: a tensor, or <c>object</c>.</typeparam>
public class Leaf<T> : Module<T, T>, ILeaf where T : class?
{
    // Not private, because TorchSharp before 0.104 does not register private fields of a base class.
    private protected readonly Tensor weight;
    private protected readonly Tensor bias;
    private readonly ProgramNode _node;

    /// <summary>Creates the module of a node.</summary>
    public Leaf(ProgramNode node) : base("Leaf")
    {
        _node = node;
        weight = node.Constant("k", 2);
        bias = node.Constant("c", 1);
        RegisterComponents();
    }

    Tensor ILeaf.Weight => weight;

    Tensor ILeaf.Bias => bias;

    private protected ProgramNode Node => _node;

    /// <inheritdoc/>
    public override T forward(T x)
    {
        _node.Enter(this, x);
        return Compute(x);
    }

    private protected virtual T Compute(T x) => (T)(object)(Operand.Times(x, weight) + bias);
}

/// <summary>Computes <c>x.detach() * weight + bias</c>.</summary>
public sealed class Detach<T>(ProgramNode node) : Leaf<T>(node) where T : class?
{
    private protected override T Compute(T x) => base.Compute((T)(object)Operand.Tensor(x).detach());
}

/// <summary>Registers a hook during its first <c>forward</c>, then computes like <see cref="Leaf{T}"/>.</summary>
public sealed class Register<T>(ProgramNode node) : Leaf<T>(node) where T : class?
{
    private int _done;

    private protected override T Compute(T x)
    {
        if (Interlocked.Exchange(ref _done, 1) == 0) Node.Recorder.Register(Node.Json.GetProperty("register"));
        return base.Compute(x);
    }
}

/// <summary>Calls itself recursively, <c>depth</c> levels deep; the innermost call computes like <see cref="Leaf{T}"/>.</summary>
public sealed class Recurse<T>(ProgramNode node) : Leaf<T>(node) where T : class?
{
    private readonly Depth _depth = new(node.Json);

    private protected override T Compute(T x) => _depth.Run(deeper => deeper ? call(x) : base.Compute(x));
}

/// <summary>Counts the remaining levels of a recursion, for each thread.</summary>
internal sealed class Depth(JsonElement node)
{
    // A ThreadLocal field would be shared between a module and its copy (I-1).
    [ThreadStatic]
    private static Dictionary<Depth, int>? _remaining;

    internal T Run<T>(Func<bool, T> compute)
    {
        var remaining = _remaining ??= [];
        var outermost = remaining.TryAdd(this, node.Integer("depth", 1));
        try
        {
            if (remaining[this] == 0) return compute(false);
            remaining[this]--;
            return compute(true);
        }
        finally
        {
            if (outermost) remaining.Remove(this);
        }
    }
}

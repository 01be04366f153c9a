using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>Computes two tensors. A derived class chooses what is returned, for instance a list of both.</summary>
/// <typeparam name="T">The argument: a tensor, or <c>object</c>.</typeparam>
/// <typeparam name="TResult">The result.</typeparam>
public abstract class Give<T, TResult> : Module<T, TResult>, ILeaf
{
    // Not private, because TorchSharp before 0.104 does not register private fields of a base class.
    private protected readonly Tensor weight;
    private protected readonly Tensor bias;
    private readonly ProgramNode _node;

    private protected Give(ProgramNode node) : base("Give")
    {
        _node = node;
        weight = node.Constant("k", 2);
        bias = node.Constant("c", 1);
        RegisterComponents();
    }

    Tensor ILeaf.Weight => weight;

    Tensor ILeaf.Bias => bias;

    /// <inheritdoc/>
    public override TResult forward(T x)
    {
        _node.Enter(this, x);
        return Pack(Operand.Times(x, weight) + bias, Operand.Times(x, weight));
    }

    private protected abstract TResult Pack(Tensor r, Tensor s);
}

/// <summary>Returns a tuple.</summary>
public sealed class GiveTuple(ProgramNode node) : Give<Tensor, (Tensor, Tensor)>(node)
{
    private protected override (Tensor, Tensor) Pack(Tensor r, Tensor s) => (r, s);
}

/// <summary>Returns a list.</summary>
public sealed class GiveList(ProgramNode node) : Give<Tensor, List<Tensor>>(node)
{
    private protected override List<Tensor> Pack(Tensor r, Tensor s) => [r, s];
}

/// <summary>Returns a dictionary.</summary>
public sealed class GiveDict(ProgramNode node) : Give<Tensor, Dictionary<string, Tensor>>(node)
{
    private protected override Dictionary<string, Tensor> Pack(Tensor r, Tensor s) => new() { ["a"] = r, ["b"] = s };
}

/// <summary>Returns a tuple in a tuple.</summary>
public sealed class GiveNested(ProgramNode node) : Give<Tensor, (ValueTuple<Tensor>, Tensor)>(node)
{
    private protected override (ValueTuple<Tensor>, Tensor) Pack(Tensor r, Tensor s) => (new(r), s);
}

/// <summary>Returns a tuple in which the second tensor is detached from the graph.</summary>
public sealed class GiveUnused(ProgramNode node) : Give<Tensor, (Tensor, Tensor)>(node)
{
    private protected override (Tensor, Tensor) Pack(Tensor r, Tensor s) => (r, s.detach());
}

/// <summary>Returns null.</summary>
public sealed class GiveNone(ProgramNode node) : Give<Tensor, Tensor?>(node)
{
    private protected override Tensor? Pack(Tensor r, Tensor s) => null;
}

/// <summary>Returns a plain integer.</summary>
public sealed class GivePlain(ProgramNode node) : Give<Tensor, long>(node)
{
    private protected override long Pack(Tensor r, Tensor s) => 7;
}

/// <summary>Returns what the node's field <c>form</c> names, like the classes above, but declares it as <c>object</c>.</summary>
public sealed class GiveOfObject(ProgramNode node) : Give<object?, object?>(node)
{
    private readonly string _form = node.Text("form", "plain");

    private protected override object? Pack(Tensor r, Tensor s) => _form switch
    {
        "tuple" => (r, s),
        "list" => new List<object?> { r, s },
        "dict" => new Dictionary<string, object?> { ["a"] = r, ["b"] = s },
        "nested" => (new ValueTuple<Tensor>(r), s),
        "unused" => (r, s.detach()),
        "none" => null,
        _ => 7L,
    };
}

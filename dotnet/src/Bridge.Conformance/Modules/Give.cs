using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>A module with two tensors to give in some form.</summary>
/// <typeparam name="T">What it takes: a tensor, or <c>object</c>.</typeparam>
/// <typeparam name="TResult">What it gives.</typeparam>
public abstract class Give<T, TResult> : Module<T, TResult>, ILeaf
{
    // Not private: TorchSharp before 0.104 registers no private field of a base class.
    private protected readonly Tensor weight;
    private protected readonly Tensor bias;
    private readonly Part _part;

    private protected Give(Part part) : base("Give")
    {
        _part = part;
        weight = part.Constant("k", 2);
        bias = part.Constant("c", 1);
        RegisterComponents();
    }

    Tensor ILeaf.Weight => weight;

    Tensor ILeaf.Bias => bias;

    /// <inheritdoc/>
    public override TResult forward(T x)
    {
        _part.Enter(this, x);
        return Formed(Operand.Times(x, weight) + bias, Operand.Times(x, weight));
    }

    private protected abstract TResult Formed(Tensor r, Tensor s);
}

/// <summary>Gives a tuple.</summary>
public sealed class GiveTuple(Part part) : Give<Tensor, (Tensor, Tensor)>(part)
{
    private protected override (Tensor, Tensor) Formed(Tensor r, Tensor s) => (r, s);
}

/// <summary>Gives a list.</summary>
public sealed class GiveList(Part part) : Give<Tensor, List<Tensor>>(part)
{
    private protected override List<Tensor> Formed(Tensor r, Tensor s) => [r, s];
}

/// <summary>Gives a dictionary.</summary>
public sealed class GiveDict(Part part) : Give<Tensor, Dictionary<string, Tensor>>(part)
{
    private protected override Dictionary<string, Tensor> Formed(Tensor r, Tensor s) => new() { ["a"] = r, ["b"] = s };
}

/// <summary>Gives a tuple in a tuple.</summary>
public sealed class GiveNested(Part part) : Give<Tensor, (ValueTuple<Tensor>, Tensor)>(part)
{
    private protected override (ValueTuple<Tensor>, Tensor) Formed(Tensor r, Tensor s) => (new(r), s);
}

/// <summary>Gives a tuple of which one tensor has no graph.</summary>
public sealed class GiveUnused(Part part) : Give<Tensor, (Tensor, Tensor)>(part)
{
    private protected override (Tensor, Tensor) Formed(Tensor r, Tensor s) => (r, s.detach());
}

/// <summary>Gives nothing.</summary>
public sealed class GiveNone(Part part) : Give<Tensor, Tensor?>(part)
{
    private protected override Tensor? Formed(Tensor r, Tensor s) => null;
}

/// <summary>Gives a plain integer.</summary>
public sealed class GivePlain(Part part) : Give<Tensor, long>(part)
{
    private protected override long Formed(Tensor r, Tensor s) => 7;
}

/// <summary>Gives any of these, over <c>object</c>.</summary>
public sealed class GiveOfObject(Part part) : Give<object?, object?>(part)
{
    private readonly string _form = part.Text("form", "plain");

    private protected override object? Formed(Tensor r, Tensor s) => _form switch
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

using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>Gives its argument, the same object.</summary>
public sealed class Identity<T>(Part part) : Module<T, T>(nameof(Identity<T>))
{
    /// <inheritdoc/>
    public override T forward(T x)
    {
        part.Enter(this, x);
        return x;
    }
}

/// <summary>Raises.</summary>
public sealed class Raise<T, TResult>(Part part) : Module<T, TResult>(nameof(Raise<T, TResult>))
{
    /// <inheritdoc/>
    public override TResult forward(T x)
    {
        part.Enter(this, x);
        throw Errors.Make(part.Text("error", nameof(Error)), part.Text("message", "boom"));
    }
}

/// <summary>Several arguments, the last with a default.</summary>
public sealed class Inputs : Module<Tensor, Tensor, Tensor?, Tensor>
{
    private readonly Part _part;
    private readonly Tensor one;
    private readonly Tensor two;
    private readonly Tensor four;

    /// <summary>Makes the node's module.</summary>
    public Inputs(Part part) : base(nameof(Inputs))
    {
        _part = part;
        (one, two, four) = (part.Constant("one", 1), part.Constant("two", 2), part.Constant("four", 4));
        RegisterComponents();
    }

    /// <inheritdoc/>
    public override Tensor forward(Tensor a, Tensor b, Tensor? c = null)
    {
        _part.Enter(this, [a, b], ("c", c));
        var result = a * one + b * two;
        return c is null ? result : result + c * four;
    }
}

/// <summary>The same over <c>object</c>.</summary>
public sealed class InputsOfObject : Module<object?, object?, object?, object?>
{
    private readonly Part _part;
    private readonly Tensor one;
    private readonly Tensor two;
    private readonly Tensor four;

    /// <summary>Makes the node's module.</summary>
    public InputsOfObject(Part part) : base(nameof(Inputs))
    {
        _part = part;
        (one, two, four) = (part.Constant("one", 1), part.Constant("two", 2), part.Constant("four", 4));
        RegisterComponents();
    }

    /// <inheritdoc/>
    public override object? forward(object? a, object? b, object? c = null)
    {
        _part.Enter(this, [a, b], ("c", c));
        var result = Operand.Times(a, one) + Operand.Times(b, two);
        return c is null ? result : result + Operand.Times(c, four);
    }
}

/// <summary>Arguments that are given by name.</summary>
public sealed class Keyword(Part part) : Module<Tensor, Tensor?, Tensor?, Tensor>(nameof(Keyword))
{
    /// <inheritdoc/>
    public override Tensor forward(Tensor x, Tensor? scale = null, Tensor? shift = null)
    {
        part.Enter(this, [x], ("scale", scale), ("shift", shift));
        var result = scale is null ? x : x * scale;
        return shift is null ? result : result + shift;
    }
}

/// <summary>The same over <c>object</c>.</summary>
public sealed class KeywordOfObject(Part part) : Module<object?, object?, object?, object?>(nameof(Keyword))
{
    /// <inheritdoc/>
    public override object? forward(object? x, object? scale = null, object? shift = null)
    {
        part.Enter(this, [x], ("scale", scale), ("shift", shift));
        var result = scale is null ? x : Operand.Times(x, scale);
        return shift is null ? result : Operand.Plus(result, shift);
    }
}

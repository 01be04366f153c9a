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
/// <typeparam name="T">What they are, and the result: tensors, or <c>object</c>.</typeparam>
public sealed class Inputs<T> : Module<T, T, T?, T> where T : class?
{
    private readonly Part _part;
    private readonly Tensor one;
    private readonly Tensor two;
    private readonly Tensor four;

    /// <summary>Makes the node's module.</summary>
    public Inputs(Part part) : base("Inputs")
    {
        _part = part;
        (one, two, four) = (part.Constant("one", 1), part.Constant("two", 2), part.Constant("four", 4));
        RegisterComponents();
    }

    /// <inheritdoc/>
    public override T forward(T a, T b, T? c = null)
    {
        _part.Enter(this, [a, b], ("c", c));
        var result = Operand.Times(a, one) + Operand.Times(b, two);
        return (T)(object)(c is null ? result : result + Operand.Times(c, four));
    }
}

/// <summary>Arguments that are given by name.</summary>
/// <typeparam name="T">What they are, and the result: tensors, or <c>object</c>.</typeparam>
public sealed class Keyword<T>(Part part) : Module<T, T?, T?, T>("Keyword") where T : class?
{
    /// <inheritdoc/>
    public override T forward(T x, T? scale = null, T? shift = null)
    {
        part.Enter(this, [x], ("scale", scale), ("shift", shift));
        object? result = scale is null ? x : Operand.Times(x, scale);
        return (T)(shift is null ? result : Operand.Plus(result, shift))!;
    }
}

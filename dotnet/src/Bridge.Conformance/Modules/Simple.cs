using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>Returns its argument, the same object.</summary>
public sealed class Identity<T>(ProgramNode node) : Module<T, T>(nameof(Identity<T>))
{
    /// <inheritdoc/>
    public override T forward(T x)
    {
        node.Enter(this, x);
        return x;
    }
}

/// <summary>Raises the exception that its node in the hook program describes.</summary>
public sealed class Raise<T, TResult>(ProgramNode node) : Module<T, TResult>(nameof(Raise<T, TResult>))
{
    /// <inheritdoc/>
    public override TResult forward(T x)
    {
        node.Enter(this, x);
        throw Errors.Make(node.Text("error", nameof(Error)), node.Text("message", "boom"));
    }
}

/// <summary>Computes the weighted sum of two or three arguments.</summary>
/// <typeparam name="T">The arguments and the result: tensors, or <c>object</c>.</typeparam>
public sealed class Inputs<T> : Module<T, T, T?, T> where T : class?
{
    private readonly ProgramNode _node;
    private readonly Tensor one;
    private readonly Tensor two;
    private readonly Tensor four;

    /// <summary>Creates the module of a node.</summary>
    public Inputs(ProgramNode node) : base("Inputs")
    {
        _node = node;
        (one, two, four) = (node.Constant("one", 1), node.Constant("two", 2), node.Constant("four", 4));
        RegisterComponents();
    }

    /// <inheritdoc/>
    public override T forward(T a, T b, T? c = null)
    {
        _node.Enter(this, [a, b], ("c", c));
        var result = Operand.Times(a, one) + Operand.Times(b, two);
        return (T)(object)(c is null ? result : result + Operand.Times(c, four));
    }
}

/// <summary>Scales and shifts its argument by keyword arguments.</summary>
/// <typeparam name="T">The arguments and the result: tensors, or <c>object</c>.</typeparam>
public sealed class Keyword<T>(ProgramNode node) : Module<T, T?, T?, T>("Keyword") where T : class?
{
    /// <inheritdoc/>
    public override T forward(T x, T? scale = null, T? shift = null)
    {
        node.Enter(this, [x], ("scale", scale), ("shift", shift));
        object? result = scale is null ? x : Operand.Times(x, scale);
        return (T)(shift is null ? result : Operand.Plus(result, shift))!;
    }
}

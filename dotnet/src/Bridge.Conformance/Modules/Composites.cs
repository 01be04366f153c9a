using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>How a composite runs its children.</summary>
internal abstract class Flow
{
    internal Child[] Children { get; set; } = [];

    internal abstract object? Run(object?[] args);
}

/// <summary>One after the other.</summary>
internal sealed class InSequence : Flow
{
    internal override object? Run(object?[] args)
    {
        foreach (var child in Children) args = [child.Run(args)];
        return args[0];
    }
}

/// <summary>Each with the same arguments; the results are added.</summary>
internal sealed class InParallel(Func<object?, object?, object?> plus) : Flow
{
    internal override object? Run(object?[] args)
    {
        var results = Children.Select(child => child.Run(args)).ToArray();
        return results.Aggregate(plus);
    }
}

/// <summary>The one child; when that raises an error of the program, the argument.</summary>
internal sealed class Swallowing : Flow
{
    internal override object? Run(object?[] args)
    {
        try
        {
            return Children[0].Run(args);
        }
        catch (Exception exception) when (Errors.IsError(exception))
        {
            return args[0];
        }
    }
}

/// <summary>A module with children.</summary>
internal interface IComposite
{
    Flow Flow { get; }
}

/// <summary>A composite of modules with one argument.</summary>
public sealed class Composite<T, TResult> : Module<T, TResult>, IComposite
{
    private readonly Part _part;
    private readonly Flow _flow;

    internal Composite(Part part, Flow flow) : base("Composite") => (_part, _flow) = (part, flow);

    Flow IComposite.Flow => _flow;

    /// <inheritdoc/>
    public override TResult forward(T x)
    {
        _part.Enter(this, x);
        return (TResult)_flow.Run([x])!;
    }
}

/// <summary>A composite of modules with several arguments.</summary>
public sealed class Composite<T1, T2, T3, TResult> : Module<T1, T2, T3, TResult>, IComposite
{
    private readonly Part _part;
    private readonly Flow _flow;

    internal Composite(Part part, Flow flow) : base("Composite") => (_part, _flow) = (part, flow);

    Flow IComposite.Flow => _flow;

    /// <inheritdoc/>
    public override TResult forward(T1 a, T2 b = default!, T3 c = default!)
    {
        object?[] given = c is not null ? [a, b, c] : b is not null ? [a, b] : [a];
        _part.Enter(this, given);
        return (TResult)_flow.Run(given)!;
    }
}

/// <summary>Reads its one child's constants and never calls it.</summary>
/// <typeparam name="T">A tensor, or <c>object</c>.</typeparam>
public sealed class Opaque<T> : Module<T, T> where T : class?
{
    private readonly Part _part;
    private readonly Func<ILeaf> _child; // a field that held it would register it a second time, under the field's name

    internal Opaque(Part part, ILeaf child) : base("Opaque") => (_part, _child) = (part, () => child);

    /// <inheritdoc/>
    public override T forward(T x)
    {
        _part.Enter(this, x);
        var child = _child();
        return (T)(object)(Operand.Times(x, child.Weight) + child.Bias);
    }
}

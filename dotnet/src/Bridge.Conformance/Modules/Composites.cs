using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>The order in which a module calls its children, and how it combines their results.</summary>
internal abstract class Flow
{
    internal ChildCall[] Children { get; set; } = [];

    internal abstract object? Run(object?[] args);
}

/// <summary>Calls the children one after the other.</summary>
internal sealed class SequenceFlow : Flow
{
    internal override object? Run(object?[] args)
    {
        foreach (var child in Children) args = [child.Invoke(args)];
        return args[0];
    }
}

/// <summary>Calls each child with the same arguments and adds the results.</summary>
internal sealed class ParallelFlow(Func<object?, object?, object?> plus) : Flow
{
    internal override object? Run(object?[] args)
    {
        var results = Children.Select(child => child.Invoke(args)).ToArray();
        return results.Aggregate(plus);
    }
}

/// <summary>Calls the first child. If the child raises an error of the hook program, returns the first argument.</summary>
internal sealed class SwallowFlow : Flow
{
    internal override object? Run(object?[] args)
    {
        try
        {
            return Children[0].Invoke(args);
        }
        catch (Exception exception) when (Errors.IsError(exception))
        {
            return args[0];
        }
    }
}

/// <summary>A module with child modules.</summary>
internal interface IComposite
{
    Flow Flow { get; }
}

/// <summary>A module with child modules and one argument.</summary>
public sealed class Composite<T, TResult> : Module<T, TResult>, IComposite
{
    private readonly ProgramNode _node;
    private readonly Flow _flow;

    internal Composite(ProgramNode node, Flow flow) : base("Composite") => (_node, _flow) = (node, flow);

    Flow IComposite.Flow => _flow;

    /// <inheritdoc/>
    public override TResult forward(T x)
    {
        _node.Enter(this, x);
        return (TResult)_flow.Run([x])!;
    }
}

/// <summary>A module with child modules and up to three arguments.</summary>
public sealed class Composite<T1, T2, T3, TResult> : Module<T1, T2, T3, TResult>, IComposite
{
    private readonly ProgramNode _node;
    private readonly Flow _flow;

    internal Composite(ProgramNode node, Flow flow) : base("Composite") => (_node, _flow) = (node, flow);

    Flow IComposite.Flow => _flow;

    /// <inheritdoc/>
    public override TResult forward(T1 a, T2 b = default!, T3 c = default!)
    {
        object?[] given = c is not null ? [a, b, c] : b is not null ? [a, b] : [a];
        _node.Enter(this, given);
        return (TResult)_flow.Run(given)!;
    }
}

/// <summary>Computes the result of its only child from the child's weight and bias, without calling the child (Z-1).</summary>
/// <typeparam name="T">A tensor, or <c>object</c>.</typeparam>
public sealed class Opaque<T> : Module<T, T> where T : class?
{
    private readonly ProgramNode _node;
    private readonly Func<ILeaf> _child; // A function: a field that held the child would register it again, under the field's name.

    internal Opaque(ProgramNode node, ILeaf child) : base("Opaque") => (_node, _child) = (node, () => child);

    /// <inheritdoc/>
    public override T forward(T x)
    {
        _node.Enter(this, x);
        var child = _child();
        return (T)(object)(Operand.Times(x, child.Weight) + child.Bias);
    }
}

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
public class Leaf : Module<Tensor, Tensor>, ILeaf
{
    private readonly Part _part;
    private readonly Tensor weight;
    private readonly Tensor bias;

    /// <summary>Makes the node's module.</summary>
    public Leaf(Part part) : base(nameof(Leaf))
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
    public override Tensor forward(Tensor x)
    {
        _part.Enter(this, x);
        return Compute(x);
    }

    private protected virtual Tensor Compute(Tensor x) => x * weight + bias;
}

/// <summary>A leaf over <c>object</c>.</summary>
public class LeafOfObject : Module<object?, object?>, ILeaf
{
    private readonly Part _part;
    private readonly Tensor weight;
    private readonly Tensor bias;

    /// <summary>Makes the node's module.</summary>
    public LeafOfObject(Part part) : base(nameof(Leaf))
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
    public override object? forward(object? x)
    {
        _part.Enter(this, x);
        return Compute(x);
    }

    private protected virtual object? Compute(object? x) => Operand.Times(x, weight) + bias;
}

/// <summary>A leaf on the detached argument.</summary>
public sealed class Detach(Part part) : Leaf(part)
{
    private protected override Tensor Compute(Tensor x) => base.Compute(Operand.Tensor(x).detach());
}

/// <summary>The same over <c>object</c>.</summary>
public sealed class DetachOfObject(Part part) : LeafOfObject(part)
{
    private protected override object? Compute(object? x) => base.Compute(Operand.Tensor(x).detach());
}

/// <summary>Registers a hook during its first <c>forward</c>, then does as a leaf.</summary>
public sealed class Register(Part part) : Leaf(part)
{
    private int _done;

    private protected override Tensor Compute(Tensor x)
    {
        if (Interlocked.Exchange(ref _done, 1) == 0) Part.Recorder.Register(Part.Node.GetProperty("register"));
        return base.Compute(x);
    }
}

/// <summary>The same over <c>object</c>.</summary>
public sealed class RegisterOfObject(Part part) : LeafOfObject(part)
{
    private int _done;

    private protected override object? Compute(object? x)
    {
        if (Interlocked.Exchange(ref _done, 1) == 0) Part.Recorder.Register(Part.Node.GetProperty("register"));
        return base.Compute(x);
    }
}

/// <summary>Calls itself some times, then does as a leaf.</summary>
public sealed class Recurse(Part part) : Leaf(part)
{
    private readonly Depth _depth = new(part);

    private protected override Tensor Compute(Tensor x) => _depth.Run(deeper => deeper ? call(x) : base.Compute(x));
}

/// <summary>The same over <c>object</c>.</summary>
public sealed class RecurseOfObject(Part part) : LeafOfObject(part)
{
    private readonly Depth _depth = new(part);

    private protected override object? Compute(object? x) => _depth.Run(deeper => deeper ? call(x) : base.Compute(x));
}

/// <summary>How often a recursion still goes down; of each thread its own.</summary>
internal sealed class Depth(Part part)
{
    private readonly ThreadLocal<int?> _left = new();

    internal T Run<T>(Func<bool, T> compute)
    {
        var outermost = _left.Value is null;
        try
        {
            _left.Value ??= part.Node.TryGetProperty("depth", out var depth) ? depth.GetInt32() : 1;
            if (_left.Value == 0) return compute(false);
            _left.Value--;
            return compute(true);
        }
        finally
        {
            if (outermost) _left.Value = null;
        }
    }
}

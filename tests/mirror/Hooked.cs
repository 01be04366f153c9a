using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Registers C# hooks: in its constructor, or on itself or its child from forward.</summary>
public sealed class Hooked : Module<Tensor, Tensor>
{
    private readonly Linear child = Linear(2, 2);
    private readonly string from;
    private Action? unhook;

    public Hooked(string from) : base(nameof(Hooked))
    {
        this.from = from;
        RegisterComponents();
        if (from == "constructor")
        {
            child.register_forward_hook((_, _, result) => result + 1);
            child.register_forward_hook((_, _, result) => result * 2);
            child.register_forward_pre_hook((_, x) => x * 10);
            register_forward_hook((module, _, result) => result + ((Hooked)module).child.parameters().Sum(p => p.numel()));
        }
    }

    public override Tensor forward(Tensor input)
    {
        if (from == "weights" && unhook is null)
            unhook = child.register_forward_hook((module, _, result) => result + ((Linear)module).weight!.sum()).remove;
        if (from == "self" && unhook is null) unhook = register_forward_hook((_, _, result) => result + 100).remove;
        if (from == "child" && unhook is null) unhook = child.register_forward_hook((_, _, result) => result + 100).remove;
        if (from == "remove")
        {
            unhook?.Invoke();
            unhook?.Invoke();
            unhook = child.register_forward_hook((_, _, result) => result + 100).remove;
        }

        return child.call(input);
    }
}

/// <summary>Keeps tensors in a field, a list and a hook's closure.</summary>
public sealed class Keeper : Module<Tensor, Tensor>
{
    private readonly List<Tensor> history = [];
    private readonly List<Tensor> seen = [];
    private readonly Linear child = Linear(2, 2);
    private Tensor? last;

    public Keeper() : base(nameof(Keeper))
    {
        RegisterComponents();
        child.register_forward_hook((_, _, result) => { seen.Add(result); return result; });
    }

    public override Tensor forward(Tensor input)
    {
        var y = child.call(input);
        var sum = y;
        if (last is not null) sum = sum + last;
        foreach (var old in history) sum = sum + old;
        foreach (var old in seen) sum = sum + old;
        last = y * 1;
        history.Add(y * 1);
        return sum;
    }
}

/// <summary>Children that keep what they make in their parent's list, in a field, and in a tuple that they return.</summary>
public sealed class Collector : Module<Tensor, Tensor>
{
    private readonly Adder first = new();
    private readonly Adder second = new();

    public Collector() : base(nameof(Collector)) => RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        var skips = new List<Tensor>();
        var (x, pair) = first.call(input, skips);
        (x, var other) = second.call(x, skips);
        return x + skips[0] + skips[1] + pair.Item1 + other.Item2 + first.Last! + second.Last!;
    }
}

public sealed class Adder : Module<Tensor, List<Tensor>, (Tensor, (Tensor, Tensor))>
{
    internal Tensor? Last;

    public Adder() : base(nameof(Adder)) { }

    public override (Tensor, (Tensor, Tensor)) forward(Tensor input, List<Tensor> skips)
    {
        skips.Add(input + 1);
        Last = input + 2;
        var unused = input * 1000;
        return (unused / 1000 + 3, (input + 4, input + 5));
    }
}

/// <summary>Its pre hook gives a tensor with the elements of its argument.</summary>
public sealed class Clones : Module<Tensor, Tensor>
{
    private readonly Tensor kept = ones(1);

    public Clones() : base(nameof(Clones))
    {
        RegisterComponents();
        register_forward_pre_hook((_, x) => x.clone());
    }

    public override Tensor forward(Tensor input) => input;
}

/// <summary>Each removes the handle that the last one left behind.</summary>
public sealed class Leaver() : Module<Tensor, Tensor>(nameof(Leaver))
{
    private static Action? _unhookLast;

    public override Tensor forward(Tensor input)
    {
        _unhookLast?.Invoke();
        _unhookLast = register_forward_pre_hook((_, x) => x * 1).remove;
        return input;
    }
}

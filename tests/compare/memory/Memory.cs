// What test_comparison.py measures. The lines that keep tensors are named there by their comments.
using System.Collections.Generic;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Memory;

public sealed class Tidy : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(8, 8);
    public Tidy() : base(nameof(Tidy)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        using var scope = NewDisposeScope();
        var hidden = fc.call(x);
        return hidden.relu().tanh().MoveToOuterDisposeScope();
    }
}

public sealed class Using : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(8, 8);
    public Using() : base(nameof(Using)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        using var hidden = fc.call(x);
        return hidden.relu();
    }
}

public sealed class Leaky : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(8, 8);
    public Leaky() : base(nameof(Leaky)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var hidden = fc.call(x); // hidden
        var view = hidden.view(-1); // view
        return hidden.relu();
    }
}

/// <summary>Keeps its last result in a field: held, not kept.</summary>
public sealed class Holding : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(8, 8);
    private readonly List<Tensor> seen = new();
    public Holding() : base(nameof(Holding)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        using var hidden = fc.call(x);
        seen.Add(hidden.tanh().DetachFromDisposeScope());
        return hidden.relu();
    }
}

public sealed class Net : Module<Tensor, Tensor>
{
    private readonly Tidy tidy = new();
    private readonly Using one = new();
    private readonly Sequential layers = Sequential(("a", Linear(8, 32)), ("b", ReLU()), ("c", Linear(32, 8)));
    private readonly Leaky leaky = new();
    private readonly Holding holding = new();
    public Net() : base(nameof(Net)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        using var a = tidy.call(x);
        using var b = one.call(a);
        using var c = layers.call(b);
        var d = leaky.call(c); // d
        return holding.call(d);
    }
}

public sealed class Clean : Module<Tensor, Tensor>
{
    private readonly Tidy tidy = new();
    private readonly Using one = new();
    private readonly Leaky leaky = new();
    public Clean() : base(nameof(Clean)) => RegisterComponents();
    public override Tensor forward(Tensor x)
    {
        using var scope = NewDisposeScope();
        return one.call(tidy.call(x)).MoveToOuterDisposeScope();
    }
}

public sealed class Tasks : Module<Tensor, Tensor>
{
    public Tasks() : base(nameof(Tasks)) => RegisterComponents();
    public override Tensor forward(Tensor x) => System.Threading.Tasks.Task.Run(() => x * 2).Result;
}

/// <summary>Counts what lives in TorchSharp's own dispose scope after a call, with the result.</summary>
public sealed class Counting : Module<Tensor, Tensor>
{
    private readonly Module<Tensor, Tensor> child;

    public Counting(string name) : base(nameof(Counting))
    {
        child = name switch
        {
            "Tidy" => new Tidy(),
            "Using" => new Using(),
            "Leaky" => new Leaky(),
            "Holding" => new Holding(),
            _ => new Net(),
        };
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        using var off = no_grad();
        int count;
        using (var scope = NewDisposeScope())
        {
            child.call(x);
            count = scope.DisposablesCount;
        }

        return tensor(count);
    }
}

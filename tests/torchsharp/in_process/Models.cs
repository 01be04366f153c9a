using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

public sealed class Net : Module<Tensor, Tensor>
{
    private readonly Linear fc1;
    private readonly ReLU act = ReLU();
    private readonly Linear fc2;

    public Net(int width = 8) : base(nameof(Net))
    {
        fc1 = Linear(4, width);
        fc2 = Linear(width, 4);
        RegisterComponents();
    }

    public static Net Wide() => new(32);

    public override Tensor forward(Tensor x) => fc2.call(act.call(fc1.call(x)));
}

public sealed class Gate : Module<Tensor, Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 4);

    public Gate() : base(nameof(Gate)) => RegisterComponents();

    public override Tensor forward(Tensor x, Tensor? mask = null) => mask is null ? fc.call(x) : fc.call(x) * mask;
}

/// <summary>Modules within modules, one of them with two arguments.</summary>
public sealed class Outer : Module<Tensor, Tensor, Tensor>
{
    private readonly Net net = new();
    private readonly Gate gate = new();

    public Outer() : base(nameof(Outer)) => RegisterComponents();

    public override Tensor forward(Tensor x, Tensor? mask = null) => gate.call(net.call(x), mask);
}

/// <summary>Runs its children by <c>forward</c>, which fires no hooks in TorchSharp.</summary>
public sealed class Forwarding : Module<Tensor, Tensor>
{
    private readonly Net net = new();

    public Forwarding() : base(nameof(Forwarding)) => RegisterComponents();

    public override Tensor forward(Tensor x) => net.forward(x);
}

/// <summary>A backward that C# begins.</summary>
public sealed class Trains : Module<Tensor, Tensor>
{
    private readonly Net net = new();

    public Trains() : base(nameof(Trains)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var loss = net.call(x).sum();
        loss.backward();
        return loss.detach();
    }
}

/// <summary>Throws after its child has run.</summary>
public sealed class Failing : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 4);

    public Failing() : base(nameof(Failing)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        fc.call(x);
        throw new System.InvalidOperationException("on purpose");
    }
}

/// <summary>Has a child that may fail, and catches its exception, or not.</summary>
public sealed class Guard : Module<Tensor, Tensor>
{
    private readonly Module<Tensor, Tensor> inner;
    private readonly string how;

    public Guard(string how, bool fails) : base(nameof(Guard))
    {
        this.how = how;
        inner = fails ? new Failing() : new Net();
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        try
        {
            return inner.call(x);
        }
        catch (System.Exception) when (how == "catch")
        {
            return x;
        }
        catch (System.Exception) when (how == "rethrow")
        {
            throw;
        }
    }
}

/// <summary>Hooks of TorchSharp, which count their calls, on the child <c>fc</c> and on itself.</summary>
public sealed class Hooked : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 4);
    private readonly Tensor counts = zeros(4, int64);

    public Hooked(bool fails = false) : base(nameof(Hooked))
    {
        register_module("fc", fc);
        register_buffer("counts", counts);
        fc.register_forward_pre_hook((module, x) => Count(0, x * 10));
        fc.register_forward_hook((module, x, y) => fails ? throw new System.InvalidOperationException("in a hook") : Count(1, y + 1));
        register_forward_pre_hook((module, x) => Count(2, x + 2));
        register_forward_hook((module, x, y) => Count(3, y * 3));
    }

    public override Tensor forward(Tensor x) => fc.call(x);

    private Tensor Count(int at, Tensor value)
    {
        using (no_grad()) counts[at] += 1;
        return value;
    }
}

/// <summary>Tuples, lists and numbers.</summary>
public sealed class Mixed : Module<(Tensor, Tensor), long, (Tensor, Tensor[])>
{
    public Mixed() : base(nameof(Mixed)) => RegisterComponents();

    public override (Tensor, Tensor[]) forward((Tensor, Tensor) pair, long factor = 2) =>
        (pair.Item1 * factor, [pair.Item2, pair.Item1]);
}

/// <summary>A module of TorchSharp whose class has an overload of <c>call</c>.</summary>
public sealed class Recurrent : Module<Tensor, Tensor>
{
    private readonly LSTM lstm = LSTM(4, 3, batchFirst: true);

    public Recurrent() : base(nameof(Recurrent)) => RegisterComponents();

    public override Tensor forward(Tensor x) => lstm.call(x).Item1;
}

public sealed class Chain : Module<Tensor, Tensor>
{
    private readonly Sequential layers = Sequential(Linear(4, 4), Sequential(ReLU(), Linear(4, 4)));

    public Chain() : base(nameof(Chain)) => RegisterComponents();

    public override Tensor forward(Tensor x) => layers.call(x);
}

/// <summary>One child under two names, a list of modules, and buffers, one of which every call adds to.</summary>
public sealed class Registered : Module<Tensor, Tensor>
{
    private readonly Linear first = Linear(4, 4);
    private readonly ModuleList<Module<Tensor, Tensor>> layers = new(ReLU(), Linear(4, 4, hasBias: false));
    private readonly Tensor seen = zeros(1);

    public Registered() : base(nameof(Registered))
    {
        register_module("first", first);
        register_module("again", first);
        register_module("layers", layers);
        register_buffer("seen", seen);
        register_buffer("angles", ones(2), false);
    }

    public override Tensor forward(Tensor x)
    {
        seen.add_(1);
        return layers.Aggregate(first.call(x), (value, layer) => layer.call(value));
    }
}

/// <summary>What the process shares: generators, modes, and the tensor itself.</summary>
public sealed class Shared : Module<Tensor, Tensor>
{
    private readonly string what;

    public Shared(string what) : base(nameof(Shared)) => this.what = what;

    public override Tensor forward(Tensor x) => what switch
    {
        "dropout" => functional.dropout(x, 0.5, true),
        "matmul" => x.mm(x),
        "threads" => tensor(get_num_threads()),
        _ => x,
    };
}

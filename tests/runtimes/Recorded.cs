// Models whose recordings are hard: what is swallowed, and what happens on other threads.
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Recorded;

/// <summary>Three children, the second of which may be interrupted: that is swallowed here.</summary>
public sealed class Swallowing : Module<Tensor, Tensor>
{
    private readonly Block first = new();
    private readonly Block second = new();
    private readonly Block third = new();

    public Swallowing() : base(nameof(Swallowing)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        x = first.call(x);
        try
        {
            x = second.call(x);
        }
        catch (Exception)
        {
        }

        return third.call(x);
    }
}

/// <summary>One module with a child.</summary>
public sealed class Block : Module<Tensor, Tensor>
{
    private readonly ReLU inner = ReLU();

    public Block() : base(nameof(Block)) => RegisterComponents();

    public override Tensor forward(Tensor x) => inner.call(x);
}

/// <summary>A Sequential of single operators, with another one inside, and a module that is in it twice.</summary>
public sealed class Rows : Module<Tensor, Tensor>
{
    private readonly Sequential layers;

    public Rows() : base(nameof(Rows))
    {
        var twice = Tanh();
        layers = Sequential(Linear(2, 2), twice, Sequential(ReLU(), Sigmoid()), Linear(2, 2), twice);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => layers.call(x);
}

/// <summary>Calls its children on threads of its own: a task, a thread of the pool, a thread; each with another one inside.</summary>
public sealed class Tasks : Module<Tensor, Tensor>
{
    private readonly Block task = new();
    private readonly Block thread = new();
    private readonly Block own = new();

    public Tasks() : base(nameof(Tasks)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        x = Task.Run(() => task.call(x)).GetAwaiter().GetResult();
        var started = new Thread(() => x = thread.call(x));
        started.Start();
        started.Join();
        return own.call(x);
    }
}

/// <summary>Calls one child many times at once.</summary>
public sealed class Parallel : Module<Tensor, Tensor>
{
    private readonly Block child = new();

    public Parallel() : base(nameof(Parallel)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var results = new Tensor[64];
        System.Threading.Tasks.Parallel.For(0, results.Length, i => results[i] = child.call(x));
        return results[^1];
    }
}

/// <summary>A built-in child with a C# pre hook that calls another module.</summary>
public sealed class Prepared : Module<Tensor, Tensor>
{
    private readonly ReLU child = ReLU();
    private readonly ReLU other = ReLU();

    public Prepared() : base(nameof(Prepared))
    {
        RegisterComponents();
        child.register_forward_pre_hook((_, input) => other.call(input));
    }

    public override Tensor forward(Tensor x) => child.call(x);
}

/// <summary>Gives what it gets, from a child.</summary>
public sealed class Same : Module<Tensor, Tensor>
{
    private readonly Given child = new();

    public Same() : base(nameof(Same)) => RegisterComponents();

    public override Tensor forward(Tensor x) => child.call(x);

    private sealed class Given() : Module<Tensor, Tensor>("Given")
    {
        public override Tensor forward(Tensor x) => x;
    }
}

/// <summary>Hands values of every kind to its child, which gives some back.</summary>
public sealed class Kinds : Module<Tensor, Tensor>
{
    private readonly Every child = new();

    public Kinds() : base(nameof(Kinds)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        _ = child.call(new() { ["b"] = x, ["a"] = x + 1 }, -3, (7, [1, 2]),
            [8u, ulong.MaxValue, 9UL, (Half)0.5, null, "text", true, (sbyte)-1, 2.5f]);
        return x;
    }

    private sealed class Every() : Module<Dictionary<string, Tensor>, short, (byte, ushort[]), object?[], object?>("Every")
    {
        public override object? forward(Dictionary<string, Tensor> map, short small, (byte, ushort[]) more, object?[] any) =>
            (map, small, new List<object?> { more.Item1, ulong.MaxValue }, new Dictionary<string, object?> { ["x"] = (short)4 });
    }
}

/// <summary>Calls children whose parameters have defaults, and states the defaults: C# compiles them into each call.</summary>
public sealed class Defaults : Module<Tensor, Tensor>
{
    private readonly Optional child = new();
    private readonly Only only = new();

    public Defaults() : base(nameof(Defaults)) => RegisterComponents();

    /// <summary>The child alone.</summary>
    public static Module<Tensor, Tensor?, long, (double, string?), Tensor> Child() => new Optional();

    public override Tensor forward(Tensor x)
    {
        x = child.call(x, null, 3, default) + child.call(x, x, 3, default) + child.call(x, null, 4, default)
            + child.call(x, null, 3, (1, null));
        return only.call(null) + only.call(x);
    }

    private sealed class Optional() : Module<Tensor, Tensor?, long, (double, string?), Tensor>("Optional")
    {
        public override Tensor forward(Tensor x, Tensor? y = null, long n = 3, (double, string?) pair = default) => x * n;
    }

    private sealed class Only() : Module<Tensor?, Tensor>("Only")
    {
        public override Tensor forward(Tensor? x = null) => x ?? ones(2);
    }
}

/// <summary>
/// Calls modules that it makes for that: one without hooks, one with a hook of C#'s. C# states their defaults in each call.
/// </summary>
public sealed class Makes() : Module<Tensor, Tensor>(nameof(Makes))
{
    public override Tensor forward(Tensor x)
    {
        var hooked = new Scaled();
        hooked.register_forward_pre_hook(_ => { });
        return new Scaled().call(x, 3, null) + hooked.call(x, 3, null) + hooked.call(x, 2, null);
    }

    private sealed class Scaled() : Module<Tensor, double, Tensor?, Tensor>(nameof(Scaled))
    {
        public override Tensor forward(Tensor x, double times = 3, Tensor? plus = null) => plus is null ? x * times : x * times + plus;
    }
}

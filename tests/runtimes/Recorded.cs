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

using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Whoever hooks its gate acts in the middle of its forward; what it has is used after that.</summary>
public sealed class Gated : Module<Tensor, Tensor>
{
    private readonly ReLU gate = ReLU();
    private readonly Linear fc = Linear(2, 2);
    private readonly Step step = new();
    private readonly ModuleList<Linear> h = new(Linear(2, 2), Linear(2, 2));
    private readonly Sequential seq = Sequential(Linear(2, 2), Tanh());
    private readonly Parameter scale = Parameter(ones([2]) * 3);

    public Gated() : base(nameof(Gated)) => RegisterComponents();

    internal Linear Fc => fc;

    public override Tensor forward(Tensor x)
    {
        x = gate.call(x);
        x = fc.call(x) * scale;
        x = step.call(x);
        foreach (var layer in h) x = layer.call(x);
        x = seq.call(x);
        return x.matmul(fc.weight) + x.matmul(h[1].weight);
    }
}

/// <summary>Calls its block, and reads what the block's child has if it is to.</summary>
public sealed class Holder : Module<Tensor, Tensor>
{
    private readonly Gated block = new();
    private readonly Tanh act = Tanh();
    private readonly bool reads;

    public Holder(bool reads) : base(nameof(Holder))
    {
        this.reads = reads;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        x = block.call(x);
        x = act.call(x);
        return reads ? x.matmul(block.Fc.weight) : x;
    }
}

/// <summary>Sets its child's mode.</summary>
public sealed class Switching : Module<Tensor, Tensor>
{
    private readonly Gated block = new();
    private readonly Dropout drop = Dropout(0.5);

    public Switching() : base(nameof(Switching)) => RegisterComponents();

    public bool Trains { get; set; }

    public string Modes => $"{block.training} {block.Fc.training} {drop.training}";

    public override Tensor forward(Tensor x)
    {
        block.train(Trains);
        drop.train(Trains);
        return x + 1;
    }
}

/// <summary>Calls the entries of its list on threads of .NET's own, after its gate.</summary>
public sealed class Branching : Module<Tensor, Tensor>
{
    private readonly ReLU gate = ReLU();
    private readonly ModuleList<Gated> h = new(new Gated(), new Gated());

    public Branching() : base(nameof(Branching)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = gate.call(x);
        var parts = new Tensor[2];
        Exception? failure = null;
        var threads = Enumerable.Range(0, 2).Select(i => new Thread(() => Run(i))).ToArray();
        foreach (var thread in threads) thread.Start();
        foreach (var thread in threads) thread.Join();
        return failure is null ? parts[0] + parts[1] : throw failure;

        void Run(int i)
        {
            try
            {
                parts[i] = h[i].call(y);
            }
            catch (Exception exception)
            {
                failure = exception;
            }
        }
    }
}

/// <summary>Walks its list after its gate.</summary>
public sealed class Walking : Module<Tensor, Tensor>
{
    private readonly ReLU gate = ReLU();
    private readonly ModuleList<Module<Tensor, Tensor>> h = new(new Gated(), new Gated());

    public Walking() : base(nameof(Walking)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        x = gate.call(x);
        foreach (var entry in h) x = entry.call(x);
        return x;
    }
}

/// <summary>After its gate it goes on where it is told: in a task, or on a thread that it starts.</summary>
public sealed class Apart : Module<Tensor, Tensor>
{
    private readonly ReLU gate = ReLU();
    private readonly Linear fc = Linear(2, 2);
    private readonly string on;

    public Apart(string on) : base(nameof(Apart))
    {
        this.on = on;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        x = gate.call(x);
        var rest = new Task<Tensor>(() => fc.call(x).matmul(fc.weight));
        if (on == "a task")
        {
            rest.Start();
            return rest.Result;
        }

        var thread = new Thread(rest.RunSynchronously);
        thread.Start();
        thread.Join();
        return rest.Result;
    }
}

/// <summary>Calls its block.</summary>
public sealed class OfApart : Module<Tensor, Tensor>
{
    private readonly Apart block;

    public OfApart(string on) : base(nameof(OfApart))
    {
        block = new(on);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => block.call(x);
}

using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Extra;

/// <summary>Starts a .NET thread, in the foreground, that never ends: it makes tensors, or collects, or calls the child.</summary>
public sealed class Restless : Module<Tensor, Tensor>
{
    private readonly ReLU child = ReLU();
    private readonly string what;
    private System.Threading.Thread? thread;

    public Restless(string what) : base(nameof(Restless))
    {
        this.what = what;
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        if (thread is null)
        {
            thread = new(Loop) { IsBackground = false };
            thread.Start();
        }

        return child.call(input);
    }

    private void Loop()
    {
        var one = ones([64]);
        while (true)
        {
            try
            {
                for (var i = 0; i < 20; i++) one = one * 1;
                if (what == "collect") GC.Collect();
                if (what == "call") child.call(one);
            }
            catch (Exception)
            {
                System.Threading.Thread.Sleep(1);
            }
        }
    }
}

/// <summary>Leaves tensors to the garbage collector: a thread of its own has no scope.</summary>
public sealed class Littering : Module<Tensor, Tensor>
{
    public Littering() : base(nameof(Littering)) { }

    public override Tensor forward(Tensor input)
    {
        var thread = new System.Threading.Thread(() =>
        {
            // Tensors that Python knows, and results that hold them in their graphs.
            for (var i = 0; i < 50; i++) _ = input * i * input;
        });
        thread.Start();
        thread.Join();
        return input * 2;
    }
}

/// <summary>Runs its child without gradients.</summary>
public sealed class Quiet : Module<Tensor, Tensor>
{
    private readonly ReLU child = ReLU();

    public Quiet() : base(nameof(Quiet)) => RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        Tensor y;
        using (no_grad()) y = child.call(input);
        return y + child.call(input);
    }
}

/// <summary>Throws between no_grad and its end, also through a null reference.</summary>
public sealed class Careless : Module<Tensor, Tensor>
{
    private readonly bool nothing;

    public Careless(bool nothing) : base(nameof(Careless)) => this.nothing = nothing;

    public override Tensor forward(Tensor input)
    {
        using (no_grad())
        {
            Tensor? none = null;
            if (nothing) return none! + none!.shape[0];
            throw new InvalidOperationException("careless");
        }
    }
}

/// <summary>A child whose type's full name is longer than 1,024 characters.</summary>
public sealed class LongName : Module<Tensor, Tensor>
{
    private readonly Wrapped<Wrapped<Wrapped<Wrapped<Wrapped<Wrapped<Wrapped<
        Wrapped<Wrapped<Wrapped<Wrapped<Wrapped<Wrapped<Wrapped<string>>>>>>>>>>>>>> child = new();

    public LongName() : base(nameof(LongName)) => RegisterComponents();

    public override Tensor forward(Tensor input) => child.call(input);
}

public sealed class Wrapped<T> : Module<Tensor, Tensor>
{
    public Wrapped() : base(nameof(Wrapped<T>)) { }

    public override Tensor forward(Tensor input) => input + typeof(T).FullName!.Length;
}

/// <summary>Gives tensors over the memory of .NET's arrays, to which nothing else refers.</summary>
public sealed class Sharing : Module<Tensor, Tensor>
{
    public Sharing() : base(nameof(Sharing)) => RegisterComponents();

    public override Tensor forward(Tensor input) =>
        frombuffer(Enumerable.Range(0, (int)input.numel()).Select(i => (float)i).ToArray(), ScalarType.Float32);
}

/// <summary>Ends the process in its forward, on this thread or on one of its own that it waits for.</summary>
public class Exiting : Module<Tensor, Tensor>
{
    private readonly bool _elsewhere;
    public Exiting(bool elsewhere) : base("Exiting") { _elsewhere = elsewhere; RegisterComponents(); }
    public override Tensor forward(Tensor x)
    {
        if (!_elsewhere) Environment.Exit(5);
        var thread = new Thread(() => Environment.Exit(5));
        thread.Start();
        thread.Join();
        return x;
    }
}

/// <summary>Adds numbers in place, by operators that Python runs for C#.</summary>
public sealed class Adding : Module<Tensor, Tensor>
{
    public Adding() : base(nameof(Adding)) { }

    public override Tensor forward(Tensor input)
    {
        var sum = input.clone();
        for (var i = 0; i < 200; i++) sum.add_(1);
        return sum;
    }
}

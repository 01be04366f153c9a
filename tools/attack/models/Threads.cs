using System.Collections.Concurrent;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Attack;

/// <summary>Runs four branches, on threads of .NET's in every way that C# has, and adds them in their order.</summary>
public sealed class Branches : Module<Tensor, Tensor>
{
    private readonly ModuleList<Module<Tensor, Tensor>> items =
        ModuleList<Module<Tensor, Tensor>>(new Block(), new Block(), new Block(), new Block());
    private readonly string how;

    public Branches(string how) : base(nameof(Branches))
    {
        this.how = how;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var parts = new Tensor[items.Count];
        switch (how)
        {
            case "parallel": System.Threading.Tasks.Parallel.For(0, parts.Length, i => parts[i] = items[i].call(x)); break;
            case "tasks": Task.WaitAll(Enumerable.Range(0, parts.Length).Select(i => Task.Run(() => { parts[i] = items[i].call(x); }))
                .ToArray()); break;
            case "async": Asynchronous(x, parts).GetAwaiter().GetResult(); break;
            case "linq": ParallelEnumerable.Range(0, parts.Length).ForAll(i => parts[i] = items[i].call(x)); break;
            case "threads":
                var threads = Enumerable.Range(0, parts.Length).Select(i => new Thread(() => parts[i] = items[i].call(x))).ToArray();
                foreach (var thread in threads) thread.Start();
                foreach (var thread in threads) thread.Join();
                break;
            case "nested":
                System.Threading.Tasks.Parallel.For(0, parts.Length, i =>
                {
                    Tensor? inner = null;
                    var thread = new Thread(() => inner = items[i].call(x));
                    thread.Start();
                    thread.Join();
                    parts[i] = inner!;
                });
                break;
            default:
                for (var i = 0; i < parts.Length; i++) parts[i] = items[i].call(x);
                break;
        }

        var sum = parts[0];
        for (var i = 1; i < parts.Length; i++) sum = sum + parts[i];
        return sum;
    }

    private async Task Asynchronous(Tensor x, Tensor[] parts)
    {
        for (var i = 0; i < parts.Length; i++)
        {
            await Task.Yield();
            parts[i] = items[i].call(x);
        }
    }
}

/// <summary>One child that many threads call at once.</summary>
public sealed class Shared : Module<Tensor, Tensor>
{
    private readonly Block child = new();
    private readonly int threads;

    public Shared(long threads) : base(nameof(Shared))
    {
        this.threads = (int)threads;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var parts = new ConcurrentDictionary<int, Tensor>();
        System.Threading.Tasks.Parallel.For(0, threads, new ParallelOptions { MaxDegreeOfParallelism = threads }, i =>
            parts[i] = child.call(x * i));
        return Enumerable.Range(0, threads).Select(i => parts[i]).Aggregate((sum, part) => sum + part);
    }
}

/// <summary>A child and a counter in static fields, which every model of the class shares.</summary>
public sealed class Static : Module<Tensor, Tensor>
{
    private static long calls;
    private readonly Linear a = Linear(4, 4);
    private static readonly ThreadLocal<Tensor?> last = new();
    [ThreadStatic] private static long onThread;

    public Static() : base(nameof(Static)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        Interlocked.Increment(ref calls);
        onThread++;
        last.Value?.Dispose();
        last.Value = (x.detach() * 1).DetachFromDisposeScope();
        return a.call(x) + last.Value - x.detach();
    }
}

/// <summary>Lets its threads go on after it has returned, until they are refused or have made a number of tensors.</summary>
public sealed class Straying : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);

    public Straying() : base(nameof(Straying)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        ThreadPool.QueueUserWorkItem(_ =>
        {
            try
            {
                for (var i = 0; i < 20; i++) a.call(y).Dispose();
            }
            catch (Exception)
            {
                // It is refused: what it uses has gone. That it harms nobody is what is asked.
            }
        });
        return y * 1;
    }
}

/// <summary>Something of the user's with a finalizer, which uses tensors, or disposes them.</summary>
public sealed class Garbage(Tensor tensor, string what)
{
    public static long Finalized;

    ~Garbage()
    {
        Interlocked.Increment(ref Finalized);
        try
        {
            if (what == "use") tensor.add(1).Dispose();
            if (what == "dispose") tensor.Dispose();
            if (what == "collect") GC.Collect();
            if (what == "throw") _ = tensor.reshape(-7).shape;
        }
        catch (Exception)
        {
            // The tensor may have gone before.
        }
    }
}

/// <summary>Leaves objects with finalizers behind, and may wait for these.</summary>
public sealed class Finalizing : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4);
    private readonly string what;
    private readonly bool waits;

    public Finalizing(string what, bool waits) : base(nameof(Finalizing))
    {
        this.what = what;
        this.waits = waits;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        for (var i = 0; i < 5; i++) Leave(y + i);
        if (waits)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        return y * 2;
    }

    private void Leave(Tensor tensor) => _ = new Garbage(tensor.DetachFromDisposeScope(), what);
}

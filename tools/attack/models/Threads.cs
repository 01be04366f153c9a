using System.Collections.Concurrent;
using Parallel = System.Threading.Tasks.Parallel;

namespace Attack;

/// <summary>Runs four branches on .NET threads and adds their results in order.</summary>
public sealed class Branches(string how) : Model
{
    private readonly ModuleList<Module<Tensor, Tensor>> items =
        ModuleList<Module<Tensor, Tensor>>(new Block(), new Block(), new Block(), new Block());

    public override Tensor forward(Tensor x)
    {
        var parts = new Tensor[items.Count];
        var places = Enumerable.Range(0, parts.Length);
        void Run(int i) => parts[i] = items[i].call(x);
        switch (how)
        {
            case "parallel": Parallel.For(0, parts.Length, Run); break;
            case "tasks": Task.WaitAll(places.Select(i => Task.Run(() => Run(i))).ToArray()); break;
            case "async": RunAsync(parts.Length, Run).GetAwaiter().GetResult(); break;
            case "linq": places.AsParallel().ForAll(Run); break;
            case "threads": Join(places.Select(i => Start(() => Run(i))).ToArray()); break;
            case "nested": Parallel.For(0, parts.Length, i => Join(Start(() => Run(i)))); break;
            default: foreach (var i in places) Run(i); break;
        }

        return parts.Aggregate((sum, part) => sum + part);
    }

    private static async Task RunAsync(int count, Action<int> run)
    {
        for (var i = 0; i < count; i++)
        {
            await Task.Yield();
            run(i);
        }
    }

    private static Thread Start(ThreadStart run)
    {
        var thread = new Thread(run);
        thread.Start();
        return thread;
    }

    private static void Join(params Thread[] threads)
    {
        foreach (var thread in threads) thread.Join();
    }
}

/// <summary>One child that many threads call at once.</summary>
public sealed class Shared(long threads) : Model
{
    private readonly Block child = new();

    public override Tensor forward(Tensor x)
    {
        var count = (int)threads;
        var parts = new ConcurrentDictionary<int, Tensor>();
        Parallel.For(0, count, new ParallelOptions { MaxDegreeOfParallelism = count }, i => parts[i] = child.call(x * i));
        return Enumerable.Range(0, count).Select(i => parts[i]).Aggregate((sum, part) => sum + part);
    }
}

/// <summary>Keeps a tensor and counters in static fields, some of them per thread.</summary>
public sealed class Static : OneLayer
{
    private static readonly ThreadLocal<Tensor?> last = new();
    private static long calls;
    [ThreadStatic] private static long onThread;

    public override Tensor forward(Tensor x)
    {
        Interlocked.Increment(ref calls);
        onThread++;
        last.Value?.Dispose();
        last.Value = (x.detach() * 1).DetachFromDisposeScope();
        return a.call(x) + last.Value - x.detach();
    }
}

/// <summary>Calls its layer on a thread that goes on after forward has returned.</summary>
public sealed class Straying : OneLayer
{
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
                // The layer and the tensor may have been freed: the call is refused.
            }
        });
        return y * 1;
    }
}

/// <summary>An object whose finalizer uses or disposes a tensor.</summary>
public sealed class Garbage(Tensor tensor, string what)
{
    ~Garbage()
    {
        try
        {
            if (what == "use") tensor.add(1).Dispose();
            if (what == "dispose") tensor.Dispose();
            if (what == "collect") GC.Collect();
            if (what == "throw") _ = tensor.reshape(-7).shape;
        }
        catch (Exception)
        {
            // The tensor may have been freed before.
        }
    }
}

/// <summary>Drops objects with finalizers, and may wait for these.</summary>
public sealed class Finalizing(string what, bool waits) : OneLayer
{
    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        for (var i = 0; i < 5; i++) Drop(y + i);
        if (waits)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        return y * 2;
    }

    // In a method of its own: no local variable of forward keeps the object.
    private void Drop(Tensor tensor) => _ = new Garbage(tensor.DetachFromDisposeScope(), what);
}

using System.Collections.Concurrent;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>
/// Its threads go on after <c>forward</c> has returned, with a tensor, a parameter or a child of the model, until they are refused.
/// </summary>
public sealed class Straggler : Module<Tensor, string, Tensor>
{
    private static readonly List<System.Threading.Thread> threads = [];
    private static readonly ConcurrentQueue<string> ends = new();
    private readonly Linear child = Linear(4, 4);

    public Straggler() : base(nameof(Straggler)) => RegisterComponents();

    public override Tensor forward(Tensor input, string what)
    {
        var hidden = child.call(input);
        var own = ones([1, 4]).DetachFromDisposeScope();
        var elements = hidden.data<float>();
        Action act = what switch
        {
            "shape" => () => _ = hidden.shape,
            "item" => () => _ = hidden[0, 0].item<float>(),
            "array" => () => _ = elements.ToArray(),
            "operator" => () => hidden.relu().Dispose(),
            "parameter" => () => child.weight!.relu().Dispose(),
            "child" => () => child.call(own).Dispose(),
            _ => throw new ArgumentException(what),
        };
        using var started = new System.Threading.ManualResetEventSlim();
        var ready = started;
        var thread = new System.Threading.Thread(() =>
        {
            var first = true;
            try
            {
                while (true)
                {
                    act();
                    if (first) ready.Set();
                    first = false;
                }
            }
            catch (Exception error)
            {
                ends.Enqueue(error.GetType().Name);
                if (first) ready.Set();
            }
        });
        threads.Add(thread);
        thread.Start();
        started.Wait();
        return hidden * 1;
    }

    /// <summary>
    /// How the threads ended, each way once; nothing while one of them runs. It does not wait: as long as any call runs, a thread may read
    /// weights.
    /// </summary>
    public sealed class Ends() : Module<Tensor, string>(nameof(Ends))
    {
        public override string forward(Tensor input)
        {
            if (threads.Exists(thread => thread.IsAlive)) return "";
            threads.Clear();
            var all = string.Join(",", ends.Distinct().Order());
            ends.Clear();
            return all;
        }
    }
}

/// <summary>Its constructor waits for a task that needs the GIL: libtorch refuses what it asks for, and Python may know why.</summary>
public sealed class WaitsForTask : Module<Tensor, Tensor>
{
    public WaitsForTask() : base(nameof(WaitsForTask))
    {
        var task = System.Threading.Tasks.Task.Run(() =>
        {
            try { ones([2, 3]).mm(ones([2, 3])); }
            catch (Exception) { return true; }
            return false;
        });
        if (!task.Wait(TimeSpan.FromSeconds(300)) || !task.Result) throw new TimeoutException("the task did not end");
    }

    public override Tensor forward(Tensor input) => input;
}

/// <summary>Its constructor waits for a file that Python makes meanwhile.</summary>
public sealed class WaitsForFile : Module<Tensor, Tensor>
{
    public WaitsForFile(string file) : base(nameof(WaitsForFile))
    {
        for (var i = 0; !File.Exists(file); i++)
        {
            if (i == 30_000) throw new TimeoutException("nobody made the file");
            System.Threading.Thread.Sleep(10);
        }
    }

    public override Tensor forward(Tensor input) => input;
}

/// <summary>Threads of a pool dispose what <c>forward</c> makes, while it makes more.</summary>
public sealed class DisposedElsewhere : Module<Tensor, Tensor>
{
    public DisposedElsewhere() : base(nameof(DisposedElsewhere)) { }

    public override Tensor forward(Tensor input)
    {
        using var made = new BlockingCollection<Tensor>(64);
        var workers = Enumerable.Range(0, 3).Select(_ => System.Threading.Tasks.Task.Run(() =>
        {
            foreach (var tensor in made.GetConsumingEnumerable()) tensor.Dispose();
        })).ToArray();
        for (var i = 0; i < 3000; i++) made.Add(input + i);
        made.CompleteAdding();
        System.Threading.Tasks.Task.WaitAll(workers);
        return input * 2;
    }
}

/// <summary>Keeps what it makes in the given place, and adds what it kept in the previous call.</summary>
public sealed class Hoarder : Module<Tensor, Tensor>
{
    private static Tensor? last;
    private readonly string place;
    private readonly HashSet<Tensor> set = [];
    private readonly List<KeyValuePair<string, Tensor>> pairs = [];
    private readonly Queue<(string, Tensor)> queue = new();
    private readonly LinkedList<Tensor> chain = new();
    private readonly ConcurrentDictionary<string, Tensor> concurrent = new();
    private readonly Notes notes = new();
    private Lazy<Tensor>? lazy;
    private Func<Tensor>? closure;
    private System.Threading.Tasks.Task<Tensor>? task;
    private object? boxed;

    public Hoarder(string place) : base(nameof(Hoarder)) => this.place = place;

    public override Tensor forward(Tensor input)
    {
        var before = Kept();
        var now = input * 2;
        Keep(now);
        return before is null ? input * 1 : input + before;
    }

    private Tensor? Kept() => place switch
    {
        "set" => set.LastOrDefault(),
        "pairs" => pairs.Count > 0 ? pairs[^1].Value : null,
        "queue" => queue.Count > 0 ? queue.Dequeue().Item2 : null,
        "chain" => chain.Last?.Value,
        "concurrent" => concurrent.GetValueOrDefault("it"),
        "lazy" => lazy?.Value,
        "closure" => closure?.Invoke(),
        "task" => task?.Result,
        "boxed" => (Tensor?)(boxed as object[])?[0],
        "static" => last,
        "static class" => Cache.Items.GetValueOrDefault("it"),
        "nested" => notes.Below.Below.Below.Below.Below.Found?.Value,
        _ => throw new ArgumentException(place),
    };

    private void Keep(Tensor tensor)
    {
        switch (place)
        {
            case "set": set.Clear(); set.Add(tensor); break;
            case "pairs": pairs.Add(new("it", tensor)); break;
            case "queue": queue.Enqueue(("it", tensor)); break;
            case "chain": chain.AddLast(tensor); break;
            case "concurrent": concurrent["it"] = tensor; break;
            case "lazy": lazy = new(() => tensor); break;
            case "closure": closure = () => tensor; break;
            case "task": task = System.Threading.Tasks.Task.FromResult(tensor); break;
            case "boxed": boxed = new object[] { tensor }; break;
            case "static": last = tensor; break;
            case "static class": Cache.Items["it"] = tensor; break;
            default: notes.Below.Below.Below.Below.Below.Found = new(tensor); break;
        }
    }

    private static class Cache
    {
        internal static readonly Dictionary<string, Tensor> Items = [];
    }

    private sealed class Notes
    {
        private Notes? below;

        internal Notes Below => below ??= new();

        internal Box? Found { get; set; }
    }

    private readonly record struct Box(Tensor Value);
}

/// <summary>All models of this type have one and the same child.</summary>
public sealed class OneForAll : Module<Tensor, Tensor>
{
    private static readonly Linear common = Linear(2, 2);
    private readonly Linear encoder = common;
    private readonly Linear own = Linear(2, 2);

    public OneForAll() : base(nameof(OneForAll)) => RegisterComponents();

    public override Tensor forward(Tensor input) => own.call(encoder.call(input));
}

/// <summary>Registers something when it runs.</summary>
public sealed class Late : Module<Tensor, string, Tensor>
{
    public Late() : base(nameof(Late)) => RegisterComponents();

    public override Tensor forward(Tensor input, string what)
    {
        if (what == "parameter") register_parameter("late", Parameter(ones([1])));
        else if (what == "buffer") register_buffer("late", ones([1]));
        else register_module("late", ReLU());
        return input;
    }
}

using System.Collections;
using System.Collections.Concurrent;
using System.Text;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Counts how often it is constructed, which draws random numbers and takes its time.</summary>
public sealed class Costly : Module<Tensor, Tensor>
{
    private static int made;
    private readonly Linear layer = Linear(3, 3);
    private long calls;

    public Costly() : base(nameof(Costly))
    {
        Interlocked.Increment(ref made);
        RegisterComponents();
    }

    /// <summary>How often one was constructed.</summary>
    public static Module<Tensor, long> Count() => new Counting();

    public override Tensor forward(Tensor input) => layer.call(input) + ++calls;

    private sealed class Counting() : Module<Tensor, long>(nameof(Counting))
    {
        public override long forward(Tensor input) => made;
    }
}

/// <summary>Counts in itself and in a child.</summary>
public sealed class Around : Module<Tensor, Tensor>
{
    private readonly Costly child = new();
    private long calls;

    public Around() : base(nameof(Around)) => RegisterComponents();

    public override Tensor forward(Tensor input) => child.call(input) + 100 * ++calls;
}

/// <summary>Has in its fields what a model may have; gives what it sees there, one number each.</summary>
public sealed class Furnished : Module<Tensor, Dictionary<string, Tensor>>
{
    private readonly Linear layer = Linear(2, 2, hasBias: false);
    private readonly Linear[] unregistered = [Linear(2, 2), Linear(2, 2)];
    private readonly Dictionary<torch.nn.Module, int> byModule = [];
    private readonly Hashtable old = [];
    private readonly HashSet<Note> notes = [];
    private readonly ConcurrentDictionary<Note, int> concurrent = new();
    private readonly ConcurrentBag<string> bag = [];
    private readonly SortedDictionary<string, List<Note>> sorted = [];
    private readonly Named named = new() { Title = "a" };
    private readonly (Note, Tensor)[,] grid = new (Note, Tensor)[1, 2];
    private readonly Func<Tensor, Tensor> closure;
    private readonly Lazy<Tensor> lazy;
    private readonly Random random = new(5);
    private readonly StringBuilder text = new("ab");
    private readonly WeakReference<Note> weak;
    private readonly Activation activation = Activation.Second;
    private readonly Thread thread = Thread.CurrentThread;
    private readonly Chain chain = Chain.Of(200_000);
    private readonly object[] self;
    private readonly Tensor[] plain;
    private Action? many;
    private int seen;

    public Furnished() : base(nameof(Furnished))
    {
        var note = new Note { Number = 1 };
        byModule[layer] = 7;
        old[note] = 8;
        notes.Add(note);
        concurrent[note] = 9;
        bag.Add("in the bag");
        sorted["x"] = [note, note];
        named[note] = 3;
        plain = [ones([2]) * 2];
        grid[0, 1] = (note, plain[0]);
        closure = x => x.matmul(layer.weight!) + note.Number;
        lazy = new(() => plain[0] + 1);
        weak = new(note);
        many += () => seen++;
        many += () => note.Number += 10;
        self = [this];
        RegisterComponents();
    }

    public override Dictionary<string, Tensor> forward(Tensor input)
    {
        var note = grid[0, 1].Item1;
        many!();
        bag.Add("once more");
        text.Append('c');
        plain[0].add_(1);
        return new()
        {
            ["same weight"] = tensor(ReferenceEquals(byModule.Keys.Single(), layer)),
            ["by module"] = tensor(byModule[layer]),
            ["hashtable"] = tensor((int)old[note]!),
            ["set"] = tensor(notes.Contains(note)),
            ["concurrent"] = tensor(concurrent[note]),
            ["bag"] = tensor(bag.Count),
            ["sorted"] = tensor(sorted["x"].All(item => item == note)),
            ["named"] = tensor(named[note] + named.Title.Length),
            ["note"] = tensor(note.Number),
            ["closure"] = closure(input).sum(),
            ["closure note"] = (closure(input) - input.matmul(layer.weight!)).sum(),
            ["lazy"] = lazy.Value,
            ["random"] = tensor(random.Next()),
            ["text"] = tensor(text.Length),
            ["weak"] = tensor(weak.TryGetTarget(out var target) && target == note),
            ["activation"] = tensor(ReferenceEquals(activation, Activation.Second)),
            ["thread"] = tensor(thread.ManagedThreadId),
            ["chain"] = tensor(chain.Length()),
            ["self"] = tensor(self[0] == this),
            ["plain"] = plain[0] * 1,
            ["grid"] = tensor(ReferenceEquals(grid[0, 1].Item2, plain[0])),
            ["seen"] = tensor(seen),
            ["unregistered"] = unregistered[1].call(input),
            ["unregistered weight"] = unregistered[1].weight! * 1,
        };
    }

    private sealed class Note
    {
        public int Number;
    }

    private sealed class Named : Dictionary<Note, int>
    {
        public string Title { get; init; } = "";
    }

    private sealed class Chain
    {
        private Chain? next;

        internal static Chain Of(int length)
        {
            Chain? chain = null;
            for (; length > 0; length--) chain = new() { next = chain };
            return chain!;
        }

        internal int Length()
        {
            var length = 0;
            for (var link = this; link is not null; link = link.next) length++;
            return length;
        }
    }
}

/// <summary>One of a few, compared by reference.</summary>
public sealed class Activation
{
    public static readonly Activation First = new();

    public static Activation Second { get; } = new();
}

/// <summary>A child that knows its parent.</summary>
public sealed class Upward : Module<Tensor, Tensor>
{
    private readonly Knows child;
    private readonly Linear layer = Linear(3, 3);

    public Upward() : base(nameof(Upward))
    {
        child = new(() => layer.weight!);
        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => child.call(input);

    public sealed class Knows(Func<Tensor> weight) : Module<Tensor, Tensor>(nameof(Knows))
    {
        public override Tensor forward(Tensor input) => input.matmul(weight());
    }
}

/// <summary>Has native memory of its own.</summary>
public sealed class Finalized() : Module<Tensor, Tensor>(nameof(Finalized))
{
    ~Finalized() => GC.KeepAlive(this);

    public override Tensor forward(Tensor input) => input;
}

/// <summary>Refers to an object that cleans up after itself.</summary>
public sealed class Owning() : Module<Tensor, Tensor>(nameof(Owning))
{
    private readonly Resource resource = new();

    public override Tensor forward(Tensor input) => input + ++resource.Uses;

    private sealed class Resource
    {
        public int Uses;

        ~Resource() => Uses = 0;
    }
}

/// <summary>Registers a hook on itself in its constructor and on a child that nobody else knows.</summary>
public sealed class HookedWithin : Module<Tensor, Tensor>
{
    private readonly ReLU[] hidden = [ReLU()];
    private readonly Action unhook;
    private readonly bool remove;

    public HookedWithin(bool remove) : base(nameof(HookedWithin))
    {
        this.remove = remove;
        unhook = hidden[0].register_forward_hook((_, _, result) => result + 10).remove;
    }

    public override Tensor forward(Tensor input)
    {
        var result = hidden[0].call(input);
        if (remove) unhook();
        return result;
    }
}

using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>The smallest tree that shows everything: two children, one after the other.</summary>
public sealed class Pair : Module<Tensor, Tensor>
{
    private readonly Linear first = Linear(3, 3);
    private readonly Linear second = Linear(3, 3);

    public Pair() : base(nameof(Pair)) => RegisterComponents();

    public override Tensor forward(Tensor input) => second.call(first.call(input));
}

/// <summary>A tree of three levels with batch norm, for walks, states and modes.</summary>
public sealed class Deep : Module<Tensor, Tensor>
{
    private readonly Sequential features = Sequential(("conv", Conv2d(1, 2, 3, padding: 1)), ("norm", BatchNorm2d(2)), ("act", ReLU()));
    private readonly Linear head;

    public Deep(long classes) : base(nameof(Deep))
    {
        head = Linear(2 * 4 * 4, classes);
        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => head.call(features.call(input).flatten(1));
}

/// <summary>Two inputs, two results.</summary>
public sealed class TwoInTwoOut : Module<Tensor, Tensor, (Tensor, Tensor)>
{
    private readonly Linear left = Linear(2, 2);

    public TwoInTwoOut() : base(nameof(TwoInTwoOut)) => RegisterComponents();

    public override (Tensor, Tensor) forward(Tensor x, Tensor y) => (left.call(x) + y, x * y);
}

/// <summary>One Linear under two names.</summary>
public sealed class Tied : Module<Tensor, Tensor>
{
    private readonly Linear one = Linear(2, 2);
    private readonly Linear two;

    public Tied() : base(nameof(Tied))
    {
        two = one;
        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => two.call(one.call(input));
}

/// <summary>Two modules that share one Parameter.</summary>
public sealed class Scale : Module<Tensor, Tensor>
{
    private readonly Parameter weight;

    public Scale(Parameter weight) : base(nameof(Scale))
    {
        this.weight = weight;
        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => input * weight;
}

public sealed class SharedParameter : Module<Tensor, Tensor>
{
    private readonly Scale a;
    private readonly Scale b;

    public SharedParameter() : base(nameof(SharedParameter))
    {
        var weight = Parameter(full());
        (a, b) = (new Scale(weight), new Scale(weight));
        RegisterComponents();
    }

    private static Tensor full() => ones([2]) * 3;

    public override Tensor forward(Tensor input) => b.call(a.call(input));
}

/// <summary>Throws, in itself or in its child, before or after the child.</summary>
public sealed class Thrower : Module<Tensor, Tensor>
{
    private readonly Inner inner = new();
    private readonly string where;

    public Thrower(string where) : base(nameof(Thrower))
    {
        this.where = where;
        inner.Throws = where == "inner";
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        if (where == "constructor") throw new NotSupportedException();
        switch (where)
        {
            case "root": throw new ArgumentException("no good at the root");
            case "other":
                try { return inner.call(input); }
                catch (Exception) { throw new InvalidOperationException("another one"); }
            case "wrapped":
                try { return inner.call(input); }
                catch (Exception error) { throw new InvalidOperationException("wrapped", error); }
            case "swallow":
                try { return inner.call(input); }
                catch (Exception) { return input * 2; }
            default: return inner.call(input);
        }
    }
}

public sealed class Inner : Module<Tensor, Tensor>
{
    internal bool Throws;

    public Inner() : base(nameof(Inner)) { }

    public override Tensor forward(Tensor input) => Throws ? throw new InvalidOperationException("no good inside") : input.view(input.numel());
}

public sealed class BadConstructor : Module<Tensor, Tensor>
{
    public BadConstructor() : base(nameof(BadConstructor)) => throw new ArgumentOutOfRangeException("size", "must be positive");

    public override Tensor forward(Tensor input) => input;
}

/// <summary>Calls itself for ever.</summary>
public sealed class Endless : Module<Tensor, Tensor>
{
    public Endless() : base(nameof(Endless)) => RegisterComponents();

    public override Tensor forward(Tensor input) => call(input);
}

/// <summary>Calls itself n times.</summary>
public sealed class Countdown : Module<Tensor, Tensor>
{
    private long left;
    private readonly long start;

    public Countdown(long start) : base(nameof(Countdown)) => this.start = left = start;

    public override Tensor forward(Tensor input)
    {
        if (--left > 0) return call(input);
        left = start;
        return input + 1;
    }
}

/// <summary>Registers C# hooks: in its constructor, or on itself or its child from forward.</summary>
public sealed class Hooked : Module<Tensor, Tensor>
{
    private readonly Linear child = Linear(2, 2);
    private readonly string from;
    private Bridge.Torch.HookRemover? handle; // TorchSharp nests this type in HookableModule

    public Hooked(string from) : base(nameof(Hooked))
    {
        this.from = from;
        RegisterComponents();
        if (from == "constructor")
        {
            child.register_forward_hook((_, _, result) => result + 1);
            child.register_forward_hook((_, _, result) => result * 2);
            child.register_forward_pre_hook((_, x) => x * 10, prepend: true);
            register_forward_hook((module, _, result) => result + ((Hooked)module).child.parameters().Sum(p => p.numel()));
        }
    }

    public override Tensor forward(Tensor input)
    {
        if (from == "self" && handle is null) handle = register_forward_hook((_, _, result) => result + 100);
        if (from == "child" && handle is null) handle = child.register_forward_hook((_, _, result) => result + 100);
        if (from == "remove") { handle?.remove(); handle?.Dispose(); handle = child.register_forward_hook((_, _, result) => result + 100); }
        return child.call(input);
    }
}

/// <summary>Keeps tensors in a field, a list and a hook's closure.</summary>
public sealed class Keeper : Module<Tensor, Tensor>
{
    private readonly List<Tensor> history = [];
    private readonly List<Tensor> seen = [];
    private readonly Linear child = Linear(2, 2);
    private Tensor? last;

    public Keeper() : base(nameof(Keeper))
    {
        RegisterComponents();
        child.register_forward_hook((_, _, result) => { seen.Add(result); return result; });
    }

    public override Tensor forward(Tensor input)
    {
        var y = child.call(input);
        var sum = y;
        if (last is not null) sum = sum + last;
        foreach (var old in history) sum = sum + old;
        foreach (var old in seen) sum = sum + old;
        last = y * 1;
        history.Add(y * 1);
        return sum;
    }
}

/// <summary>Uses threads of its own.</summary>
public sealed class Threaded : Module<Tensor, Tensor>
{
    private readonly Linear child = Linear(2, 2);

    public Threaded() : base(nameof(Threaded)) => RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        var parts = new Tensor[4];
        System.Threading.Tasks.Parallel.For(0, parts.Length, i => parts[i] = child.call(input) * i);
        return parts[0] + parts[1] + parts[2] + parts[3];
    }
}

/// <summary>Changes its mode from C#.</summary>
public sealed class Moody : Module<Tensor, Tensor>
{
    private readonly ReLU child = ReLU();

    public Moody() : base(nameof(Moody)) => RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        if (training) eval();
        else train();
        return child.call(input);
    }
}

/// <summary>Forgot RegisterComponents.</summary>
public sealed class Forgetful : Module<Tensor, Tensor>
{
    private readonly Linear child = Linear(2, 2);

    public Forgetful() : base(nameof(Forgetful)) { }

    public override Tensor forward(Tensor input) => child.call(input);
}

/// <summary>Looks at grad mode, and switches it off inside.</summary>
public sealed class GradMode : Module<Tensor, Tensor>
{
    public GradMode() : base(nameof(GradMode)) { }

    public override Tensor forward(Tensor input)
    {
        using (no_grad()) input = input * 1;
        return is_grad_enabled() ? input + 1 : input - 1;
    }
}

public abstract class Unfinished : Module<Tensor, Tensor>
{
    protected Unfinished() : base(nameof(Unfinished)) { }
}

public sealed class NoModule;

/// <summary>Arity n is n inputs; each counts by its place.</summary>
public sealed class Three : Module<Tensor, Tensor, Tensor, Tensor>
{
    private readonly Linear child = Linear(2, 2);

    public Three() : base(nameof(Three)) => RegisterComponents();

    public override Tensor forward(Tensor a, Tensor b, Tensor c) => child.call(a) + b * 2 + c * 3;
}

public sealed class Six : Module<Tensor, long, double, bool, string, Tensor?, Tensor>
{
    private readonly Five child = new();

    public Six() : base(nameof(Six)) => RegisterComponents();

    public override Tensor forward(Tensor x, long integer = 2, double real = 0.5, bool truth = true, string text = "abc", Tensor? extra = null)
    {
        var y = child.call(x, integer, real, truth, text);
        return extra is null ? y : y + extra;
    }
}

public sealed class Five : Module<Tensor, long, double, bool, string, Tensor>
{
    public Five() : base(nameof(Five)) { }

    public override Tensor forward(Tensor x, long integer, double real, bool truth, string text) => x * integer + real + (truth ? 100 : 0) + text.Length * 1000;
}

public sealed class Four : Module<Tensor, Tensor, Tensor, Tensor, (Tensor, (Tensor, Tensor), Tensor)>
{
    public Four() : base(nameof(Four)) { }

    public override (Tensor, (Tensor, Tensor), Tensor) forward(Tensor a, Tensor b, Tensor c, Tensor d) => (a, (b, c), d * 1);
}

/// <summary>Lists, arrays and tuples of tensors, in and out.</summary>
public sealed class Lists : Module<IList<Tensor>, (Tensor, Tensor), Tensor[], List<Tensor>>
{
    private readonly Swap child = new();

    public Lists() : base(nameof(Lists)) => RegisterComponents();

    public override List<Tensor> forward(IList<Tensor> list, (Tensor, Tensor) pair, Tensor[] array) => [.. list, pair.Item1, pair.Item2, .. child.call(array)];
}

public sealed class Swap : Module<Tensor[], Tensor[]>
{
    public Swap() : base(nameof(Swap)) { }

    public override Tensor[] forward(Tensor[] items) => Enumerable.Reverse(items).ToArray();
}

public sealed class Text : Module<string, string>
{
    public Text() : base(nameof(Text)) { }

    public override string forward(string input) => input + "é" + input.Length;
}

/// <summary>Uses a child's parameter without calling the child, as tied weights are used.</summary>
public sealed class Borrower : Module<Tensor, Tensor>
{
    private readonly Linear table = Linear(2, 2);
    private readonly ReLU act = ReLU();

    public Borrower() : base(nameof(Borrower)) => RegisterComponents();

    public override Tensor forward(Tensor input) => act.call(input).matmul(table.weight);
}

/// <summary>Built-ins with lists among their attributes in Python.</summary>
public sealed class Listed : Module<Tensor, (Tensor, Tensor)>
{
    private readonly Conv1d conv = Conv1d(2, 2, 3, Padding.Same, padding_mode: PaddingModes.Circular);
    private readonly RNN rnn = RNN(2, 2);

    public Listed() : base(nameof(Listed)) => RegisterComponents();

    public override (Tensor, Tensor) forward(Tensor input) => (conv.call(input), rnn.call(input.transpose(1, 2)).Item1);
}

/// <summary>Children that keep what they make in their parent's list, in a field, and in a tuple that they return.</summary>
public sealed class Collector : Module<Tensor, Tensor>
{
    private readonly Adder first = new();
    private readonly Adder second = new();

    public Collector() : base(nameof(Collector)) => RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        var skips = new List<Tensor>();
        var (x, pair) = first.call(input, skips);
        (x, var other) = second.call(x, skips);
        return x + skips[0] + skips[1] + pair.Item1 + other.Item2 + first.Last! + second.Last!;
    }
}

public sealed class Adder : Module<Tensor, List<Tensor>, (Tensor, (Tensor, Tensor))>
{
    internal Tensor? Last;

    public Adder() : base(nameof(Adder)) { }

    public override (Tensor, (Tensor, Tensor)) forward(Tensor input, List<Tensor> skips)
    {
        skips.Add(input + 1);
        Last = input + 2;
        var unused = input * 1000;
        return (unused / 1000 + 3, (input + 4, input + 5));
    }
}

/// <summary>Gives what it gets, over <c>object</c>; through a child of its own type.</summary>
public sealed class Anything : Module<object?, object?>
{
    private readonly Module<object?, object?>? child;

    public Anything(bool nested) : base(nameof(Anything))
    {
        if (nested) child = new Anything(false);
        RegisterComponents();
    }

    /// <summary>What C# sees, as text.</summary>
    public static Module<object?, string> Names() => new Namer();

    public override object? forward(object? input) => child is null ? input : child.call(input);

    private sealed class Namer() : Module<object?, string>("Namer")
    {
        public override string forward(object? input) => $"{input?.GetType().Name}";
    }
}

/// <summary>A dictionary in and one out.</summary>
public sealed class Mapped() : Module<Dictionary<string, Tensor>, Dictionary<string, Tensor>>(nameof(Mapped))
{
    public override Dictionary<string, Tensor> forward(Dictionary<string, Tensor> input) => input.ToDictionary(item => item.Key + "!", item => item.Value * 2);
}

/// <summary>Catches what its child throws, by its class.</summary>
public sealed class Catcher : Module<Tensor, Tensor>
{
    private readonly Thrower child;
    private InvalidOperationException? last;

    public Catcher() : base(nameof(Catcher))
    {
        child = new Thrower("inner");
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        try { return child.call(input); }
        catch (InvalidOperationException error)
        {
            last = error;
            return input * 5;
        }
    }
}

/// <summary>Throws what is not an error, through a child.</summary>
public sealed class Stopping : Module<Tensor, Tensor>
{
    private readonly Stop child;

    public Stopping(bool inTask = false) : base(nameof(Stopping))
    {
        child = new Stop(inTask);
        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => child.call(input);

    private sealed class Stop(bool inTask) : Module<Tensor, Tensor>("Stop")
    {
        public override Tensor forward(Tensor input)
        {
            if (inTask) Task.Run(() => throw new Stopped()).Wait();
            throw new Stopped();
        }
    }

    private sealed class Stopped() : Exception("stop it"), Bridge.Hooks.INotAnError;
}

/// <summary>Calls a child whose forward has defaults.</summary>
public sealed class Outer : Module<Tensor, Tensor>
{
    private readonly Defaults child = new();

    public Outer() : base(nameof(Outer)) => RegisterComponents();

    public override Tensor forward(Tensor input) => child.call(input, null, 3);

    private sealed class Defaults() : Module<Tensor, Tensor?, long, Tensor>("Defaults")
    {
        public override Tensor forward(Tensor x, Tensor? y = null, long n = 3) => y is null ? x * n : x * n + y;
    }
}

/// <summary>Its pre hook gives a tensor with the elements of its argument.</summary>
public sealed class Clones : Module<Tensor, Tensor>
{
    private readonly Tensor kept = ones(1);

    public Clones() : base(nameof(Clones))
    {
        RegisterComponents();
        register_forward_pre_hook((_, x) => x.clone());
    }

    public override Tensor forward(Tensor input) => input;
}

/// <summary>Each removes the handle that the last one left behind.</summary>
public sealed class Leaver() : Module<Tensor, Tensor>(nameof(Leaver))
{
    private static Bridge.Torch.HookRemover? _left;

    public override Tensor forward(Tensor input)
    {
        _left?.remove();
        _left = register_forward_pre_hook((_, x) => x * 1);
        return input;
    }
}

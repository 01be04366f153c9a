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
        fc2 = Linear(width, 2);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => fc2.call(act.call(fc1.call(x)));
}

/// <summary>A module that libtorch makes: its parameters have dotted names, and it has no children.</summary>
public sealed class Encoding : Module<Tensor, Tensor>
{
    private readonly TransformerEncoder encoder = TransformerEncoder(TransformerEncoderLayer(4, 2, 8), 2);

    public Encoding() : base(nameof(Encoding)) => RegisterComponents();

    public override Tensor forward(Tensor x) => encoder.call(x, null, null);
}

/// <summary>Has a buffer that no file of weights has, as rotary embeddings do.</summary>
public sealed class Rotating : Module<Tensor, Tensor>
{
    private readonly ReLU act = ReLU();

    public Rotating() : base(nameof(Rotating))
    {
        register_buffer("kept", ones(3));
        register_buffer("angles", ones(3), false);
        register_module("act", act);
    }

    public override Tensor forward(Tensor x) => act.call(x);
}

/// <summary>One module under two names, and one tensor that every call in training adds to.</summary>
public sealed class Counting : Module<Tensor, Tensor>
{
    private readonly ReLU first = ReLU();
    private readonly ReLU second;
    private readonly Linear fc = Linear(2, 2);

    public Counting() : base(nameof(Counting))
    {
        second = first;
        register_buffer("seen", zeros(3));
        register_module("first", first);
        register_module("second", second);
        register_module("fc", fc);
    }

    public override Tensor forward(Tensor x)
    {
        if (training) named_buffers().First().buffer.bytes[3]++;
        return second.call(first.call(x));
    }
}

/// <summary>Overwrites what its child gave.</summary>
public sealed class Overwriting : Module<Tensor, Tensor>
{
    private readonly ReLU act = ReLU();

    public Overwriting() : base(nameof(Overwriting)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var result = act.call(x);
        result.bytes.Clear();
        return result;
    }
}

/// <summary>Ends what it makes, as ports of language models do.</summary>
public sealed class Scoped : Module<Tensor, Tensor>
{
    private readonly ReLU act = ReLU();

    public Scoped() : base(nameof(Scoped)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        using var scope = NewDisposeScope();
        return act.call(x.alias()).MoveToOuterDisposeScope();
    }
}

/// <summary>Values of every kind, in and out.</summary>
public sealed class Kinds : Module<Tensor, (long, double), string, bool, Tensor?,
    (Tensor, (string, bool), double[], Dictionary<string, Tensor>, Tensor?)>
{
    public Kinds() : base(nameof(Kinds)) { }

    public override (Tensor, (string, bool), double[], Dictionary<string, Tensor>, Tensor?) forward(Tensor x, (long, double) numbers,
        string text = "none", bool flag = false, Tensor? other = null) =>
        (x, (text, flag), [numbers.Item1, numbers.Item2], new() { ["x"] = x }, other);
}

public sealed class Identity : Module<Tensor, Tensor>
{
    public Identity() : base(nameof(Identity)) { }

    public override Tensor forward(Tensor x) => x.alias();
}

/// <summary>Its child throws.</summary>
public sealed class Failing : Module<Tensor, Tensor>
{
    private readonly ReLU act = ReLU();
    private readonly Doing doing = new();

    public Failing() : base(nameof(Failing)) => RegisterComponents();

    public override Tensor forward(Tensor x) => doing.call(act.call(x), "throw");
}

/// <summary>Catches what its child throws, and calls another one.</summary>
public sealed class Catching : Module<Tensor, Tensor>
{
    private readonly Failing failing = new();
    private readonly ReLU act = ReLU();

    public Catching() : base(nameof(Catching)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        try
        {
            return failing.call(x);
        }
        catch (InvalidOperationException)
        {
            return act.call(x);
        }
    }
}

/// <summary>Keeps what it is given, and writes to it.</summary>
public sealed class Keeping : Module<Tensor, Tensor>
{
    private readonly List<Tensor> _kept = [];

    public Keeping() : base(nameof(Keeping)) { }

    /// <summary>Gives what it was given so many calls ago, after adding one to each element's highest byte.</summary>
    public override Tensor forward(Tensor x)
    {
        _kept.Add(x);
        foreach (var kept in _kept) kept.bytes[3]++;
        return _kept[0].alias();
    }
}

/// <summary>Does what is asked for, and gives its argument.</summary>
public sealed class Doing : Module<Tensor, string, Tensor>
{
    private readonly List<byte[]> _held = [];

    public Doing() : base(nameof(Doing)) { }

    public override Tensor forward(Tensor x, string what)
    {
        switch (what)
        {
            case "fail": Environment.FailFast("the model gave up"); break;
            case "exit": Environment.Exit(7); break;
            case "overflow": Overflow(1); break;
            case "hang": Thread.Sleep(Timeout.Infinite); break;
            case "spin": while (true) ;
            case "print": Console.WriteLine("{\"id\": 1, \"result\": {}}"); break;
            case "throw": throw new InvalidOperationException("not today");
            case "index": throw new IndexOutOfRangeException("not today");
            case "range": throw new ArgumentOutOfRangeException(nameof(x), "not today");
            case "key": throw new KeyNotFoundException("not today");
            case "file": throw new FileNotFoundException("not today");
            case "division": throw new DivideByZeroException("not today");
            case "unsupported": throw new NotSupportedException("not today");
            case "hog": while (true) _held.Add(new byte[1 << 24]);
            case "read": if (Console.In.ReadLine() is not null) throw new InvalidOperationException("there is input"); break;
        }

        return x.alias();
    }

    private static int Overflow(int depth) => Overflow(depth + 1) + depth;
}

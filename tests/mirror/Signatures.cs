using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Two inputs, two results.</summary>
public sealed class TwoInTwoOut : Module<Tensor, Tensor, (Tensor, Tensor)>
{
    private readonly Linear left = Linear(2, 2);

    public TwoInTwoOut() : base(nameof(TwoInTwoOut)) => RegisterComponents();

    public override (Tensor, Tensor) forward(Tensor x, Tensor y) => (left.call(x) + y, x * y);
}

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

    public override Tensor forward(Tensor x, long integer = 2, double real = 0.5, bool truth = true, string text = "abc",
        Tensor? extra = null)
    {
        var y = child.call(x, integer, real, truth, text);
        return extra is null ? y : y + extra;
    }
}

public sealed class Five : Module<Tensor, long, double, bool, string, Tensor>
{
    public Five() : base(nameof(Five)) { }

    public override Tensor forward(Tensor x, long integer, double real, bool truth, string text) =>
        x * integer + real + (truth ? 100 : 0) + text.Length * 1000;
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

    public override List<Tensor> forward(IList<Tensor> list, (Tensor, Tensor) pair, Tensor[] array) =>
        [.. list, pair.Item1, pair.Item2, .. child.call(array)];
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
    public override Dictionary<string, Tensor> forward(Dictionary<string, Tensor> input) =>
        input.ToDictionary(item => item.Key + "!", item => item.Value * 2);
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

using System;
using System.Collections.Generic;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace States;

/// <summary>Does to itself in a call what <see cref="Act"/> says.</summary>
public sealed class Changing : Module<Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 4);
    private readonly Dropout drop = Dropout(0.5);

    public readonly long Fixed = 3;

    public Changing() : base(nameof(Changing)) => RegisterComponents();

    public int Times { get; set; } = 1;

    public string Act { get; set; } = "";

    public override Tensor forward(Tensor x)
    {
        if (Act == "convert") x = (this.to(float64), x.to(float64)).Item2;
        if (Act == "eval") eval();
        if (Act == "replace") fc.weight = new Parameter(zeros(4, 4));
        if (Act == "register") register_module("later", Linear(2, 2));
        return drop.call(fc.call(x)) * Times;
    }
}

public sealed class Tied : Module<Tensor, Tensor>
{
    private readonly Linear a = Linear(4, 4, hasBias: false), b = Linear(4, 4, hasBias: false);

    public Tied() : base(nameof(Tied))
    {
        b.weight = a.weight;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => b.call(a.call(x));
}

/// <summary>A layer that libtorch implements, or one that C# does.</summary>
public sealed class Layer : Module<Tensor, Tensor>
{
    private readonly nn.Module inner;

    public Layer(string kind) : base(nameof(Layer))
    {
        inner = kind switch
        {
            "Linear" => Linear(4, 4),
            "Conv2d" => Conv2d(3, 4, 3),
            "BatchNorm2d" => BatchNorm2d(3),
            "LayerNorm" => LayerNorm(4),
            "GroupNorm" => GroupNorm(1, 3),
            "PReLU" => PReLU(1),
            "Embedding" => Embedding(10, 4),
            "LSTM" => LSTM(4, 6),
            "GRU" => GRU(4, 6),
            "RNN" => RNN(4, 6),
            _ => throw new ArgumentException(kind),
        };
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => inner switch
    {
        TorchSharp.Modules.Embedding layer => layer.call(x.abs().to(int64)),
        TorchSharp.Modules.LSTM layer => layer.call(x).Item1,
        TorchSharp.Modules.GRU layer => layer.call(x).Item1,
        TorchSharp.Modules.RNN layer => layer.call(x).Item1,
        _ => ((Module<Tensor, Tensor>)inner).call(x),
    };
}

/// <summary>Adds what it kept of earlier calls: in a collection, in a static field and in a closure.</summary>
public sealed class Keeping : Module<Tensor, Tensor>
{
    private static Tensor last = null!;
    private readonly Dictionary<string, List<Tensor>> cache = new();
    private Func<Tensor> made = null!;

    public Keeping() : base(nameof(Keeping)) => RegisterComponents();

    public override Tensor forward(Tensor x)
    {
        var y = made is null ? x * 2 : x * 2 + last + cache["a"][0] + made();
        cache["a"] = new() { x + 1 };
        last = x + 2;
        var z = x + 3;
        made = () => z;
        return y;
    }
}

public sealed class Default : Module<Tensor, Tensor>
{
    public Default() : base(nameof(Default)) => RegisterComponents();

    public override Tensor forward(Tensor x) => ones(2) * 1.5;
}

using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>A model of two layers and a block, three levels deep.</summary>
public sealed class Net : nn.Module<Tensor, Tensor>
{
    private readonly Block block = new();
    public readonly Linear last = nn.Linear(8, 2);

    public Net() : base(nameof(Net)) => RegisterComponents();

    public override Tensor forward(Tensor input) => last.call(block.call(input));
}

public sealed class Block : nn.Module<Tensor, Tensor>
{
    public readonly Linear first = nn.Linear(4, 8);
    public readonly ReLU act = nn.ReLU();

    public Block() : base(nameof(Block)) => RegisterComponents();

    public override Tensor forward(Tensor input) => act.call(first.call(input));
}

/// <summary>Runs a child by <c>forward</c> and does not call another.</summary>
public sealed class Bypassing : nn.Module<Tensor, Tensor>
{
    private readonly Block block = new();
    private readonly Linear unused = nn.Linear(1, 1);
    private readonly ModuleList<Linear> list = nn.ModuleList(nn.Linear(8, 8), nn.Linear(8, 8));

    public Bypassing() : base(nameof(Bypassing)) => RegisterComponents();

    public override Tensor forward(Tensor input) => list[1].forward(list[0].call(block.forward(input)));
}

/// <summary>A model of layers that are native code; PyTorch has modules within the encoder, and none within the LSTM.</summary>
public sealed class Native : nn.Module<Tensor, Tensor>
{
    private readonly TransformerEncoder encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 1, 8), 1);
    private readonly LSTM lstm = nn.LSTM(4, 3, 2);

    public Native() : base(nameof(Native)) => RegisterComponents();

    public override Tensor forward(Tensor input) => lstm.call(encoder.call(input, null!, null!)).Item1;
}

/// <summary>A module of any types that runs a function.</summary>
public sealed class Given<T, TResult>(Func<T, TResult> run) : nn.Module<T, TResult>("Given")
{
    public override TResult forward(T input) => run(input);
}

public sealed class Given<T1, T2, TResult>(Func<T1, T2, TResult> run) : nn.Module<T1, T2, TResult>("Given")
{
    public override TResult forward(T1 input1, T2 input2) => run(input1, input2);
}

public sealed class Three : nn.Module<Tensor, int, string, Tensor>
{
    public Three() : base(nameof(Three)) { }

    public override Tensor forward(Tensor x, int times = 1, string? name = null) => x.alias();
}

public sealed class Four : nn.Module<Tensor, Tensor?, bool, double, Tensor>
{
    public Four() : base(nameof(Four)) { }

    public override Tensor forward(Tensor x, Tensor? mask, bool flag, double scale) => x.alias();
}

public sealed class Five : nn.Module<Tensor, Tensor, List<Tensor>, Dictionary<string, Tensor>, object, (Tensor, List<Tensor>)>
{
    public Five() : base(nameof(Five)) { }

    public override (Tensor, List<Tensor>) forward(
        Tensor x, Tensor y, List<Tensor> list, Dictionary<string, Tensor> map, object other) => (x, list);
}

/// <summary>A module with children that runs a function.</summary>
public sealed class Parent : nn.Module<Tensor, Tensor>
{
    private readonly Func<Parent, Tensor, Tensor> _run;

    public Parent(Func<Parent, Tensor, Tensor> run, params (string Name, nn.Module<Tensor, Tensor> Module)[] children)
        : base(nameof(Parent))
    {
        _run = run;
        foreach (var (name, module) in children) register_module(name, module);
        Children = [.. children.Select(child => child.Module)];
    }

    public nn.Module<Tensor, Tensor>[] Children { get; }

    public override Tensor forward(Tensor input) => _run(this, input);
}

public sealed class Endless() : nn.Module<Tensor, Tensor>("Endless")
{
    public override Tensor forward(Tensor x) => call(x);
}

using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Ports;

/// <summary>Two layers with a batch norm between; the momentum is a constructor's argument.</summary>
public sealed class Net : Module<Tensor, Tensor>
{
    private readonly Conv2d conv = Conv2d(3, 4, 3);
    private readonly BatchNorm2d norm;
    private readonly Block block = new("call");
    private readonly Linear head = Linear(144, 2);

    public Net(double momentum = 0.1)
        : base(nameof(Net))
    {
        norm = BatchNorm2d(4, momentum: momentum);
        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => head.call(block.call(norm.call(conv.call(input))).flatten(1));
}

/// <summary>The same, but the block is run by forward: its own hooks never fire, its children's do.</summary>
public sealed class Bypassing : Module<Tensor, Tensor>
{
    private readonly Conv2d conv = Conv2d(3, 4, 3);
    private readonly BatchNorm2d norm = BatchNorm2d(4);
    private readonly Block block = new("call");
    private readonly Linear head = Linear(144, 2);

    public Bypassing()
        : base(nameof(Bypassing)) => RegisterComponents();

    public override Tensor forward(Tensor input) => head.call(block.forward(norm.call(conv.call(input))).flatten(1));
}

/// <summary>Its activation may be run by forward, left out, or scaled, or the gradient cut.</summary>
public sealed class Block : Module<Tensor, Tensor>
{
    private readonly Conv2d conv = Conv2d(4, 4, 1);
    private readonly ReLU act = ReLU();
    private readonly string how;

    public Block(string how)
        : base(nameof(Block))
    {
        this.how = how;
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        var x = conv.call(input);
        return how switch
        {
            "forward" => act.forward(x),
            "skip" => x.relu(),
            "scaled" => act.call(x) * 1.001,
            "cut" => act.call(x).detach(),
            "nan" => act.call(x) / (x - x),
            "throw" => throw new InvalidOperationException("no good today"),
            "spin" => Spin(x),
            _ => act.call(x),
        };
    }

    private static Tensor Spin(Tensor x)
    {
        Console.WriteLine("spinning");
        Thread.Sleep(TimeSpan.FromHours(2));
        return x;
    }
}

/// <summary>Two arguments, the second of which may be null.</summary>
public sealed class Masked : Module<Tensor, Tensor?, Tensor>
{
    private readonly Linear fc = Linear(3, 3);

    public Masked()
        : base(nameof(Masked)) => RegisterComponents();

    public override Tensor forward(Tensor x, Tensor? mask) => mask is null ? fc.call(x) : fc.call(x) * mask;
}

/// <summary>Returns a text.</summary>
public sealed class Talker : Module<Tensor, string>
{
    public Talker()
        : base(nameof(Talker))
    {
    }

    public override string forward(Tensor input) => "no tensor";
}

/// <summary>Forgot RegisterComponents.</summary>
public sealed class Forgetful : Module<Tensor, Tensor>
{
    private readonly Linear child = Linear(2, 2);

    public Forgetful()
        : base(nameof(Forgetful))
    {
    }

    public override Tensor forward(Tensor input) => child.call(input);
}

/// <summary>Has a tensor that is not a buffer, and no children: nothing was forgotten.</summary>
public sealed class Remembering : Module<Tensor, Tensor>
{
    private Tensor? last;

    public Remembering()
        : base(nameof(Remembering))
    {
    }

    public override Tensor forward(Tensor input) => last = input.relu();
}

/// <summary>A second argument that C# may leave out.</summary>
public sealed class Scaled : Module<Tensor, double, Tensor?, Tensor>
{
    private readonly Linear fc = Linear(3, 3);

    public Scaled()
        : base(nameof(Scaled)) => RegisterComponents();

    public override Tensor forward(Tensor x, double scale = 1.0, Tensor? mask = null)
    {
        var y = fc.call(x) * scale;
        return mask is null ? y : y * mask;
    }
}

/// <summary>Calls the one above as C# must: with every argument.</summary>
public sealed class Calling : Module<Tensor, Tensor>
{
    private readonly Scaled scaled = new();
    private readonly double scale;

    public Calling(double scale = 1.0)
        : base(nameof(Calling))
    {
        this.scale = scale;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => scaled.call(x, scale, null);
}

/// <summary>Its constructor throws.</summary>
public sealed class Thrower : Module<Tensor, Tensor>
{
    public Thrower(long size)
        : base(nameof(Thrower)) => throw new ArgumentOutOfRangeException(nameof(size), "must be positive");

    public override Tensor forward(Tensor input) => input;
}

/// <summary>Cannot be made.</summary>
public abstract class Unfinished : Module<Tensor, Tensor>
{
    protected Unfinished()
        : base(nameof(Unfinished))
    {
    }
}

/// <summary>No module.</summary>
public sealed class NoModule;

/// <summary>
/// Built-ins that are set otherwise than in PyTorch where <c>how</c> names them; <c>log</c> has no result for negative numbers.
/// </summary>
public sealed class Settings : Module<Tensor, Tensor>
{
    private readonly Conv2d conv;
    private readonly BatchNorm2d norm;
    private readonly Module<Tensor, Tensor> act;
    private readonly MaxPool2d pool = MaxPool2d((2, 2));
    private readonly Dropout dropout;
    private readonly string how;

    public Settings(string how = "")
        : base(nameof(Settings))
    {
        this.how = how;
        conv = Conv2d(3, 4, 3, padding: how == "padding" ? 0 : 1, padding_mode: how == "mode" ? PaddingModes.Circular : PaddingModes.Zeros);
        norm = BatchNorm2d(4, eps: how == "eps" ? 1e-3 : 1e-5);
        act = how == "class" ? SiLU() : GELU();
        dropout = Dropout(how == "p" ? 0.1 : 0.5);
        RegisterComponents();
        if (how == "frozen")
            conv.bias!.requires_grad_(false);
        if (how == "dtype")
            norm.running_mean = norm.running_mean!.to(ScalarType.Float64);
    }

    public override Tensor forward(Tensor input)
    {
        var x = pool.call(act.call(norm.call(conv.call(input))));
        return dropout.call(how == "log" ? (x - 100).log() : x);
    }
}

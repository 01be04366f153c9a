using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Faults;

/// <summary>The base class of the ports. It registers their fields: C# initializes those before it calls this constructor.</summary>
public abstract class Port : Module<Tensor, Tensor>
{
    protected Port(string name)
        : base(name) => RegisterComponents();
}

/// <summary>The early or the late transpose is missing.</summary>
public sealed class Late(string how = "") : Port(nameof(Late))
{
    private readonly Linear a = Linear(4, 4);
    private readonly Linear b = Linear(4, 4);
    private readonly Linear c = Linear(4, 4);
    private readonly Linear d = Linear(4, 4);

    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        if (how is not ("early" or "both")) y = y.transpose(0, 1);
        var z = c.call(b.call(y));
        if (how is not ("late" or "both")) z = z.transpose(0, 1);
        return d.call(z);
    }
}

public sealed class Attention(string how = "") : Port(nameof(Attention))
{
    private readonly Linear query = Linear(6, 6);
    private readonly Linear key = Linear(6, 6);
    private readonly Linear value = Linear(6, 6);
    private readonly Linear @out = Linear(6, 6);

    public override Tensor forward(Tensor x)
    {
        var q = query.call(x);
        var scores = q.matmul(key.call(x).transpose(-2, -1)) / Math.Sqrt(6);
        if (how == "scale") scores = scores / 2;
        var weights = how == "dim" ? WrongDim(scores) : scores.softmax(how == "same" ? 2 : -1);
        if (how == "swapped") return @out.call(value.call(x).matmul(weights.transpose(0, 1)));
        return @out.call(weights.matmul(value.call(x)));
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private static Tensor WrongDim(Tensor scores)
    {
        return scores.softmax(1);
    }
}

public sealed class Residual(string how = "") : Port(nameof(Residual))
{
    private readonly Conv2d conv = Conv2d(3, 3, 3, padding: 1, padding_mode: how == "mode" ? PaddingModes.Reflect : PaddingModes.Zeros);
    private readonly BatchNorm2d norm = BatchNorm2d(3, eps: how == "eps" ? 1e-2 : 1e-5, momentum: how == "momentum" ? 0.5 : 0.1);
    private readonly Dropout drop = Dropout(how == "p" ? 0.25 : 0.5);
    private readonly ReLU act = ReLU();

    public override Tensor forward(Tensor x)
    {
        var y = drop.call(norm.call(conv.call(x)));
        return how switch
        {
            "missing" => act.call(y),
            "throw" => throw new InvalidOperationException("no good today"),
            "detached" => act.call(y + x.detach()),
            "twice" => act.call(y + x + x),
            "no_grad" => Without(y, x),
            "bypass" => act.forward(y + x),
            _ => act.call(y + x),
        };
    }

    private Tensor Without(Tensor y, Tensor x)
    {
        Tensor sum;
        using (torch.no_grad()) sum = y + x;
        return act.call(sum);
    }
}

public sealed class Recurrent(string how = "") : Port(nameof(Recurrent))
{
    private readonly LSTM lstm = LSTM(4, 4, batchFirst: true);
    private readonly Linear head = Linear(4, 2);

    public override Tensor forward(Tensor x)
    {
        var (output, hidden, cell) = lstm.call(x);
        return head.call(output.select(1, how == "first" ? 0 : -1) + (how == "cell" ? cell : hidden)[0]);
    }
}

public sealed class Inner(bool silu = false) : Port(nameof(Inner))
{
    private readonly Linear fc = Linear(4, 4);
    private readonly Module<Tensor, Tensor> act = silu ? SiLU() : GELU();

    public override Tensor forward(Tensor x) => act.call(fc.call(x));
}

public sealed class Several : Module<Tensor, Tensor>
{
    private readonly Inner again = new();
    private readonly Inner other;
    private readonly ModuleList<Inner> layers;
    private readonly Sequential body = Sequential(("0", Linear(4, 4)), ("1", Tanh()));
    private readonly Linear head = Linear(4, 2);
    private readonly string how;

    public Several(string how = "")
        : base(nameof(Several))
    {
        this.how = how;
        other = again;
        layers = new ModuleList<Inner>(new Inner(), new Inner(how == "silu"));
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        for (var i = 0; i < (how == "once" ? 1 : 2); i++) x = again.call(x);
        x = other.call(how == "third" ? x * 2 : x);
        if (how == "bypassed") x = layers[0].forward(x);
        else x = layers[0].call(x);
        x = layers[1].call(x);
        return head.call(how == "body" ? body.call(x).neg() : body.call(x));
    }
}

public sealed class Scaling(bool writes) : Port(nameof(Scaling))
{
    private readonly Linear fc = Linear(4, 4);

    public override Tensor forward(Tensor x)
    {
        if (!writes) return fc.call(x.add(1));
        var own = x.clone();
        own.mul_(1);
        return fc.call(x.add_(1));
    }
}

public sealed class Writing(bool writes = false) : Port(nameof(Writing))
{
    private readonly Scaling inner = new Scaling(writes);
    private readonly Linear head = Linear(4, 4);

    public override Tensor forward(Tensor x)
    {
        var y = x * 2;
        return head.call(inner.call(y) + y);
    }
}

/// <summary>A softmax before a dropout in eval mode, and a result that is written in place later.</summary>
public sealed class Sampling : Module<Tensor, (Tensor, Tensor)>
{
    private readonly Linear mean = Linear(4, 4);
    private readonly Linear spread = Linear(4, 4);
    private readonly Dropout drop = Dropout(0.5);
    private readonly string how;

    public Sampling(string how = "")
        : base(nameof(Sampling))
    {
        this.how = how;
        RegisterComponents();
    }

    public override (Tensor, Tensor) forward(Tensor x)
    {
        var m = mean.call(x);
        var s = how == "exp" ? spread.call(x) * 0.5 : (spread.call(x) * 0.5).exp();
        var z = how == "write" ? m.add_(s) : m + s;
        if (how == "dim") return (drop.call(z.softmax(0)), m);
        return (drop.call(z.softmax(-1)), m);
    }
}

/// <summary>The children are called in another order, or not at all.</summary>
public sealed class Chain(string how = "") : Port(nameof(Chain))
{
    private readonly Linear a = Linear(4, 4);
    private readonly Linear b = Linear(4, 4);
    private readonly Linear c = Linear(4, 4);
    private readonly Linear d = Linear(4, 4);

    public override Tensor forward(Tensor x)
    {
        var y = a.call(x).relu();
        return how switch
        {
            "left out" => d.call(c.call(y.relu())),
            "swapped" => d.call(b.call(c.call(y).relu())),
            "other" => d.call(c.call(a.call(y).relu())),
            "again" => d.call(d.call(c.call(b.call(y).relu()))),
            "early" => d.call(b.call(c.call(y * 2).relu())),
            "forward" => d.call(c.call(b.forward(y).relu())),
            _ => d.call(c.call(b.call(y).relu())),
        };
    }
}

public sealed class Growth(double most) : Port(nameof(Growth))
{
    public override Tensor forward(Tensor x)
    {
        return (x * 2).clamp_max(most);
    }
}

/// <summary>A module that is called twelve times and clamps large values differently.</summary>
public sealed class Growing(double most = 100000, string how = "") : Port(nameof(Growing))
{
    private readonly Growth step = new Growth(most);
    private readonly Linear head = Linear(4, 4);

    public override Tensor forward(Tensor x)
    {
        for (var i = 0; i < 12; i++)
        {
            if (how == "forward" && i == 11) x = step.forward(x);
            else if (how == "written" && i == 11) x = (x * 2).clamp_max(100000);
            else x = step.call(x);
        }
        return head.call(x);
    }
}

/// <summary>A dropout in eval mode returns its argument, so that its result does not show whether it ran.</summary>
public sealed class Dropping(string how = "") : Port(nameof(Dropping))
{
    private readonly Linear a = Linear(4, 4);
    private readonly Linear b = Linear(4, 4);
    private readonly Dropout drop = Dropout(0.5);
    private readonly Linear head = Linear(4, 4);

    public override Tensor forward(Tensor x)
    {
        x = x + drop.call(a.call(x));
        x = x + (how is "head" or "throw" ? head.call(b.call(x)) : drop.call(b.call(x)));
        if (how == "throw") throw new InvalidOperationException("no good today");
        return head.call(x);
    }
}

/// <summary>No gradient reaches the first child, which runs under <c>no_grad</c>.</summary>
public sealed class Stopped(string how = "") : Port(nameof(Stopped))
{
    private readonly Linear a = Linear(4, 4);
    private readonly Linear b = Linear(4, 4);

    public override Tensor forward(Tensor x)
    {
        var kept = Before(x);
        return how == "detached" ? b.call(kept) + x.detach() : b.call(kept) + x;
    }

    private Tensor Before(Tensor x)
    {
        using (torch.no_grad()) return a.call(x);
    }
}

/// <summary>Divides by a norm, and may write its own weights in place at the end.</summary>
public sealed class Length(string how = "") : Port(nameof(Length))
{
    private readonly Linear fc = Linear(4, 4);

    public override Tensor forward(Tensor x)
    {
        var length = how switch
        {
            "dim" => x.norm(0, true, 1),
            "p" => x.norm(1, true),
            _ => x.norm(1, true, 1),
        };
        var y = fc.call(x / length);
        if (how == "decays")
        {
            using (torch.no_grad()) fc.weight!.mul_(0.5);
        }
        if (how == "overwrites") y = y + (y * 0).exp().sub_(1); // backward needs the result of exp

        return y;
    }
}

/// <summary>Subtracts its input from a number, which TorchSharp passes to the operator as a tensor.</summary>
public sealed class Complement(string how = "") : Port(nameof(Complement))
{
    private readonly Linear fc = Linear(4, 4);

    public override Tensor forward(Tensor x) => fc.call(((how == "number" ? 1.5 : 1.0) - x) * 2.0);
}

/// <summary>Writes an argument in place. PyTorch's parameters are in another order.</summary>
public sealed class Filling : Module<Tensor, Tensor, Tensor>
{
    private readonly Linear fc = Linear(4, 4);

    public Filling() : base(nameof(Filling)) => RegisterComponents();

    public override Tensor forward(Tensor mask, Tensor x) => fc.call(x.masked_fill_(mask, 0));
}

/// <summary>Returns the first of PyTorch's two results; the second is the argument.</summary>
public sealed class Halved() : Port(nameof(Halved))
{
    private readonly Linear fc = Linear(4, 4);

    public override Tensor forward(Tensor x) => fc.call(x);
}

namespace Attack;

// The layers are called in statements of their own: within one expression C# would read the field `b` before the hooks of `a` run.

/// <summary>Two layers and an activation.</summary>
public sealed class Chain : Model
{
    private readonly Linear a = Linear(4, 8);
    private readonly ReLU r = ReLU();
    private readonly Linear b = Linear(8, 4);

    public override Tensor forward(Tensor x)
    {
        x = a.call(x);
        x = r.call(x);
        return b.call(x);
    }
}

/// <summary>Batch norm and dropout, which depend on the training mode and draw random numbers.</summary>
public sealed class Normed : Model
{
    private readonly Sequential features = Sequential(("lin", Linear(4, 4)), ("norm", BatchNorm1d(4)));
    private readonly Dropout drop = Dropout(0.5);
    private readonly Linear head = Linear(4, 4);

    public override Tensor forward(Tensor x)
    {
        x = features.call(x);
        x = drop.call(x);
        return head.call(x);
    }
}

/// <summary>A recurrent layer, whose results are a tuple in a tuple.</summary>
public sealed class Recurrent : Model
{
    private readonly LSTM lstm = LSTM(4, 5, batchFirst: true);
    private readonly Linear head = Linear(5, 4);

    public override Tensor forward(Tensor x)
    {
        var (y, h, c) = lstm.call(x.unsqueeze(1));
        return head.call(y.squeeze(1)) + (h + c).sum();
    }
}

/// <summary>One layer under two names.</summary>
public sealed class Tied : Module<Tensor, Tensor>
{
    private readonly Linear one = Linear(4, 4);
    private readonly Linear two;

    public Tied() : base(nameof(Tied))
    {
        two = one;
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        x = one.call(x).tanh();
        return two.call(x);
    }
}

/// <summary>A residual block.</summary>
public sealed class Block : Model
{
    private readonly Linear lin = Linear(4, 4);
    private readonly GELU act = GELU();

    public override Tensor forward(Tensor x)
    {
        var y = lin.call(x);
        return x + act.call(y);
    }
}

/// <summary>A list of blocks.</summary>
public sealed class Blocks : Model
{
    private readonly ModuleList<Module<Tensor, Tensor>> items = ModuleList<Module<Tensor, Tensor>>(new Block(), new Block(), new Block());

    public override Tensor forward(Tensor x)
    {
        foreach (var item in items) x = item.call(x);
        return x;
    }
}

/// <summary>Reads its child's parameters without calling the child.</summary>
public sealed class Reading : Model
{
    private readonly Linear a = Linear(4, 4);
    private readonly ReLU r = ReLU();

    public override Tensor forward(Tensor x)
    {
        var y = r.call(x);
        return y.matmul(a.weight!.t()) + a.bias!;
    }
}

/// <summary>Reads the parameters of a list's entries, which may be Python modules.</summary>
public sealed class ReadingList : Model
{
    private readonly ModuleList<Linear> items = new(Linear(4, 4), Linear(4, 4), Linear(4, 4));
    private readonly ReLU r = ReLU();

    public override Tensor forward(Tensor x)
    {
        x = r.call(x);
        for (var i = 0; i < items.Count; i++)
        {
            x = x.matmul(items[i].weight!.t());
            if (items[i].bias is { } bias) x = x + bias;
        }

        return x;
    }
}

/// <summary>Counts its calls in a buffer that it changes in place.</summary>
public sealed class Counting : OneLayer
{
    private readonly Tensor count = zeros(1);

    public override Tensor forward(Tensor x)
    {
        using (no_grad()) count.add_(1);
        return a.call(x) + count.clone();
    }
}

/// <summary>Keeps its last result in a field.</summary>
public sealed class Keeping : OneLayer
{
    private Tensor? last;

    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        var sum = last is null ? y : y + last;
        last = y.detach();
        return sum;
    }
}

/// <summary>Disposes intermediate tensors by <c>using</c>, dispose scopes and moves between scopes.</summary>
public sealed class Disposing : TwoLayers
{
    public override Tensor forward(Tensor x)
    {
        using var first = a.call(x);
        Tensor kept;
        using (NewDisposeScope())
        {
            using var half = first * 0.5;
            using var positive = half.relu();
            kept = b.call(positive).MoveToOuterDisposeScope();
        }

        using var unused = kept + 1;
        return kept * 2;
    }
}

/// <summary>Works in place, as far as autograd allows.</summary>
public sealed class Inplace : Model
{
    private readonly Linear a = Linear(4, 4);
    private readonly ReLU r = ReLU(inplace: true);

    public override Tensor forward(Tensor x)
    {
        var y = a.call(x);
        y = r.call(y) * 3;
        y.add_(1);
        return y.mul_(2);
    }
}

/// <summary>Two inputs, two results, and options of other types.</summary>
public sealed class Options : Module<Tensor, Tensor, long, double, bool, (Tensor, Tensor)>
{
    private readonly Linear a = Linear(4, 4);

    public Options() : base(nameof(Options)) => RegisterComponents();

    public override (Tensor, Tensor) forward(Tensor x, Tensor y, long times = 2, double plus = 0.5, bool flip = false) =>
        flip ? (y * plus, a.call(x) * times) : (a.call(x) * times, y * plus);
}

/// <summary>A list in, a list out.</summary>
public sealed class Lists : Module<IList<Tensor>, List<Tensor>>
{
    private readonly Linear a = Linear(4, 4);

    public Lists() : base(nameof(Lists)) => RegisterComponents();

    public override List<Tensor> forward(IList<Tensor> x) => [.. x.Select(item => a.call(item)), .. x];
}

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

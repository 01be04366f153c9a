using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Forwards;

/// <summary>Runs every child by forward; 'call' is named nowhere in this assembly but in comments.</summary>
public class Net : Module<Tensor, Tensor>
{
    private readonly Linear first = Linear(4, 8);
    private readonly Block block = new();
    private readonly Pair pair = new();

    public Net() : base(nameof(Net)) => RegisterComponents();

    public override Tensor forward(Tensor x) => pair.forward(block.forward(first.forward(x)), x);
}

/// <summary>A user's own class, whose base runs a forward too.</summary>
public class Block : Base<Tensor>
{
    private readonly Linear out_ = Linear(8, 8);

    public Block() : base(nameof(Block)) => RegisterComponents();

    public override Tensor forward(Tensor x) => out_.forward(base.forward(x));
}

/// <summary>A generic base of the user's.</summary>
public class Base<T> : Module<T, Tensor> where T : Tensor
{
    private readonly ReLU act = ReLU();

    protected Base(string name) : base(name) { }

    public override Tensor forward(T x) => act.forward(x);
}

/// <summary>Two arguments.</summary>
public class Pair : Module<Tensor, Tensor, Tensor>
{
    private readonly Linear skip = Linear(4, 8);

    public Pair() : base(nameof(Pair)) => RegisterComponents();

    public override Tensor forward(Tensor x, Tensor y) => x.add(skip.forward(y));
}

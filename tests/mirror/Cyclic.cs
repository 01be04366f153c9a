using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A child that is given the module it belongs to as a child of its own: the tree contains itself.</summary>
public sealed class Knowing : Module<Tensor, Tensor>
{
    private readonly Linear inner = Linear(2, 2);

    public Knowing() : base(nameof(Knowing)) => RegisterComponents();

    public void Know(Module owner) => register_module(nameof(owner), owner);

    public override Tensor forward(Tensor input) => inner.call(input);
}

/// <summary>A module whose grandchild's child is itself.</summary>
public sealed class Cyclic : Module<Tensor, Tensor>
{
    private readonly Sequential body;

    public Cyclic() : base(nameof(Cyclic))
    {
        var second = new Knowing();
        body = Sequential(("first", Linear(2, 2)), ("second", second));
        RegisterComponents();
        second.Know(this);
    }

    public override Tensor forward(Tensor input) => body.call(input);
}

/// <summary>A tree that holds <see cref="Cyclic"/>, which contains itself, below its root.</summary>
public sealed class AroundCyclic : Module<Tensor, Tensor>
{
    private readonly Cyclic inside = new();

    public AroundCyclic() : base(nameof(AroundCyclic)) => RegisterComponents();

    public override Tensor forward(Tensor input) => inside.call(input);
}

global using TorchSharp;
global using TorchSharp.Modules;
global using static TorchSharp.torch;
global using static TorchSharp.torch.nn;

namespace Attack;

/// <summary>A model of one tensor of shape (batch, 4), whose fields are its children.</summary>
public abstract class Model : Module<Tensor, Tensor>
{
    protected Model() : base(nameof(Model)) => RegisterComponents();
}

/// <summary>A model of one layer.</summary>
public abstract class OneLayer : Model
{
    protected readonly Linear a = Linear(4, 4);

    public override Tensor forward(Tensor x) => a.call(x);
}

/// <summary>A model of two layers.</summary>
public abstract class TwoLayers : Model
{
    protected readonly Linear a = Linear(4, 4);
    protected readonly Linear b = Linear(4, 4);

    public override Tensor forward(Tensor x)
    {
        x = a.call(x);
        return b.call(x);
    }
}

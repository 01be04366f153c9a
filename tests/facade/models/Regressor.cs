using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A small net that <see cref="Training"/> trains.</summary>
public class Regressor : Module<Tensor, Tensor>
{
    private readonly Linear lin1 = Linear(6, 12);
    private readonly Linear lin2 = Linear(12, 1);
    private readonly BatchNorm1d norm = BatchNorm1d(12);

    public Regressor() : base(nameof(Regressor))
    {
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        using var x = lin1.call(input);
        using var y = functional.relu(norm.call(x));
        return lin2.call(y);
    }
}

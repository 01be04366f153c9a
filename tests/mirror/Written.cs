using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A module of each sort whose attributes are written: convolution, norm, dropout, activation, linear.</summary>
public sealed class Layers : Module<Tensor, Tensor>
{
    private readonly Conv2d conv = Conv2d(1, 2, 3, padding: 1);
    private readonly BatchNorm2d bn = BatchNorm2d(2);
    private readonly Dropout drop = Dropout(0.5);
    private readonly ReLU act = ReLU();
    private readonly Linear fc = Linear(2, 3);

    public Layers() : base(nameof(Layers)) => RegisterComponents();

    public override Tensor forward(Tensor input) => fc.call(drop.call(act.call(bn.call(conv.call(input)))).mean([2, 3]));
}

/// <summary>Reads a hyper-parameter of a module that it does not call, or sets it.</summary>
public sealed class Reading : Module<Tensor, Tensor>
{
    private readonly Dropout drop = Dropout(0.25);
    private readonly Conv2d conv = Conv2d(1, 1, 1, stride: 2);
    private readonly string what;

    public Reading(string what) : base(nameof(Reading))
    {
        this.what = what;
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        switch (what)
        {
            case "p": return input * drop.p;
            case "training": return input * (drop.training ? 1 : 0);
            case "stride": return input * conv.stride[0];
            case "forward": return conv.forward(input);
            case "set":
                drop.p = 0.75;
                conv.stride = [3, 3];
                return drop.call(input);
            default: throw new ArgumentException(what);
        }
    }
}

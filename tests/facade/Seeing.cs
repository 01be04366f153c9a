using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Seeing;

/// <summary>Uses of a library beside it what needs nothing native.</summary>
public class Area : Module<Tensor, Tensor>
{
    private readonly Seen.Stem stem = new();

    public Area() : base(nameof(Area)) => RegisterComponents();

    public override Tensor forward(Tensor x) => Seen.Boxes.Area(stem.call(x));
}

/// <summary>Uses what calls TorchSharp's native library.</summary>
public class Nms : Module<Tensor, Tensor>
{
    public Nms() : base(nameof(Nms)) { }

    public override Tensor forward(Tensor x) => Seen.Pictures.Nms(x);
}

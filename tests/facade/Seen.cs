using System.Runtime.InteropServices;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Seen;

/// <summary>What TorchVision and TorchAudio do: most of it is TorchSharp's, a few functions are those of its native library.</summary>
public static class Boxes
{
    public static Tensor Area(Tensor boxes) => boxes.pow(2);

    public static ITransform Flip() => throw new System.NotSupportedException();
}

public interface ITransform
{
    Tensor call(Tensor input);
}

public static class Pictures
{
    public static Tensor Nms(Tensor boxes)
    {
        THSVision_nms(0);
        return boxes;
    }

    [DllImport("LibTorchSharp")]
    private static extern void THSVision_nms(long boxes);

    [DllImport("another")]
    private static extern void not_ours();
}

/// <summary>A block of the library's.</summary>
public class Stem : Module<Tensor, Tensor>
{
    private readonly Linear layer = Linear(2, 2);

    public Stem() : base(nameof(Stem)) => RegisterComponents();

    public override Tensor forward(Tensor x) => layer.call(x);
}

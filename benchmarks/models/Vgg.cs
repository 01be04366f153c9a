using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace BenchmarkModels;

/// <summary>VGG-11 with the functions of its activations, for pictures of three channels.</summary>
public sealed class Vgg : Module<Tensor, Tensor>
{
    private readonly ModuleList<Conv2d> convolutions = new();
    private readonly Linear fc = Linear(512, 1000);

    public Vgg() : base(nameof(Vgg))
    {
        long[] widths = [3, 64, 128, 256, 256, 512, 512, 512, 512];
        for (var i = 1; i < widths.Length; i++) convolutions.Add(Conv2d(widths[i - 1], widths[i], 3, padding: 1));
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        var x = input;
        for (var i = 0; i < convolutions.Count; i++)
        {
            x = functional.relu(convolutions[i].call(x));
            if (i is 0 or 1 or 3 or 5 or 7) x = functional.max_pool2d(x, 2);
        }

        return fc.call(x.mean(new long[] { 2, 3 }));
    }
}

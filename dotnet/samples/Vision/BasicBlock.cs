using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Vision;

/// <summary>A residual block of two convolutions and a shortcut.</summary>
public sealed class BasicBlock : Module<Tensor, Tensor>
{
    private readonly Conv2d conv1;
    private readonly BatchNorm2d bn1;
    private readonly ReLU relu;
    private readonly Conv2d conv2;
    private readonly BatchNorm2d bn2;
    private readonly Sequential? downsample;

    /// <summary>Builds the block with random weights.</summary>
    /// <param name="inplanes">Channels of the input.</param>
    /// <param name="planes">Channels of the result.</param>
    /// <param name="stride">Stride of the first convolution and of the shortcut.</param>
    public BasicBlock(long inplanes, long planes, long stride = 1)
        : base(nameof(BasicBlock))
    {
        // The shortcut is created first, as in the original, so that random weights are drawn in the same order.
        if (stride != 1 || inplanes != planes)
        {
            downsample = Sequential(Conv2d(inplanes, planes, 1, stride, bias: false), BatchNorm2d(planes));
        }

        conv1 = Conv2d(inplanes, planes, 3, stride, padding: 1, bias: false);
        bn1 = BatchNorm2d(planes);
        relu = ReLU(inplace: true);
        conv2 = Conv2d(planes, planes, 3, padding: 1, bias: false);
        bn2 = BatchNorm2d(planes);
        RegisterComponents();
    }

    /// <summary>Runs the block.</summary>
    /// <param name="input">float32 [n, inplanes, h, w].</param>
    /// <returns>float32 [n, planes, h / stride, w / stride].</returns>
    public override Tensor forward(Tensor input)
    {
        var x = relu.call(bn1.call(conv1.call(input)));
        x = bn2.call(conv2.call(x));
        x += downsample is null ? input : downsample.call(input);
        return relu.call(x);
    }
}

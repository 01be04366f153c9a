using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Vision;

/// <summary>ResNet-18 (He et al., 2015), with the module names of torchvision.</summary>
public sealed class ResNet18 : Module<Tensor, Tensor>
{
    private readonly Conv2d conv1 = Conv2d(3, 64, 7, stride: 2, padding: 3, bias: false);
    private readonly BatchNorm2d bn1 = BatchNorm2d(64);
    private readonly ReLU relu = ReLU(inplace: true);
    private readonly MaxPool2d maxpool = MaxPool2d(3, stride: 2, padding: 1);
    private readonly Sequential layer1 = Layer(64, 64, stride: 1);
    private readonly Sequential layer2 = Layer(64, 128, stride: 2);
    private readonly Sequential layer3 = Layer(128, 256, stride: 2);
    private readonly Sequential layer4 = Layer(256, 512, stride: 2);
    private readonly AdaptiveAvgPool2d avgpool = AdaptiveAvgPool2d((1, 1));
    private readonly Linear fc;

    /// <summary>Builds the net with random weights.</summary>
    /// <param name="classes">The number of classes.</param>
    public ResNet18(long classes = 1000)
        : base(nameof(ResNet18))
    {
        fc = Linear(512, classes);
        RegisterComponents();
    }

    /// <summary>Rates pictures.</summary>
    /// <param name="input">float32 [n, 3, h, w].</param>
    /// <returns>A score for each class, float32 [n, classes].</returns>
    public override Tensor forward(Tensor input)
    {
        var x = maxpool.call(relu.call(bn1.call(conv1.call(input))));
        x = layer1.call(x);
        x = layer2.call(x);
        x = layer3.call(x);
        x = layer4.call(x);
        x = avgpool.call(x).flatten(1);
        return fc.call(x);
    }

    private static Sequential Layer(long inplanes, long planes, long stride)
    {
        return Sequential(new BasicBlock(inplanes, planes, stride), new BasicBlock(planes, planes));
    }
}

using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace BenchmarkModels;

/// <summary>ResNet-50 for pictures of three channels.</summary>
public sealed class ResNet50 : Module<Tensor, Tensor>
{
    private readonly Conv2d conv1 = Conv2d(3, 64, 7, stride: 2, padding: 3, bias: false);
    private readonly BatchNorm2d bn1 = BatchNorm2d(64);
    private readonly ReLU relu = ReLU(inplace: true);
    private readonly MaxPool2d maxpool = MaxPool2d(3, stride: 2, padding: 1);
    private readonly Sequential layer1 = Layer(64, 64, 3, 1);
    private readonly Sequential layer2 = Layer(256, 128, 4, 2);
    private readonly Sequential layer3 = Layer(512, 256, 6, 2);
    private readonly Sequential layer4 = Layer(1024, 512, 3, 2);
    private readonly AdaptiveAvgPool2d avgpool = AdaptiveAvgPool2d(1);
    private readonly Linear fc = Linear(2048, 1000);

    public ResNet50() : base(nameof(ResNet50)) => RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        var x = maxpool.call(relu.call(bn1.call(conv1.call(input))));
        x = layer4.call(layer3.call(layer2.call(layer1.call(x))));
        return fc.call(avgpool.call(x).flatten(1));
    }

    private static Sequential Layer(long inputs, long width, int blocks, long stride)
    {
        var layer = Sequential(new Bottleneck(inputs, width, stride));
        for (var i = 1; i < blocks; i++) layer.append(new Bottleneck(4 * width, width, 1));
        return layer;
    }
}

/// <summary>Three convolutions beside a shortcut.</summary>
public sealed class Bottleneck : Module<Tensor, Tensor>
{
    private readonly Conv2d conv1;
    private readonly BatchNorm2d bn1;
    private readonly Conv2d conv2;
    private readonly BatchNorm2d bn2;
    private readonly Conv2d conv3;
    private readonly BatchNorm2d bn3;
    private readonly ReLU relu = ReLU(inplace: true);
    private readonly Sequential? downsample;

    public Bottleneck(long inputs, long width, long stride) : base(nameof(Bottleneck))
    {
        conv1 = Conv2d(inputs, width, 1, bias: false);
        bn1 = BatchNorm2d(width);
        conv2 = Conv2d(width, width, 3, stride: stride, padding: 1, bias: false);
        bn2 = BatchNorm2d(width);
        conv3 = Conv2d(width, 4 * width, 1, bias: false);
        bn3 = BatchNorm2d(4 * width);
        if (stride != 1 || inputs != 4 * width)
            downsample = Sequential(Conv2d(inputs, 4 * width, 1, stride: stride, bias: false), BatchNorm2d(4 * width));
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        var x = relu.call(bn1.call(conv1.call(input)));
        x = relu.call(bn2.call(conv2.call(x)));
        x = bn3.call(conv3.call(x));
        x.add_(downsample is null ? input : downsample.call(input));
        return relu.call(x);
    }
}

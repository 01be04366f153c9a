using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace BenchmarkModels;

/// <summary>A DenseNet of two blocks for pictures of three channels.</summary>
public sealed class DenseNet : Module<Tensor, Tensor>
{
    private readonly Sequential stem = Sequential(
        Conv2d(3, 64, 7, stride: 2, padding: 3, bias: false), BatchNorm2d(64), ReLU(inplace: true), MaxPool2d(3, stride: 2, padding: 1));
    private readonly DenseBlock block1 = new(64, 32, 6);
    private readonly Conv2d narrow = Conv2d(256, 128, 1, bias: false);
    private readonly DenseBlock block2 = new(128, 32, 12);
    private readonly Linear fc = Linear(512, 1000);

    public DenseNet() : base(nameof(DenseNet)) => RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        var x = narrow.call(functional.relu(block1.call(stem.call(input))));
        x = block2.call(functional.avg_pool2d(x, 2));
        x = functional.adaptive_avg_pool2d(functional.relu(x), 1);
        return fc.call(x.flatten(1));
    }
}

/// <summary>Layers that each get the results of all layers before them.</summary>
public sealed class DenseBlock : Module<Tensor, Tensor>
{
    private readonly ModuleList<DenseLayer> layers = new();

    public DenseBlock(long inputs, long growth, int count) : base(nameof(DenseBlock))
    {
        for (var i = 0; i < count; i++) layers.Add(new DenseLayer(inputs + i * growth, growth));
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        var features = input;
        for (var i = 0; i < layers.Count; i++) features = cat(new[] { features, layers[i].call(features) }, 1);
        return features;
    }
}

/// <summary>Two convolutions, each after a normalization.</summary>
public sealed class DenseLayer : Module<Tensor, Tensor>
{
    private readonly BatchNorm2d norm1;
    private readonly Conv2d conv1;
    private readonly BatchNorm2d norm2;
    private readonly Conv2d conv2;

    public DenseLayer(long inputs, long growth) : base(nameof(DenseLayer))
    {
        norm1 = BatchNorm2d(inputs);
        conv1 = Conv2d(inputs, 4 * growth, 1, bias: false);
        norm2 = BatchNorm2d(4 * growth);
        conv2 = Conv2d(4 * growth, growth, 3, padding: 1, bias: false);
        RegisterComponents();
    }

    public override Tensor forward(Tensor input)
    {
        var x = conv1.call(functional.relu(norm1.call(input)));
        return conv2.call(functional.relu(norm2.call(x)));
    }
}

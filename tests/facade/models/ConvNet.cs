using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Digits. The features are a Sequential with names; one child is run by forward, the others by call.</summary>
public class ConvNet : Module<Tensor, Tensor>
{
    private readonly Sequential features;
    private readonly Dropout dropout = Dropout(0.25);
    private readonly Linear fc1;
    private readonly Linear fc2;

    public ConvNet(int channels, int classes) : base(nameof(ConvNet))
    {
        features = Sequential(
            ("conv1", Conv2d(1, channels, kernel_size: 3, padding: 1)),
            ("bn1", BatchNorm2d(channels)),
            ("relu1", ReLU()),
            ("pool1", MaxPool2d(2)),
            ("conv2", Conv2d(channels, 2 * channels, kernel_size: 3, stride: 2)),
            ("relu2", LeakyReLU(0.1)),
            ("pool2", AdaptiveAvgPool2d(2)));
        fc1 = Linear(2 * channels * 4, 16);
        fc2 = Linear(16, classes, hasBias: false);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        x = features.forward(x);
        x = dropout.call(torch.flatten(x, 1));
        x = functional.relu(fc1.call(x));
        return functional.log_softmax(fc2.call(x), dim: 1);
    }
}

using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Vision;

/// <summary>LeNet-5 (LeCun et al., 1998) with ReLU and max pooling: classifies digits in grayscale pictures.</summary>
public sealed class LeNet : Module<Tensor, Tensor>
{
    private readonly Conv2d conv1 = Conv2d(1, 6, 5, padding: 2);
    private readonly ReLU relu1 = ReLU();
    private readonly MaxPool2d pool1 = MaxPool2d(2);
    private readonly Conv2d conv2 = Conv2d(6, 16, 5);
    private readonly ReLU relu2 = ReLU();
    private readonly MaxPool2d pool2 = MaxPool2d(2);
    private readonly Linear fc1 = Linear(16 * 5 * 5, 120);
    private readonly ReLU relu3 = ReLU();
    private readonly Linear fc2 = Linear(120, 84);
    private readonly ReLU relu4 = ReLU();
    private readonly Linear fc3;

    /// <summary>Builds the net with random weights.</summary>
    /// <param name="classes">The number of classes.</param>
    public LeNet(long classes = 10)
        : base(nameof(LeNet))
    {
        fc3 = Linear(84, classes);
        RegisterComponents();
    }

    /// <summary>Rates pictures.</summary>
    /// <param name="input">float32 [n, 1, 28, 28].</param>
    /// <returns>A score for each class, float32 [n, classes].</returns>
    public override Tensor forward(Tensor input)
    {
        var x = pool1.call(relu1.call(conv1.call(input)));
        x = pool2.call(relu2.call(conv2.call(x)));
        x = x.flatten(1);
        x = relu3.call(fc1.call(x));
        x = relu4.call(fc2.call(x));
        return fc3.call(x);
    }
}

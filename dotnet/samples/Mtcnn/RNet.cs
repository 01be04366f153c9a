using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Mtcnn;

/// <summary>Refinement net of the MTCNN face detector: rates 24x24 crops and corrects their boxes.</summary>
public sealed class RNet : Module<Tensor, (Tensor, Tensor)>
{
    private readonly Conv2d conv1 = Conv2d(3, 28, 3);
    private readonly PReLU prelu1 = PReLU(28);
    private readonly MaxPool2d pool1 = MaxPool2d(3, 2, ceil_mode: true);
    private readonly Conv2d conv2 = Conv2d(28, 48, 3);
    private readonly PReLU prelu2 = PReLU(48);
    private readonly MaxPool2d pool2 = MaxPool2d(3, 2, ceil_mode: true);
    private readonly Conv2d conv3 = Conv2d(48, 64, 2);
    private readonly PReLU prelu3 = PReLU(64);
    private readonly Linear dense4 = Linear(576, 128);
    private readonly PReLU prelu4 = PReLU(128);
    private readonly Linear dense5_1 = Linear(128, 2);
    private readonly Softmax softmax5_1 = Softmax(1);
    private readonly Linear dense5_2 = Linear(128, 4);

    /// <summary>Builds the net with random weights.</summary>
    /// <param name="name">Name of the module.</param>
    public RNet(string name = "RNet")
        : base(name)
    {
        RegisterComponents();
    }

    /// <summary>Rates crops.</summary>
    /// <param name="input">float32 [n, 3, 24, 24].</param>
    /// <returns>Probabilities [n, 2] (column 1 is 'face') and box offsets [n, 4].</returns>
    public override (Tensor, Tensor) forward(Tensor input)
    {
        var x = pool1.call(prelu1.call(conv1.call(input)));
        x = pool2.call(prelu2.call(conv2.call(x)));
        x = prelu3.call(conv3.call(x));

        // The dense weights were trained on [width, height, channel] order, so the axes are permuted before flattening.
        x = prelu4.call(dense4.call(x.permute(0, 3, 2, 1).flatten(1)));
        var probabilities = softmax5_1.call(dense5_1.call(x));
        var offsets = dense5_2.call(x);
        return (probabilities, offsets);
    }
}

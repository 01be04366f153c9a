using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Mtcnn;

/// <summary>
/// Output net of the MTCNN face detector: rates 48x48 crops and finds five landmarks (eyes, nose, corners of the mouth).
/// </summary>
public sealed class ONet : Module<Tensor, (Tensor, Tensor, Tensor)>
{
    private readonly Conv2d conv1 = Conv2d(3, 32, 3);
    private readonly PReLU prelu1 = PReLU(32);
    private readonly MaxPool2d pool1 = MaxPool2d(3, 2, ceil_mode: true);
    private readonly Conv2d conv2 = Conv2d(32, 64, 3);
    private readonly PReLU prelu2 = PReLU(64);
    private readonly MaxPool2d pool2 = MaxPool2d(3, 2, ceil_mode: true);
    private readonly Conv2d conv3 = Conv2d(64, 64, 3);
    private readonly PReLU prelu3 = PReLU(64);
    private readonly MaxPool2d pool3 = MaxPool2d(2, 2, ceil_mode: true);
    private readonly Conv2d conv4 = Conv2d(64, 128, 2);
    private readonly PReLU prelu4 = PReLU(128);
    private readonly Linear dense5 = Linear(1152, 256);
    private readonly PReLU prelu5 = PReLU(256);
    private readonly Linear dense6_1 = Linear(256, 2);
    private readonly Softmax softmax6_1 = Softmax(1);
    private readonly Linear dense6_2 = Linear(256, 4);
    private readonly Linear dense6_3 = Linear(256, 10);

    /// <summary>Builds the net with random weights.</summary>
    /// <param name="name">Name of the module.</param>
    public ONet(string name = "ONet")
        : base(name)
    {
        RegisterComponents();
    }

    /// <summary>Rates crops and finds their landmarks.</summary>
    /// <param name="input">float32 [n, 3, 48, 48].</param>
    /// <returns>Probabilities [n, 2] (column 1 is 'face'), box offsets [n, 4] and landmarks [n, 10], five x and five y.</returns>
    public override (Tensor, Tensor, Tensor) forward(Tensor input)
    {
        var x = pool1.call(prelu1.call(conv1.call(input)));
        x = pool2.call(prelu2.call(conv2.call(x)));
        x = pool3.call(prelu3.call(conv3.call(x)));
        x = prelu4.call(conv4.call(x));

        // The dense weights were trained on [width, height, channel] order, so the axes are permuted before flattening.
        x = prelu5.call(dense5.call(x.permute(0, 3, 2, 1).flatten(1)));
        var probabilities = softmax6_1.call(dense6_1.call(x));
        var offsets = dense6_2.call(x);
        var landmarks = dense6_3.call(x);
        return (probabilities, offsets, landmarks);
    }
}

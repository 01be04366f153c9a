using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Mtcnn;

/// <summary>
/// Proposal net of the MTCNN face detector: slides a 12x12 window over a picture, two pixels a step, and rates each position.
/// </summary>
public sealed class PNet : Module<Tensor, (Tensor, Tensor)>
{
    private readonly Conv2d conv1 = Conv2d(3, 10, 3);
    private readonly PReLU prelu1 = PReLU(10);
    private readonly MaxPool2d pool1 = MaxPool2d(2, 2, ceil_mode: true);
    private readonly Conv2d conv2 = Conv2d(10, 16, 3);
    private readonly PReLU prelu2 = PReLU(16);
    private readonly Conv2d conv3 = Conv2d(16, 32, 3);
    private readonly PReLU prelu3 = PReLU(32);
    private readonly Conv2d conv4_1 = Conv2d(32, 2, 1);
    private readonly Softmax softmax4_1 = Softmax(1);
    private readonly Conv2d conv4_2 = Conv2d(32, 4, 1);

    /// <summary>Builds the net with random weights.</summary>
    /// <param name="name">Name of the module.</param>
    public PNet(string name = "PNet")
        : base(name)
    {
        RegisterComponents();
    }

    /// <summary>Rates every window of a picture.</summary>
    /// <param name="input">float32 [n, 3, h, w] with h, w of at least 12.</param>
    /// <returns>Probabilities [n, 2, h', w'] (channel 1 is 'face') and box offsets [n, 4, h', w'].</returns>
    public override (Tensor, Tensor) forward(Tensor input)
    {
        var x = pool1.call(prelu1.call(conv1.call(input)));
        x = prelu2.call(conv2.call(x));
        x = prelu3.call(conv3.call(x));
        var probabilities = softmax4_1.call(conv4_1.call(x));
        var offsets = conv4_2.call(x);
        return (probabilities, offsets);
    }
}

using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Reads one character of a number plate: a plain convolutional net over pictures that it standardizes itself.</summary>
public class Plates : Module<Tensor, Tensor>
{
    private readonly Conv2d conv1 = Conv2d(3, 6, 3, padding: 1);
    private readonly BatchNorm2d norm1 = BatchNorm2d(6);
    private readonly PReLU act1 = PReLU(6);
    private readonly MaxPool2d pool1 = MaxPool2d(2, stride: 2);
    private readonly Conv2d conv2 = Conv2d(6, 6, 3, padding: 1, bias: false);
    private readonly BatchNorm2d norm2 = BatchNorm2d(6, eps: 1e-3, momentum: 0.05);
    private readonly LeakyReLU act2 = LeakyReLU(0.1);
    private readonly AvgPool2d pool2 = AvgPool2d(2, padding: 1, count_include_pad: false);
    private readonly Dropout dropout = Dropout(0.25);
    private readonly Linear fc1 = Linear(96, 12);
    private readonly Linear fc2 = Linear(12, 5);

    public Plates() : base(nameof(Plates)) { RegisterComponents(); }

    private Tensor Standardized(Tensor x)
    {
        var mean = x.mean(new long[] { 2, 3 }, keepdim: true);
        var variance = x.var(new long[] { 2, 3 }, unbiased: false, keepdim: true);
        return (x - mean) / (variance + 0.001).sqrt();
    }

    public override Tensor forward(Tensor x)
    {
        x = Standardized(x);
        x = act1.call(norm1.call(conv1.call(x)));
        x = pool1.call(x);
        x = functional.pad(x, new long[] { 1, 0, 0, 1 });
        x = act2.call(norm2.call(conv2.call(x)));
        x = pool2.call(x);
        x = dropout.call(x.flatten(1));
        x = fc1.call(x).relu();
        return functional.log_softmax(fc2.call(x), dim: 1);
    }
}

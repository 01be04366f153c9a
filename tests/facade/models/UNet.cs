using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>Segmentation of an image: two levels down, two up, each with a skip connection.</summary>
public class UNet : Module<Tensor, Tensor>
{
    private readonly DoubleConv inc;
    private readonly Down down1;
    private readonly Down down2;
    private readonly Up up1;
    private readonly Up up2;
    private readonly Conv2d outc;

    public UNet(int channels, int classes, int width = 8) : base(nameof(UNet))
    {
        inc = new DoubleConv(channels, width);
        down1 = new Down(width, 2 * width);
        down2 = new Down(2 * width, 4 * width);
        up1 = new Up(4 * width, 2 * width, bilinear: false);
        up2 = new Up(2 * width, width, bilinear: true);
        outc = Conv2d(width, classes, kernel_size: 1);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var x1 = inc.call(x);
        var x2 = down1.call(x1);
        var x3 = down2.call(x2);
        x = up1.call(x3, x2);
        x = up2.call(x, x1);
        return outc.call(x);
    }
}

/// <summary>Convolution, norm, activation, twice.</summary>
public class DoubleConv : Module<Tensor, Tensor>
{
    private readonly Sequential double_conv;

    public DoubleConv(int inChannels, int outChannels) : base(nameof(DoubleConv))
    {
        double_conv = Sequential(
            Conv2d(inChannels, outChannels, kernel_size: 3, padding: 1, bias: false),
            BatchNorm2d(outChannels),
            ReLU(inplace: true),
            Conv2d(outChannels, outChannels, kernel_size: 3, padding: 1, bias: false),
            GroupNorm(2, outChannels),
            ReLU(inplace: true));
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => double_conv.call(x);
}

/// <summary>Halves the size.</summary>
public class Down : Module<Tensor, Tensor>
{
    private readonly Sequential maxpool_conv;

    public Down(int inChannels, int outChannels) : base(nameof(Down))
    {
        maxpool_conv = Sequential(MaxPool2d(2), new DoubleConv(inChannels, outChannels));
        RegisterComponents();
    }

    public override Tensor forward(Tensor x) => maxpool_conv.call(x);
}

/// <summary>Doubles the size, pads to the skip connection's, and joins the two.</summary>
public class Up : Module<Tensor, Tensor, Tensor>
{
    private readonly Module<Tensor, Tensor> up;
    private readonly DoubleConv conv;

    public Up(int inChannels, int outChannels, bool bilinear) : base(nameof(Up))
    {
        up = bilinear
            ? Sequential(Upsample(scale_factor: new double[] { 2, 2 }, mode: UpsampleMode.Bilinear, align_corners: true),
                Conv2d(inChannels, outChannels, 1))
            : ConvTranspose2d(inChannels, outChannels, kernel_size: 2, stride: 2);
        conv = new DoubleConv(2 * outChannels, outChannels);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x1, Tensor x2)
    {
        x1 = up.call(x1);
        var diffY = x2.size(2) - x1.size(2);
        var diffX = x2.size(3) - x1.size(3);
        x1 = functional.pad(x1, new long[] { diffX / 2, diffX - diffX / 2, diffY / 2, diffY - diffY / 2 });
        return conv.call(cat(new[] { x2, x1 }, dim: 1));
    }
}

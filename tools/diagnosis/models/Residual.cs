using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Models;

/// <summary>A small residual net whose blocks weigh their channels.</summary>
public class Residual : Module<Tensor, Tensor>
{
    private readonly Conv2d stem = Conv2d(3, 8, 3, padding: 1, bias: false);
    private readonly BatchNorm2d stem_norm = BatchNorm2d(8);
    private readonly ReLU relu = ReLU();
    private readonly ModuleList<Block> stages;
    private readonly Linear head = Linear(16, 5);

    public Residual() : base(nameof(Residual))
    {
        stages = new ModuleList<Block>(new Block(8, 8, 1), new Block(8, 16, 2), new Block(16, 16, 1));
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        x = relu.call(stem_norm.call(stem.call(x)));
        foreach (var block in stages)
        {
            x = block.call(x);
        }
        x = x.mean(new long[] { 2, 3 });
        return head.call(x) * 0.5;
    }
}

/// <summary>Two convolutions and a gate, beside a shortcut.</summary>
public class Block : Module<Tensor, Tensor>
{
    private readonly Conv2d conv1;
    private readonly BatchNorm2d norm1;
    private readonly ReLU relu;
    private readonly Conv2d conv2;
    private readonly BatchNorm2d norm2;
    private readonly Gate gate;
    private readonly Sequential? downsample;

    public Block(long inplanes, long planes, long stride) : base(nameof(Block))
    {
        conv1 = Conv2d(inplanes, planes, 3, stride: stride, padding: 1, bias: false);
        norm1 = BatchNorm2d(planes);
        relu = ReLU();
        conv2 = Conv2d(planes, planes, 3, padding: 1, bias: false);
        norm2 = BatchNorm2d(planes);
        gate = new Gate(planes);
        if (stride != 1 || inplanes != planes)
        {
            downsample = Sequential(Conv2d(inplanes, planes, 1, stride: stride, bias: false), BatchNorm2d(planes));
        }
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var identity = downsample is null ? x : downsample.call(x);
        var y = relu.call(norm1.call(conv1.call(x)));
        y = norm2.call(conv2.call(y));
        y = gate.call(y);
        y = y + identity;
        return relu.call(y);
    }
}

/// <summary>Weighs each channel by what the whole picture has of it.</summary>
public class Gate : Module<Tensor, Tensor>
{
    private readonly Conv2d reduce, expand;

    public Gate(long channels) : base(nameof(Gate))
    {
        reduce = Conv2d(channels, channels / 4, 1);
        expand = Conv2d(channels / 4, channels, 1);
        RegisterComponents();
    }

    public override Tensor forward(Tensor x)
    {
        var scale = functional.adaptive_avg_pool2d(x, 1);
        scale = functional.silu(reduce.call(scale));
        scale = expand.call(scale).sigmoid();
        return x * scale;
    }
}

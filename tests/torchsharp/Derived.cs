// What test_derived_layers.py runs: it is compiled against TorchSharp's signatures.
#nullable disable
using System;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Derived;

/// <summary>Pads by itself, with a border of its own kind, and scales its weight.</summary>
public sealed class Scaled : Convolution
{
    public Scaled(long channels) : base(nameof(Scaled), channels, 4, [3, 3], [2, 1], [1, 2], null, [1, 1], false, [0, 0], 1, true,
        PaddingModes.Reflect) =>
        RegisterComponents();

    public override Tensor forward(Tensor input)
    {
        if (!ValidateShape(input, 2) || ValidateShape(input, 1)) throw new ArgumentException("the wrong shape");
        if (in_channels != 3 || !ReferenceEquals(_weight, weight)) throw new InvalidOperationException("the wrong fields");
        var padded = functional.pad(input, _reversed_padding_repeated_twice, PaddingModes.Reflect);
        return functional.conv2d(padded, weight * 2, _bias, strides: stride, dilation: dilation, groups: groups);
    }
}

/// <summary>Keeps the size, by padding that it computes anew.</summary>
public sealed class Kept : Convolution
{
    public Kept() : base(nameof(Kept), 2, 2, [2], [1], null, Padding.Same, [3], false, [0], 1, false, PaddingModes.Zeros) =>
        RegisterComponents();

    public override Tensor forward(Tensor input) =>
        functional.conv1d(functional.pad(input, _reversed_padding_repeated_twice), weight, null, dilation: dilation[0]);
}

public sealed class Grown : ConvolutionTranspose
{
    public Grown() : base(nameof(Grown), 2, 3, [2], [2], [0], null, [1], true, [1], 1, true, PaddingModes.Zeros) => RegisterComponents();

    public override Tensor forward(Tensor input, long[] output_size) =>
        functional.conv_transpose1d(input, weight, bias, stride[0], padding[0],
            _output_padding(input, output_size, kernel_size, stride, padding, dilation, 1)[0]);
}

/// <summary>A batch norm of any number of dimensions.</summary>
public sealed class AnyNorm : BatchNorm
{
    public AnyNorm() : base(3, 1e-4, 0.2, true, true, null, null, nameof(AnyNorm)) => RegisterComponents();

    protected override void ValidateInputDimensions(Tensor input)
    {
        if (input.dim() < 2) throw new ArgumentException("at least two dimensions");
    }
}

public sealed class Layers : Module<Tensor, Tensor>
{
    private readonly Module<Tensor, Tensor> layer;

    public Layers(string kind) : base(nameof(Layers))
    {
        layer = kind switch { "scaled" => new Scaled(3), "kept" => new Kept(), "grown" => new Grown(), _ => new AnyNorm() };
        RegisterComponents();
    }

    public override Tensor forward(Tensor input) => layer.call(input);
}

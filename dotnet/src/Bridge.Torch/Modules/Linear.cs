using Bridge.Torch;
using Bridge.Torch.Native;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>y = x W^T + b, over the last dimension.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Linear.html">torch.nn.Linear</see>.</remarks>
[Settings]
public sealed partial class Linear : BuiltIn
{
    private static readonly Op Function = new("aten::linear", "input", "weight", "bias");

    internal Linear(long inputSize, long outputSize, bool hasBias, Device? device, ScalarType? dtype) : base(nameof(Linear))
    {
        (in_features, out_features) = (inputSize, outputSize);
        weight = ParameterInitializers.Weight([outputSize, inputSize], inputSize, device, dtype);
        if (hasBias) bias = ParameterInitializers.Bias(outputSize, inputSize, device, dtype);
    }

    internal Linear(Parameter weight, Parameter? bias) : base(nameof(Linear))
    {
        (out_features, in_features) = (weight.size(0), weight.size(1));
        this.weight = weight;
        if (bias is not null) this.bias = bias;
    }

    /// <summary>Gets or sets the weight of the <c>Linear</c>, of shape (out_features, in_features).</summary>
    public Parameter weight { get; set => field = Put(value); }

    /// <summary>Gets or sets the bias of the <c>Linear</c>, of shape (out_features); null for none.</summary>
    public Parameter? bias { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

    internal override ForwardOperator? Operator => ForwardOperator.Of(Function, this, nameof(weight), nameof(bias));

    private protected override Tensor Compute(Tensor input) => nn.functional.linear(input, weight, bias);
}

using Bridge.Torch;
using Bridge.Torch.Native;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>A module that may change its input in place and return it.</summary>
public abstract class InPlaceModule : PlainBuiltIn
{
    private protected InPlaceModule(string name, bool inplace) : base(name) => this.inplace = inplace;

    /// <summary>Gets or sets whether <c>forward</c> changes its input in place.</summary>
    public bool inplace
    {
        get;
        set
        {
            field = Publish(value);
            Link?.ForgetOperator();
        }
    }

    internal sealed override ForwardOperator? Operator => inplace ? null : Function;

    /// <summary>Gets the operator that an out-of-place <c>forward</c> consists of; null to always run <c>forward</c>.</summary>
    private protected virtual ForwardOperator? Function => null;
}

/// <summary>Computes max(x, 0) of each element x.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU.html">torch.nn.ReLU</see>.</remarks>
public sealed class ReLU : InPlaceModule
{
    private static readonly ForwardOperator OutOfPlace = new(new Op("aten::relu", "self"));

    internal ReLU(bool inplace) : base(nameof(ReLU), inplace) { }

    private protected override ForwardOperator Function => OutOfPlace;

    private protected override Tensor Compute(Tensor input) => inplace ? input.relu_().alias() : input.relu();
}

/// <summary>Computes max(x, 0) + slope * min(x, 0) of each element x.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.LeakyReLU.html">torch.nn.LeakyReLU</see>.</remarks>
[Settings]
public sealed partial class LeakyReLU : InPlaceModule
{
    internal LeakyReLU(double negative_slope, bool inplace) : base(nameof(LeakyReLU), inplace) => this.negative_slope = negative_slope;

    private protected override Tensor Compute(Tensor input) => nn.functional.leaky_relu(input, negative_slope, inplace);
}

/// <summary>Computes max(x, 0) + weight * min(x, 0) of each element x, with one weight for all channels or one for each.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.PReLU.html">torch.nn.PReLU</see>.</remarks>
public sealed class PReLU : BuiltIn
{
    internal PReLU(long num_parameters, double init, Device? device, ScalarType? dtype) : base(nameof(PReLU))
    {
        (this.num_parameters, this.init) = (num_parameters, init);
        weight = new Parameter(ParameterInitializers.CreateFilled([num_parameters], init, device, dtype));
    }

    /// <summary>Gets the number of weights: 1, or the number of channels.</summary>
    public long num_parameters { get; }

    /// <summary>Gets the number with which the weights were filled.</summary>
    public double init { get; }

    /// <summary>Gets or sets the weights, of shape (num_parameters,).</summary>
    public Parameter weight { get; set => field = Put(value); }

    private protected override Tensor Compute(Tensor input) => nn.functional.prelu(input, weight);
}

/// <summary>Computes min(max(x, 0), 6) of each element x.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ReLU6.html">torch.nn.ReLU6</see>.</remarks>
public sealed class ReLU6 : InPlaceModule
{
    internal ReLU6(bool inplace) : base(nameof(ReLU6), inplace) { }

    private protected override Tensor Compute(Tensor input) => nn.functional.hardtanh(input, 0, 6, inplace);
}

/// <summary>
/// Computes LeakyReLU with random slopes from <c>lower</c> to <c>upper</c> in training, and with their mean in evaluation.
/// </summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.RReLU.html">torch.nn.RReLU</see>.</remarks>
[Settings]
public sealed partial class RReLU : InPlaceModule
{
    internal RReLU(double lower, double upper, bool inplace) : base(nameof(RReLU), inplace) =>
        (this.lower, this.upper) = (lower, upper);

    private protected override Tensor Compute(Tensor input) =>
        inplace ? Kernels.RReluInPlace(input, lower, upper, training) : Kernels.RRelu(input, lower, upper, training);
}

/// <summary>Replaces the elements from -lambda to lambda by 0.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardshrink.html">torch.nn.Hardshrink</see>.
/// </remarks>
[Settings]
public sealed partial class Hardshrink : PlainBuiltIn
{
    internal Hardshrink(double lambda) : base(nameof(Hardshrink)) => this.lambda = lambda;

    private protected override Tensor Compute(Tensor input) => nn.functional.hardshrink(input, lambda);
}

/// <summary>Moves elements towards 0 by lambda: computes x - lambda above lambda, x + lambda below -lambda, and 0 between.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Softshrink.html">torch.nn.Softshrink</see>.
/// </remarks>
[Settings]
public sealed partial class Softshrink : PlainBuiltIn
{
    internal Softshrink(double lambda) : base(nameof(Softshrink)) => this.lambda = lambda;

    private protected override Tensor Compute(Tensor input) => nn.functional.softshrink(input, lambda);
}

/// <summary>Computes min(max(x / 6 + 1 / 2, 0), 1) of each element x.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardsigmoid.html">torch.nn.Hardsigmoid</see>.
/// </remarks>
public sealed class Hardsigmoid : InPlaceModule
{
    internal Hardsigmoid(bool inplace) : base(nameof(Hardsigmoid), inplace) { }

    private protected override Tensor Compute(Tensor input) => nn.functional.hardsigmoid(input, inplace);
}

/// <summary>Multiplies each element by its <see cref="Hardsigmoid"/>.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardswish.html">torch.nn.Hardswish</see>.</remarks>
public sealed class Hardswish : InPlaceModule
{
    internal Hardswish(bool inplace) : base(nameof(Hardswish), inplace) { }

    private protected override Tensor Compute(Tensor input) => nn.functional.hardswish(input, inplace);
}

/// <summary>Computes min(max(x, min_val), max_val) of each element x.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Hardtanh.html">torch.nn.Hardtanh</see>.</remarks>
[Settings]
public sealed partial class Hardtanh : InPlaceModule
{
    internal Hardtanh(double min_val, double max_val, bool inplace) : base(nameof(Hardtanh), inplace)
    {
        if (!(max_val > min_val))
            throw new ArgumentException($"Hardtanh: max_val {max_val} must be greater than min_val {min_val}.", nameof(max_val));
        (this.min_val, this.max_val) = (min_val, max_val);
    }

    private protected override Tensor Compute(Tensor input) => nn.functional.hardtanh(input, min_val, max_val, inplace);
}

/// <summary>Replaces the elements that are not above <c>threshold</c> by <c>value</c>.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Threshold.html">torch.nn.Threshold</see>.</remarks>
[Settings]
public sealed partial class Threshold : InPlaceModule
{
    internal Threshold(double threshold, double value, bool inplace) : base(nameof(Threshold), inplace) =>
        (this.threshold, this.value) = (threshold, value);

    private protected override Tensor Compute(Tensor input) => nn.functional.threshold(input, threshold, value, inplace);
}

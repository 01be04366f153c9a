using Bridge.Torch;
using Bridge.Torch.Compatibility;
using Bridge.Torch.Native;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>Multiplies each element x by the standard normal distribution function of x, exact or approximated by tanh.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.GELU.html">torch.nn.GELU</see>.</remarks>
[Settings]
public sealed partial class GELU : InPlaceModule
{
    /// <summary>The formulas of GELU.</summary>
    public enum Approximate
    {
        /// <summary>The exact formula, by the error function.</summary>
        none,

        /// <summary>The approximation by tanh.</summary>
        tanh,
    }

    internal GELU(bool inplace = false) : this(Approximate.none, inplace) { }

    internal GELU(Approximate approximate, bool inplace) : base(nameof(GELU), inplace) => this.approximate = approximate;

    private protected override Tensor Compute(Tensor input) => nn.functional.gelu(input, approximate, inplace);
}

/// <summary>Computes x * sigmoid(x) of each element x.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.SiLU.html">torch.nn.SiLU</see>.</remarks>
public sealed class SiLU : InPlaceModule
{
    private static readonly ForwardOperator OutOfPlace = new(new Op("aten::silu", "self"));

    internal SiLU(bool inplace = false) : base(nameof(SiLU), inplace) { }

    private protected override ForwardOperator Function => OutOfPlace;

    private protected override Tensor Compute(Tensor input) => nn.functional.silu(input, inplace);
}

/// <summary>Computes max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0) of each element x.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.CELU.html">torch.nn.CELU</see>.</remarks>
[Settings]
public sealed partial class CELU : InPlaceModule
{
    internal CELU(double alpha, bool inplace) : base(nameof(CELU), inplace) => this.alpha = alpha;

    private protected override Tensor Compute(Tensor input) => nn.functional.celu(input, alpha, inplace);
}

/// <summary>Computes max(x, 0) + min(alpha * (exp(x) - 1), 0) of each element x.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.ELU.html">torch.nn.ELU</see>.</remarks>
[Settings]
public sealed partial class ELU : InPlaceModule
{
    internal ELU(double alpha, bool inplace) : base(nameof(ELU), inplace) => this.alpha = alpha;

    private protected override Tensor Compute(Tensor input) => nn.functional.elu(input, alpha, inplace);
}

/// <summary>Computes ELU, scaled with the constants that preserve mean 0 and variance 1.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.SELU.html">torch.nn.SELU</see>.</remarks>
public sealed class SELU : InPlaceModule
{
    internal SELU(bool inplace) : base(nameof(SELU), inplace) { }

    private protected override Tensor Compute(Tensor input) => nn.functional.selu(input, inplace);
}

/// <summary>Multiplies the first half along <c>dim</c> by the sigmoid of the second half.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.GLU.html">torch.nn.GLU</see>.</remarks>
[Settings]
public sealed partial class GLU : PlainBuiltIn
{
    internal GLU(long dim) : base(nameof(GLU)) => this.dim = dim;

    private protected override Tensor Compute(Tensor input) => input.glu(dim);
}

/// <summary>Computes 1 / (1 + exp(-x)) of each element x.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Sigmoid.html">torch.nn.Sigmoid</see>.</remarks>
public sealed class Sigmoid : InPlaceModule
{
    private static readonly ForwardOperator OutOfPlace = new(new Op("aten::sigmoid", "self"));

    internal Sigmoid(bool inplace = false) : base(nameof(Sigmoid), inplace) { }

    private protected override ForwardOperator Function => OutOfPlace;

    private protected override Tensor Compute(Tensor input) => nn.functional.sigmoid(input, inplace);
}

/// <summary>Computes log(1 / (1 + exp(-x))) of each element x.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.LogSigmoid.html">torch.nn.LogSigmoid</see>.
/// </remarks>
public sealed class LogSigmoid : PlainBuiltIn
{
    internal LogSigmoid() : base(nameof(LogSigmoid)) { }

    private protected override Tensor Compute(Tensor input) => input.log_sigmoid();
}

/// <summary>Computes the hyperbolic tangent of each element.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Tanh.html">torch.nn.Tanh</see>.</remarks>
public sealed class Tanh : InPlaceModule
{
    private static readonly ForwardOperator OutOfPlace = new(new Op("aten::tanh", "self"));

    internal Tanh(bool inplace = false) : base(nameof(Tanh), inplace) { }

    private protected override ForwardOperator Function => OutOfPlace;

    private protected override Tensor Compute(Tensor input) => nn.functional.tanh(input, inplace);
}

/// <summary>Computes x - tanh(x) of each element x.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Tanhshrink.html">torch.nn.Tanhshrink</see>.
/// </remarks>
public sealed class Tanhshrink : InPlaceModule
{
    internal Tanhshrink(bool inplace = false) : base(nameof(Tanhshrink), inplace) { }

    private protected override Tensor Compute(Tensor input) => nn.functional.tanhshrink(input, inplace);
}

/// <summary>Computes x * tanh(softplus(x)) of each element x.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Mish.html">torch.nn.Mish</see>.</remarks>
public sealed class Mish : InPlaceModule
{
    internal Mish(bool inplace = false) : base(nameof(Mish), inplace) { }

    private protected override Tensor Compute(Tensor input) => nn.functional.mish(input, inplace);
}

/// <summary>Computes log(1 + exp(beta * x)) / beta of each element x, or x itself where beta * x is above the threshold.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Softplus.html">torch.nn.Softplus</see>.</remarks>
[Settings]
public sealed partial class Softplus : SoftplusCompatibility
{
    internal Softplus(double beta, double threshold) => (this.beta, this.threshold) = (beta, threshold);

    private protected override Tensor Compute(Tensor input) => nn.functional.softplus(input, beta, threshold);
}

/// <summary>Computes x / (1 + |x|) of each element x.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Softsign.html">torch.nn.Softsign</see>.</remarks>
public sealed class Softsign : InPlaceModule
{
    internal Softsign(bool inplace = false) : base(nameof(Softsign), inplace) { }

    private protected override Tensor Compute(Tensor input) => nn.functional.softsign(input, inplace);
}

using Bridge.Torch;
using Bridge.Torch.Compatibility;
using Bridge.Torch.Native;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>x times the standard normal distribution function of x, exact or approximated by tanh.</summary>
    public sealed class GELU : InPlaceModule
    {
        /// <summary>The formulas of GELU.</summary>
        public enum Approximate
        {
            /// <summary>The exact formula, by the error function.</summary>
            none,

            /// <summary>The approximation by tanh.</summary>
            tanh,
        }

        internal GELU(Approximate approximate, bool inplace) : base(nameof(GELU), inplace) => this.approximate = approximate;

        public Approximate approximate { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.gelu(input, approximate, inplace);
    }

    /// <summary>x * sigmoid(x).</summary>
    public sealed class SiLU : InPlaceModule
    {
        private static readonly ForwardOperator OutOfPlace = new(new Op("aten::silu", "self"));

        internal SiLU(bool inplace) : base(nameof(SiLU), inplace) { }

        private protected override ForwardOperator Function => OutOfPlace;

        private protected override Tensor Compute(Tensor input) => nn.functional.silu(input, inplace);
    }

    /// <summary>max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0).</summary>
    public sealed class CELU : InPlaceModule
    {
        internal CELU(double alpha, bool inplace) : base(nameof(CELU), inplace) => this.alpha = alpha;

        public double alpha { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.celu(input, alpha, inplace);
    }

    /// <summary>max(x, 0) + min(alpha * (exp(x) - 1), 0).</summary>
    public sealed class ELU : InPlaceModule
    {
        internal ELU(double alpha, bool inplace) : base(nameof(ELU), inplace) => this.alpha = alpha;

        public double alpha { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.elu(input, alpha, inplace);
    }

    /// <summary>Scaled ELU with the constants that preserve mean 0 and variance 1.</summary>
    public sealed class SELU : InPlaceModule
    {
        internal SELU(bool inplace) : base(nameof(SELU), inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.selu(input, inplace);
    }

    /// <summary>The first half along <c>dim</c>, times the sigmoid of the second half.</summary>
    public sealed class GLU : PlainBuiltIn
    {
        internal GLU(long dim) : base(nameof(GLU)) => this.dim = dim;

        public long dim { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => input.glu(dim);
    }

    /// <summary>1 / (1 + exp(-x)).</summary>
    public sealed class Sigmoid : InPlaceModule
    {
        private static readonly ForwardOperator OutOfPlace = new(new Op("aten::sigmoid", "self"));

        internal Sigmoid(bool inplace) : base(nameof(Sigmoid), inplace) { }

        private protected override ForwardOperator Function => OutOfPlace;

        private protected override Tensor Compute(Tensor input) => nn.functional.sigmoid(input, inplace);
    }

    /// <summary>The logarithm of the sigmoid.</summary>
    public sealed class LogSigmoid : PlainBuiltIn
    {
        internal LogSigmoid() : base(nameof(LogSigmoid)) { }

        private protected override Tensor Compute(Tensor input) => input.log_sigmoid();
    }

    /// <summary>The hyperbolic tangent.</summary>
    public sealed class Tanh : InPlaceModule
    {
        private static readonly ForwardOperator OutOfPlace = new(new Op("aten::tanh", "self"));

        internal Tanh(bool inplace) : base(nameof(Tanh), inplace) { }

        private protected override ForwardOperator Function => OutOfPlace;

        private protected override Tensor Compute(Tensor input) => nn.functional.tanh(input, inplace);
    }

    /// <summary>x - tanh(x).</summary>
    public sealed class Tanhshrink : InPlaceModule
    {
        internal Tanhshrink(bool inplace) : base(nameof(Tanhshrink), inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.tanhshrink(input, inplace);
    }

    /// <summary>x * tanh(softplus(x)).</summary>
    public sealed class Mish : InPlaceModule
    {
        internal Mish(bool inplace) : base(nameof(Mish), inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.mish(input, inplace);
    }

    /// <summary>log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold.</summary>
    public sealed class Softplus : SoftplusCompatibility
    {
        internal Softplus(double beta, double threshold) => (this.beta, this.threshold) = (beta, threshold);

        public double beta { get; set => field = Publish(value); }

        public double threshold { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.softplus(input, beta, threshold);
    }

    /// <summary>x / (1 + |x|).</summary>
    public sealed class Softsign : InPlaceModule
    {
        internal Softsign(bool inplace) : base(nameof(Softsign), inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.softsign(input, inplace);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static GELU GELU() => new(Modules.GELU.Approximate.none, false);

            public static GELU GELU(bool inplace) => new(Modules.GELU.Approximate.none, inplace);

            public static GELU GELU(GELU.Approximate approximate, bool inplace = false) => new(approximate, inplace);

            public static SiLU SiLU() => new(false);

            public static SiLU SiLU(bool inplace) => new(inplace);

            public static CELU CELU(double alpha = 1, bool inplace = false) => new(alpha, inplace);

            public static ELU ELU(double alpha = 1.0, bool inplace = false) => new(alpha, inplace);

            public static SELU SELU(bool inplace = false) => new(inplace);

            public static GLU GLU(long dim = -1) => new(dim);

            public static Sigmoid Sigmoid() => new(false);

            public static Sigmoid Sigmoid(bool inplace) => new(inplace);

            public static LogSigmoid LogSigmoid() => new();

            public static Tanh Tanh() => new(false);

            public static Tanh Tanh(bool inplace = false) => new(inplace);

            public static Tanhshrink Tanhshrink() => new(false);

            public static Tanhshrink Tanhshrink(bool inplace = false) => new(inplace);

            public static Mish Mish() => new(false);

            public static Mish Mish(bool inplace) => new(inplace);

            public static Softplus Softplus(double beta = 1.0, double threshold = 20.0) => new(beta, threshold);

            public static Softsign Softsign() => new(false);

            public static Softsign Softsign(bool inplace) => new(inplace);
        }
    }
}

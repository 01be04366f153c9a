using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>A module that may change its input in place and return it.</summary>
    public abstract class InPlaceModule : PlainBuiltIn
    {
        private protected InPlaceModule(string name, bool inplace) : base(name) => this.inplace = inplace;

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

        /// <summary>What it is where it is not in place, if that is one operator.</summary>
        private protected virtual ForwardOperator? Function => null;
    }

    /// <summary>max(x, 0).</summary>
    public sealed class ReLU : InPlaceModule
    {
        private static readonly ForwardOperator One = new(new Op("aten::relu", "self"));

        internal ReLU(bool inplace) : base(nameof(ReLU), inplace) { }

        private protected override ForwardOperator Function => One;

        private protected override Tensor Compute(Tensor input) => inplace ? input.relu_().alias() : input.relu();
    }

    /// <summary>max(x, 0) + slope * min(x, 0).</summary>
    public sealed class LeakyReLU : InPlaceModule
    {
        internal LeakyReLU(double negative_slope, bool inplace) : base(nameof(LeakyReLU), inplace) => this.negative_slope = negative_slope;

        public double negative_slope { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.leaky_relu(input, negative_slope, inplace);
    }

    /// <summary>max(x, 0) + weight * min(x, 0), one weight for all or one per channel.</summary>
    public sealed class PReLU : BuiltIn
    {
        internal PReLU(long num_parameters, double init, Device? device, ScalarType? dtype) : base(nameof(PReLU))
        {
            (this.num_parameters, this.init) = (num_parameters, init);
            weight = new Parameter(ParameterInitializers.Filled([num_parameters], init, device, dtype));
        }

        public long num_parameters { get; }

        public double init { get; }

        public Parameter weight { get; set => field = Put(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.prelu(input, weight);
    }

    /// <summary>x times the normal distribution's share below x, exact or by tanh.</summary>
    public sealed class GELU : InPlaceModule
    {
        /// <summary>How GELU is computed.</summary>
        public enum Approximate
        {
            /// <summary>By the error function.</summary>
            none,

            /// <summary>By tanh.</summary>
            tanh,
        }

        internal GELU(Approximate approximate, bool inplace) : base(nameof(GELU), inplace) => this.approximate = approximate;

        public Approximate approximate { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.gelu(input, approximate, inplace);
    }

    /// <summary>x * sigmoid(x).</summary>
    public sealed class SiLU : InPlaceModule
    {
        private static readonly ForwardOperator One = new(new Op("aten::silu", "self"));

        internal SiLU(bool inplace) : base(nameof(SiLU), inplace) { }

        private protected override ForwardOperator Function => One;

        private protected override Tensor Compute(Tensor input) => nn.functional.silu(input, inplace);
    }

    /// <summary>max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0).</summary>
    public sealed class CELU : InPlaceModule
    {
        internal CELU(double alpha, bool inplace) : base(nameof(CELU), inplace) => this.alpha = alpha;

        public double alpha { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.celu(input, alpha, inplace);
    }

    /// <summary>1 / (1 + exp(-x)).</summary>
    public sealed class Sigmoid : InPlaceModule
    {
        private static readonly ForwardOperator One = new(new Op("aten::sigmoid", "self"));

        internal Sigmoid(bool inplace) : base(nameof(Sigmoid), inplace) { }

        private protected override ForwardOperator Function => One;

        private protected override Tensor Compute(Tensor input) => nn.functional.sigmoid(input, inplace);
    }

    /// <summary>The hyperbolic tangent.</summary>
    public sealed class Tanh : InPlaceModule
    {
        private static readonly ForwardOperator One = new(new Op("aten::tanh", "self"));

        internal Tanh(bool inplace) : base(nameof(Tanh), inplace) { }

        private protected override ForwardOperator Function => One;

        private protected override Tensor Compute(Tensor input) => nn.functional.tanh(input, inplace);
    }

    /// <summary>exp(x) / sum exp(x) along one dimension.</summary>
    public sealed class Softmax : PlainBuiltIn
    {
        internal Softmax(long dim) : base(nameof(Softmax)) => this.dim = dim;

        public long dim { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => input.softmax(dim);
    }

    /// <summary>The logarithm of Softmax.</summary>
    public sealed class LogSoftmax : PlainBuiltIn
    {
        internal LogSoftmax(long dim) : base(nameof(LogSoftmax)) => this.dim = dim;

        public long dim { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.log_softmax(input, dim);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static ReLU ReLU(bool inplace = false) => new(inplace);

            public static LeakyReLU LeakyReLU(double negative_slope = 0.01, bool inplace = false) => new(negative_slope, inplace);

            public static PReLU PReLU(long num_parameters, double init = 0.25, Device? device = null, ScalarType? dtype = null) => new(num_parameters, init, device, dtype);

            public static GELU GELU() => new(Modules.GELU.Approximate.none, false);

            public static GELU GELU(bool inplace) => new(Modules.GELU.Approximate.none, inplace);

            public static GELU GELU(GELU.Approximate approximate, bool inplace = false) => new(approximate, inplace);

            public static SiLU SiLU() => new(false);

            public static SiLU SiLU(bool inplace) => new(inplace);

            public static CELU CELU(double alpha = 1, bool inplace = false) => new(alpha, inplace);

            public static Sigmoid Sigmoid() => new(false);

            public static Sigmoid Sigmoid(bool inplace) => new(inplace);

            public static Tanh Tanh() => new(false);

            public static Tanh Tanh(bool inplace = false) => new(inplace);

            public static Softmax Softmax(long dim) => new(dim);

            public static LogSoftmax LogSoftmax(long dim) => new(dim);
        }
    }
}

using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>x times the normal distribution's share below x, exact or by tanh.</summary>
    public sealed class GELU : BuiltIn
    {
        /// <summary>How it is computed.</summary>
        public enum Approximate
        {
            /// <summary>By the error function.</summary>
            none,

            /// <summary>By tanh.</summary>
            tanh,
        }

        internal GELU(Approximate approximate, bool inplace) : base(nameof(GELU)) => (this.approximate, this.inplace) = (approximate, inplace);

        public Approximate approximate { get; set; }

        public bool inplace { get; set; }

        private protected override Tensor Compute(Tensor input) => nn.functional.gelu(input, approximate, inplace);
    }

    /// <summary>x * sigmoid(x).</summary>
    public sealed class SiLU : BuiltIn
    {
        internal SiLU(bool inplace) : base(nameof(SiLU)) => this.inplace = inplace;

        public bool inplace { get; set; }

        private protected override Tensor Compute(Tensor input) => nn.functional.silu(input, inplace);
    }

    /// <summary>1 / (1 + exp(-x)).</summary>
    public sealed class Sigmoid : BuiltIn
    {
        internal Sigmoid(bool inplace) : base(nameof(Sigmoid)) => this.inplace = inplace;

        public bool inplace { get; set; }

        private protected override Tensor Compute(Tensor input) => nn.functional.sigmoid(input, inplace);
    }

    /// <summary>The hyperbolic tangent.</summary>
    public sealed class Tanh : BuiltIn
    {
        internal Tanh(bool inplace) : base(nameof(Tanh)) => this.inplace = inplace;

        public bool inplace { get; set; }

        private protected override Tensor Compute(Tensor input) => nn.functional.tanh(input, inplace);
    }

    /// <summary>max(x, 0) + slope * min(x, 0).</summary>
    public sealed class LeakyReLU : BuiltIn
    {
        internal LeakyReLU(double negative_slope, bool inplace) : base(nameof(LeakyReLU)) => (this.negative_slope, this.inplace) = (negative_slope, inplace);

        public double negative_slope { get; set; }

        public bool inplace { get; set; }

        private protected override Tensor Compute(Tensor input) => nn.functional.leaky_relu(input, negative_slope, inplace);
    }

    /// <summary>The logarithm of Softmax.</summary>
    public sealed class LogSoftmax : BuiltIn
    {
        internal LogSoftmax(long dim) : base(nameof(LogSoftmax)) => this.dim = dim;

        public long dim { get; set; }

        private protected override Tensor Compute(Tensor input) => nn.functional.log_softmax(input, dim);
    }

    /// <summary>Gives its input.</summary>
    public sealed class Identity : BuiltIn
    {
        internal Identity() : base(nameof(Identity)) { }

        private protected override Tensor Compute(Tensor input) => input.alias();
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

            public static SiLU SiLU(bool inplace = false) => new(inplace);

            public static Sigmoid Sigmoid(bool inplace = false) => new(inplace);

            public static Tanh Tanh(bool inplace = false) => new(inplace);

            public static LeakyReLU LeakyReLU(double negative_slope = 0.01, bool inplace = false) => new(negative_slope, inplace);

            public static LogSoftmax LogSoftmax(long dim) => new(dim);

            public static Identity Identity() => new();
        }
    }
}

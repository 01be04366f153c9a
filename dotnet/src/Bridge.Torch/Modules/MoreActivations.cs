using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>max(x, 0) + min(alpha * (exp(x) - 1), 0).</summary>
    public sealed class ELU : InPlaceModule
    {
        internal ELU(double alpha, bool inplace) : base(nameof(ELU), inplace) => this.alpha = alpha;

        public double alpha { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.elu(input, alpha, inplace);
    }

    /// <summary>ELU with the constants that keep mean and variance.</summary>
    public sealed class SELU : InPlaceModule
    {
        internal SELU(bool inplace) : base(nameof(SELU), inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.selu(input, inplace);
    }

    /// <summary>The first half along a dimension, times the sigmoid of the second.</summary>
    public sealed class GLU : PlainBuiltIn
    {
        internal GLU(long dim) : base(nameof(GLU)) => this.dim = dim;

        public long dim { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => input.glu(dim);
    }

    /// <summary>Zero between -lambda and lambda.</summary>
    public sealed class Hardshrink : PlainBuiltIn
    {
        internal Hardshrink(double lambda) : base(nameof(Hardshrink)) => this.lambda = lambda;

        public double lambda { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.hardshrink(input, lambda);
    }

    /// <summary>Zero between -lambda and lambda, and lambda nearer to it elsewhere.</summary>
    public sealed class Softshrink : PlainBuiltIn
    {
        internal Softshrink(double lambda) : base(nameof(Softshrink)) => this.lambda = lambda;

        public double lambda { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.softshrink(input, lambda);
    }

    /// <summary>min(max(x / 6 + 1 / 2, 0), 1).</summary>
    public sealed class Hardsigmoid : InPlaceModule
    {
        internal Hardsigmoid(bool inplace) : base(nameof(Hardsigmoid), inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.hardsigmoid(input, inplace);
    }

    /// <summary>x * Hardsigmoid(x).</summary>
    public sealed class Hardswish : InPlaceModule
    {
        internal Hardswish(bool inplace) : base(nameof(Hardswish), inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.hardswish(input, inplace);
    }

    /// <summary>min(max(x, min_val), max_val).</summary>
    public sealed class Hardtanh : InPlaceModule
    {
        internal Hardtanh(double min_val, double max_val, bool inplace) : base(nameof(Hardtanh), inplace)
        {
            if (!(max_val > min_val)) throw new ArgumentException($"Hardtanh: max_val {max_val} must be greater than min_val {min_val}.", nameof(max_val));
            (this.min_val, this.max_val) = (min_val, max_val);
        }

        public double min_val { get; set => field = Publish(value); }

        public double max_val { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.hardtanh(input, min_val, max_val, inplace);
    }

    /// <summary>min(max(x, 0), 6).</summary>
    public sealed class ReLU6 : InPlaceModule
    {
        internal ReLU6(bool inplace) : base(nameof(ReLU6), inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.hardtanh(input, 0, 6, inplace);
    }

    /// <summary>Leaky ReLU whose slope is drawn between two numbers in training, and is their mean otherwise.</summary>
    public sealed class RReLU : InPlaceModule
    {
        internal RReLU(double lower, double upper, bool inplace) : base(nameof(RReLU), inplace) => (this.lower, this.upper) = (lower, upper);

        public double lower { get; set => field = Publish(value); }

        public double upper { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => inplace ? Kernels.RReluInPlace(input, lower, upper, training) : Kernels.RRelu(input, lower, upper, training);
    }

    /// <summary>The logarithm of the sigmoid.</summary>
    public sealed class LogSigmoid : PlainBuiltIn
    {
        internal LogSigmoid() : base(nameof(LogSigmoid)) { }

        private protected override Tensor Compute(Tensor input) => input.log_sigmoid();
    }

    /// <summary>x * tanh(softplus(x)).</summary>
    public sealed class Mish : InPlaceModule
    {
        internal Mish(bool inplace) : base(nameof(Mish), inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.mish(input, inplace);
    }

    /// <summary>Softmax over the channels of [N, C, H, W] or [C, H, W].</summary>
    public sealed class Softmax2d : PlainBuiltIn
    {
        internal Softmax2d() : base(nameof(Softmax2d)) { }

        private protected override Tensor Compute(Tensor input) => input.dim() is 3 or 4 ? input.softmax(-3)
            : throw new ArgumentException($"Softmax2d takes [N, C, H, W] or [C, H, W], its input has shape [{string.Join(", ", input.Sizes)}].");
    }

    /// <summary>Softmax of -x.</summary>
    public sealed class Softmin : PlainBuiltIn
    {
        internal Softmin(long dim) : base(nameof(Softmin)) => this.dim = dim;

        public long dim { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.softmin(input, dim);
    }

    /// <summary>log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold.</summary>
    public sealed class Softplus : PlainBuiltIn
    {
        internal Softplus(double beta, double threshold) : base(nameof(Softplus)) => (this.beta, this.threshold) = (beta, threshold);

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

    /// <summary>x - tanh(x).</summary>
    public sealed class Tanhshrink : InPlaceModule
    {
        internal Tanhshrink(bool inplace) : base(nameof(Tanhshrink), inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.tanhshrink(input, inplace);
    }

    /// <summary>x where it is above the threshold, elsewhere a value.</summary>
    public sealed class Threshold : InPlaceModule
    {
        internal Threshold(double threshold, double value, bool inplace) : base(nameof(Threshold), inplace) => (this.threshold, this.value) = (threshold, value);

        public double threshold { get; set => field = Publish(value); }

        public double value { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.threshold(input, threshold, value, inplace);
    }

    /// <summary>Dropout of entire channels of [N, C, L] or [C, L].</summary>
    public sealed class Dropout1d : DropoutBase
    {
        internal Dropout1d(double p, bool inplace) : base(nameof(Dropout1d), p, inplace) { }

        private protected override Tensor Compute(Tensor input)
        {
            if (input.dim() is not (2 or 3)) throw new ArgumentException($"Dropout1d takes [N, C, L] or [C, L], its input has shape [{string.Join(", ", input.Sizes)}].");
            return OfChannels(input, input.dim() == 3);
        }
    }

    /// <summary>Dropout of entire channels of [N, C, D, H, W] or [C, D, H, W].</summary>
    public sealed class Dropout3d : DropoutBase
    {
        internal Dropout3d(double p, bool inplace) : base(nameof(Dropout3d), p, inplace) { }

        private protected override Tensor Compute(Tensor input) => OfChannels(input, input.dim() != 4);
    }

    /// <summary>Dropout that keeps mean and variance, as SELU needs it.</summary>
    public sealed class AlphaDropout : DropoutBase
    {
        internal AlphaDropout(double p, bool inplace) : base(nameof(AlphaDropout), p, inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.alpha_dropout(input, p, training, inplace);
    }

    /// <summary>The same for entire channels.</summary>
    public sealed class FeatureAlphaDropout : DropoutBase
    {
        internal FeatureAlphaDropout(double p, bool inplace) : base(nameof(FeatureAlphaDropout), p, inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.feature_alpha_dropout(input, p, training, inplace);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            /// <summary>The activations of transformer layers.</summary>
            public enum Activations
            {
                ReLU = 0,
                GELU = 1,
            }

            /// <summary>The activations of recurrent layers.</summary>
            public enum NonLinearities
            {
                ReLU = 0,
                Tanh = 1,
            }

            public static ELU ELU(double alpha = 1.0, bool inplace = false) => new(alpha, inplace);

            public static SELU SELU(bool inplace = false) => new(inplace);

            public static GLU GLU(long dim = -1) => new(dim);

            public static Hardshrink Hardshrink(double lambda = 0.5) => new(lambda);

            public static Softshrink Softshrink(double lambda = 0.5) => new(lambda);

            public static Hardsigmoid Hardsigmoid(bool inplace = false) => new(inplace);

            public static Hardswish Hardswish(bool inplace = false) => new(inplace);

            public static Hardtanh Hardtanh(double min_val = -1.0, double max_val = 1.0, bool inplace = false) => new(min_val, max_val, inplace);

            public static ReLU6 ReLU6(bool inplace = false) => new(inplace);

            public static RReLU RReLU(double lower = 1.0 / 8.0, double upper = 1.0 / 3.0, bool inplace = false) => new(lower, upper, inplace);

            public static LogSigmoid LogSigmoid() => new();

            public static Mish Mish() => new(false);

            public static Mish Mish(bool inplace) => new(inplace);

            public static Softmax2d Softmax2d() => new();

            public static Softmin Softmin(long dim) => new(dim);

            public static Softplus Softplus(double beta = 1.0, double threshold = 20.0) => new(beta, threshold);

            public static Softsign Softsign() => new(false);

            public static Softsign Softsign(bool inplace) => new(inplace);

            public static Tanhshrink Tanhshrink() => new(false);

            public static Tanhshrink Tanhshrink(bool inplace = false) => new(inplace);

            public static Threshold Threshold(double threshold, double value, bool inplace = false) => new(threshold, value, inplace);

            public static Dropout1d Dropout1d(double p = 0.5, bool inplace = false) => new(p, inplace);

            public static Dropout3d Dropout3d(double p = 0.5, bool inplace = false) => new(p, inplace);

            public static AlphaDropout AlphaDropout(double p = 0.5, bool inplace = false) => new(p, inplace);

            public static FeatureAlphaDropout FeatureAlphaDropout(double p, bool inplace) => new(p, inplace);

            public static FeatureAlphaDropout FeatureAlphaDropout(double p = 0.5) => new(p, false);
        }
    }
}

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

        /// <summary>Gets the operator that an out-of-place <c>forward</c> consists of; null to always run <c>forward</c>.</summary>
        private protected virtual ForwardOperator? Function => null;
    }

    /// <summary>max(x, 0).</summary>
    public sealed class ReLU : InPlaceModule
    {
        private static readonly ForwardOperator OutOfPlace = new(new Op("aten::relu", "self"));

        internal ReLU(bool inplace) : base(nameof(ReLU), inplace) { }

        private protected override ForwardOperator Function => OutOfPlace;

        private protected override Tensor Compute(Tensor input) => inplace ? input.relu_().alias() : input.relu();
    }

    /// <summary>max(x, 0) + slope * min(x, 0).</summary>
    public sealed class LeakyReLU : InPlaceModule
    {
        internal LeakyReLU(double negative_slope, bool inplace) : base(nameof(LeakyReLU), inplace) => this.negative_slope = negative_slope;

        public double negative_slope { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.leaky_relu(input, negative_slope, inplace);
    }

    /// <summary>max(x, 0) + weight * min(x, 0), with one weight for all channels or one per channel.</summary>
    public sealed class PReLU : BuiltIn
    {
        internal PReLU(long num_parameters, double init, Device? device, ScalarType? dtype) : base(nameof(PReLU))
        {
            (this.num_parameters, this.init) = (num_parameters, init);
            weight = new Parameter(ParameterInitializers.CreateFilled([num_parameters], init, device, dtype));
        }

        public long num_parameters { get; }

        public double init { get; }

        public Parameter weight { get; set => field = Put(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.prelu(input, weight);
    }

    /// <summary>min(max(x, 0), 6).</summary>
    public sealed class ReLU6 : InPlaceModule
    {
        internal ReLU6(bool inplace) : base(nameof(ReLU6), inplace) { }

        private protected override Tensor Compute(Tensor input) => nn.functional.hardtanh(input, 0, 6, inplace);
    }

    /// <summary>Leaky ReLU with random slopes from <c>lower</c> to <c>upper</c> in training, and their mean in evaluation.</summary>
    public sealed class RReLU : InPlaceModule
    {
        internal RReLU(double lower, double upper, bool inplace) : base(nameof(RReLU), inplace) =>
            (this.lower, this.upper) = (lower, upper);

        public double lower { get; set => field = Publish(value); }

        public double upper { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) =>
            inplace ? Kernels.RReluInPlace(input, lower, upper, training) : Kernels.RRelu(input, lower, upper, training);
    }

    /// <summary>Zero from -lambda to lambda, x elsewhere.</summary>
    public sealed class Hardshrink : PlainBuiltIn
    {
        internal Hardshrink(double lambda) : base(nameof(Hardshrink)) => this.lambda = lambda;

        public double lambda { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.hardshrink(input, lambda);
    }

    /// <summary>Zero from -lambda to lambda, x + lambda below, x - lambda above.</summary>
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
            if (!(max_val > min_val))
                throw new ArgumentException($"Hardtanh: max_val {max_val} must be greater than min_val {min_val}.", nameof(max_val));
            (this.min_val, this.max_val) = (min_val, max_val);
        }

        public double min_val { get; set => field = Publish(value); }

        public double max_val { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.hardtanh(input, min_val, max_val, inplace);
    }

    /// <summary>x where it is above <c>threshold</c>, <c>value</c> elsewhere.</summary>
    public sealed class Threshold : InPlaceModule
    {
        internal Threshold(double threshold, double value, bool inplace) : base(nameof(Threshold), inplace) =>
            (this.threshold, this.value) = (threshold, value);

        public double threshold { get; set => field = Publish(value); }

        public double value { get; set => field = Publish(value); }

        private protected override Tensor Compute(Tensor input) => nn.functional.threshold(input, threshold, value, inplace);
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

            public static PReLU PReLU(long num_parameters, double init = 0.25, Device? device = null, ScalarType? dtype = null) =>
                new(num_parameters, init, device, dtype);

            public static ReLU6 ReLU6(bool inplace = false) => new(inplace);

            public static RReLU RReLU(double lower = 1.0 / 8.0, double upper = 1.0 / 3.0, bool inplace = false) =>
                new(lower, upper, inplace);

            public static Hardshrink Hardshrink(double lambda = 0.5) => new(lambda);

            public static Softshrink Softshrink(double lambda = 0.5) => new(lambda);

            public static Hardsigmoid Hardsigmoid(bool inplace = false) => new(inplace);

            public static Hardswish Hardswish(bool inplace = false) => new(inplace);

            public static Hardtanh Hardtanh(double min_val = -1.0, double max_val = 1.0, bool inplace = false) =>
                new(min_val, max_val, inplace);

            public static Threshold Threshold(double threshold, double value, bool inplace = false) => new(threshold, value, inplace);

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
        }
    }
}

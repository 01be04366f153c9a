using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>
        /// Activation functions: methods that each call one operator (<see cref="AtenAttribute"/>), and methods that call those. A function
        /// that works in place returns a new C# object for the same tensor.
        /// </summary>
        public partial class functional
        {
            [Aten("aten::mish", "self=x")] private static partial Tensor MishOf(Tensor x);
            [Aten("aten::mish_", "self=x")] private static partial Tensor MishInPlace(Tensor x);
            [Aten("aten::elu", "self=x, alpha")] private static partial Tensor Elu(Tensor x, Scalar alpha);
            [Aten("aten::elu_", "self=x, alpha")] private static partial Tensor EluInPlace(Tensor x, Scalar alpha);
            [Aten("aten::hardtanh", "self=x, min_val, max_val")]
            private static partial Tensor HardTanh(Tensor x, Scalar min_val, Scalar max_val);
            [Aten("aten::hardtanh_", "self=x, min_val, max_val")]
            private static partial Tensor HardTanhInPlace(Tensor x, Scalar min_val, Scalar max_val);
            [Aten("aten::threshold", "self=x, threshold, value")]
            private static partial Tensor ThresholdOf(Tensor x, Scalar threshold, Scalar value);
            [Aten("aten::threshold_", "self=x, threshold, value")]
            private static partial Tensor ThresholdInPlace(Tensor x, Scalar threshold, Scalar value);
            [Aten("aten::softplus", "self=x, beta, threshold")]
            private static partial Tensor Softplus(Tensor x, Scalar beta, Scalar threshold);
            [Aten("aten::softshrink", "self=x, lambd=lambda")] private static partial Tensor SoftShrink(Tensor x, Scalar lambda);
            [Aten("aten::hardshrink", "self=x, lambd=lambda")] private static partial Tensor HardShrink(Tensor x, Scalar lambda);
            [Aten("aten::log_sigmoid", "self=x")] public static partial Tensor logsigmoid(Tensor x);
            [Aten("aten::glu", "self=input, dim")] public static partial Tensor glu(Tensor input, long dim = -1);

            public static Tensor relu(Tensor x, bool inplace = false) => inplace ? x.relu_().alias() : x.relu();

            public static Tensor relu6(Tensor x, bool inplace = false) => inplace ? x.relu6_().alias() : x.relu6();

            public static Tensor hardsigmoid(Tensor input, bool inplace = false) =>
                inplace ? input.hardsigmoid_().alias() : input.hardsigmoid();

            public static Tensor hardswish(Tensor input, bool inplace = false) => inplace ? input.hardswish_().alias() : input.hardswish();

            public static Tensor mish(Tensor x, bool inplace = false) => inplace ? MishInPlace(x) : MishOf(x);

            [Obsolete("Use mish.")]
            public static Tensor Mish(Tensor x) => MishOf(x);

            public static Tensor selu(Tensor x, bool inplace = false) => inplace ? x.selu_().alias() : x.selu();

            public static Tensor elu(Tensor x, double alpha, bool inplace = false) => inplace ? EluInPlace(x, alpha) : Elu(x, alpha);

            [Obsolete("Use silu.")]
            public static Tensor SiLU(Tensor x, bool inplace = false) => silu(x, inplace);

            public static Tensor hardtanh(Tensor x, double min_val = -1, double max_val = 1, bool inplace = false) =>
                inplace ? HardTanhInPlace(x, min_val, max_val) : HardTanh(x, min_val, max_val);

            [Obsolete("Use hardtanh.")]
            public static Tensor Hardtanh(Tensor x, double min_val = -1, double max_val = 1, bool inplace = false) =>
                hardtanh(x, min_val, max_val, inplace);

            public static Tensor threshold(Tensor x, double threshold, double value, bool inplace = false) =>
                inplace ? ThresholdInPlace(x, threshold, value) : ThresholdOf(x, threshold, value);

            [Obsolete("Use threshold.")]
            public static Tensor Threshold(Tensor x, double threshold, double value, bool inplace = false) =>
                functional.threshold(x, threshold, value, inplace);

            public static Tensor softplus(Tensor x, double beta = 1, double threshold = 20) => Softplus(x, beta, threshold);

            public static Tensor softshrink(Tensor x, double lambda = 0.5) => SoftShrink(x, lambda);

            [Obsolete("Use softshrink.")]
            public static Tensor Softshrink(Tensor x, double lambda = 0.5) => SoftShrink(x, lambda);

            public static Tensor hardshrink(Tensor x, double lambda = 0.5) => HardShrink(x, lambda);

            [Obsolete("Use hardshrink.")]
            public static Tensor Hardshrink(Tensor x, double lambda = 0.5) => HardShrink(x, lambda);

            public static Tensor softmin(Tensor x, long dim)
            {
                using var turned = x.neg();
                return softmax(turned, dim);
            }

            public static Tensor softmax2d(Tensor x) => softmax(x, -3);

            public static Tensor gelu(Tensor x) => gelu(x, Modules.GELU.Approximate.none);

            public static Tensor gelu(Tensor x, bool inplace) => gelu(x, Modules.GELU.Approximate.none, inplace);

            public static Tensor sigmoid(Tensor x) => Sigmoid(x);

            public static Tensor sigmoid(Tensor x, bool inplace) => inplace ? SigmoidInPlace(x) : Sigmoid(x);

            public static Tensor softsign(Tensor x, bool inplace = false)
            {
                using var scope = NewDisposeScope();
                var below = x.abs().add(1);
                return (inplace ? x.div_(below).alias() : x.div(below)).MoveToOuterDisposeScope();
            }

            [Obsolete("Use softsign.")]
            public static Tensor Softsign(Tensor x) => softsign(x);

            public static Tensor tanhshrink(Tensor x, bool inplace = false)
            {
                using var turned = x.tanh();
                return inplace ? x.sub_(turned).alias() : x.sub(turned);
            }

            [Obsolete("Use tanhshrink.")]
            public static Tensor Tanhshrink(Tensor x) => tanhshrink(x);
        }
    }
}

using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

/// <summary>
/// Activation functions that are members of Tensor: methods that each call one operator (<see cref="AtenAttribute"/>), and methods that
/// call those.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::relu6", "self")] public partial Tensor relu6();
        [Aten("aten::relu6_", "self")] public partial Tensor relu6_();
        [Aten("aten::hardsigmoid", "self")] public partial Tensor hardsigmoid();
        [Aten("aten::hardsigmoid_", "self")] public partial Tensor hardsigmoid_();
        [Aten("aten::hardswish", "self")] public partial Tensor hardswish();
        [Aten("aten::hardswish_", "self")] public partial Tensor hardswish_();
        [Aten("aten::selu", "self")] public partial Tensor selu();
        [Aten("aten::selu_", "self")] public partial Tensor selu_();
        [Aten("aten::silu_", "self")] public partial Tensor silu_();
        [Aten("aten::log_sigmoid", "self")] public partial Tensor log_sigmoid();
        [Aten("aten::gelu", "self, approximate")] private partial Tensor Gelu(string approximate);
        [Aten("aten::gelu_", "self, approximate")] private partial Tensor Gelu_(string approximate);
        [Aten("aten::glu", "self, dim")] public partial Tensor glu(long dim = -1);
        [Aten("aten::hardtanh", "self, min_val=min, max_val=max")] public partial Tensor hardtanh(Scalar min, Scalar max);
        [Aten("aten::threshold", "self, threshold, value")] public partial Tensor threshold(Scalar threshold, Scalar value);
        [Aten("aten::leaky_relu", "self, negative_slope")] public partial Tensor leaky_relu(Scalar negative_slope);
        [Aten("aten::elu", "self, alpha, scale, input_scale")] public partial Tensor elu(Scalar alpha, Scalar scale, Scalar input_scale);
        [Aten("aten::rrelu", "self, lower, upper")] private partial Tensor Rrelu(Scalar lower, Scalar upper);
        [Aten("aten::hardtanh_", "self, min_val=min, max_val=max")] public partial Tensor hardtanh_(Scalar min, Scalar max);
        [Aten("aten::threshold_", "self, threshold, value")] public partial Tensor threshold_(Scalar threshold, Scalar value);
        [Aten("aten::leaky_relu_", "self, negative_slope")] public partial Tensor leaky_relu_(Scalar negative_slope);
        [Aten("aten::elu_", "self, alpha, scale, input_scale")] public partial Tensor elu_(Scalar alpha, Scalar scale, Scalar input_scale);
        [Aten("aten::rrelu_", "self, lower, upper")] private partial Tensor Rrelu_(Scalar lower, Scalar upper);
        [Aten("aten::softplus", "self, beta, threshold")] private partial Tensor Softplus(Scalar beta, Scalar threshold);

        public Tensor gelu() => Gelu("none");

        /// <exception cref="ArgumentOutOfRangeException"><paramref name="approximate"/> is not a defined value.</exception>
        public Tensor gelu(GELU.Approximate approximate) => Gelu(Form(approximate));

        public Tensor gelu_() => Gelu_("none");

        /// <exception cref="ArgumentOutOfRangeException"><paramref name="approximate"/> is not a defined value.</exception>
        public Tensor gelu_(GELU.Approximate approximate) => Gelu_(Form(approximate));

        private static string Form(GELU.Approximate approximate) => approximate switch
        {
            GELU.Approximate.none => "none",
            GELU.Approximate.tanh => "tanh",
            _ => throw new ArgumentOutOfRangeException(nameof(approximate), approximate, "Unsupported GELU approximation method."),
        };

        public Tensor elu(double alpha = 1) => elu(alpha, 1.0, 1.0);

        /// <summary>Applies leaky ReLU with the mean of the bounds as slope, as in evaluation.</summary>
        public Tensor rrelu(double lower = 0.125, double upper = 0.3333333333333333) => Rrelu(lower, upper);

        public Tensor elu_(double alpha = 1) => elu_(alpha, 1.0, 1.0);

        /// <summary>Applies leaky ReLU with the mean of the bounds as slope, as in evaluation.</summary>
        public Tensor rrelu_(double lower = 0.125, double upper = 0.3333333333333333) => Rrelu_(lower, upper);

        public Tensor softplus(double beta = 1, double threshold = 20) => Softplus(beta, threshold);
    }
}

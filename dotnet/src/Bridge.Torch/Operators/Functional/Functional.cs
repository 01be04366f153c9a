using Bridge.Torch;
using Bridge.Torch.Compatibility;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>
        /// Functions that built-in modules call: methods that each call one operator (<see cref="AtenAttribute"/>), and methods that call
        /// those. A function that works in place returns a new C# object for the same tensor.
        /// </summary>
        public abstract partial class functional : FunctionalCompatibility
        {
            private functional() { }

            [Aten("aten::conv1d", "input, weight, bias, stride=strides ?? [1], padding=padding ?? [0], dilation=dilation ?? [1], groups")]
            internal static partial Tensor Conv1d(Tensor input, Tensor weight, Tensor? bias, long[]? strides, long[]? padding,
                long[]? dilation, long groups);
            [Aten("aten::conv1d.padding",
                "input, weight, bias, stride=strides ?? [1], padding=padding == Padding.Same ? \"same\" : \"valid\", dilation=dilation ?? "
                + "[1], groups")]
            internal static partial Tensor Conv1d(Tensor input, Tensor weight, Tensor? bias, long[]? strides, Padding padding,
                long[]? dilation, long groups);
            [Aten("aten::conv3d",
                "input, weight, bias, stride=strides ?? [1, 1, 1], padding=padding ?? [0, 0, 0], dilation=dilation ?? [1, 1, 1], groups")]
            public static partial Tensor conv3d(Tensor input, Tensor weight, Tensor? bias = null, long[]? strides = null,
                long[]? padding = null, long[]? dilation = null, long groups = 1);
            [Aten("aten::conv3d.padding",
                "input, weight, bias, stride=strides ?? [1, 1, 1], padding=padding == Padding.Same ? \"same\" : \"valid\", "
                + "dilation=dilation ?? [1, 1, 1], groups")]
            public static partial Tensor conv3d_padding(Tensor input, Tensor weight, Tensor? bias = null, long[]? strides = null,
                Padding padding = Padding.Valid, long[]? dilation = null, long groups = 1);
            [Aten("aten::conv_transpose2d.input",
                "input, weight, bias, stride=strides ?? [1, 1], padding=padding ?? [0, 0], output_padding=output_padding ?? [0, 0], "
                + "groups, dilation=dilation ?? [1, 1]")]
            public static partial Tensor conv_transpose2d(Tensor input, Tensor weight, Tensor? bias = null, long[]? strides = null,
                long[]? padding = null, long[]? output_padding = null, long[]? dilation = null, long groups = 1);

            [Aten("aten::max_pool1d", "self=input, kernel_size, stride=stride, padding, dilation, ceil_mode")]
            internal static partial Tensor MaxPool1d(Tensor input, long[] kernel_size, long[] stride, long[] padding, long[] dilation,
                bool ceil_mode);

            [Aten("aten::layer_norm", "input, normalized_shape, weight, bias, eps")]
            public static partial Tensor layer_norm(Tensor input, long[] normalized_shape, Tensor? weight = null, Tensor? bias = null,
                double eps = 1e-5);
            [Aten("aten::group_norm", "input, num_groups, weight, bias, eps")]
            public static partial Tensor group_norm(Tensor input, long num_groups, Tensor? weight = null, Tensor? bias = null,
                double eps = 1e-5);

            [Aten("aten::embedding", "weight, indices=input, padding_idx, scale_grad_by_freq, sparse")]
            internal static partial Tensor Embedding(Tensor input, Tensor weight, long padding_idx, bool scale_grad_by_freq, bool sparse);
            [Aten("aten::embedding_renorm_", "self=weight, indices=input, max_norm, norm_type")]
            internal static partial Tensor Renorm(Tensor input, Tensor weight, double max_norm, double norm_type);

            [Aten("aten::dropout", "input, p, train=training")]
            private static partial Tensor Dropout(Tensor input, double p, bool training);
            [Aten("aten::dropout_", "self=input, p, train=training")]
            private static partial Tensor DropoutInPlace(Tensor input, double p, bool training);
            [Aten("aten::feature_dropout", "input, p, train=training")]
            private static partial Tensor FeatureDropout(Tensor input, double p, bool training);
            [Aten("aten::feature_dropout_", "self=input, p, train=training")]
            private static partial Tensor FeatureDropoutInPlace(Tensor input, double p, bool training);

            [Aten("aten::gelu", "self=input, approximate")] private static partial Tensor Gelu(Tensor input, string approximate);
            [Aten("aten::gelu_", "self=input, approximate")] private static partial Tensor GeluInPlace(Tensor input, string approximate);
            [Aten("aten::silu", "self=input")] private static partial Tensor Silu(Tensor input);
            [Aten("aten::silu_", "self=input")] private static partial Tensor SiluInPlace(Tensor input);
            [Aten("aten::sigmoid", "self=input")] private static partial Tensor Sigmoid(Tensor input);
            [Aten("aten::sigmoid_", "self=input")] private static partial Tensor SigmoidInPlace(Tensor input);
            [Aten("aten::tanh", "self=input")] private static partial Tensor Tanh(Tensor input);
            [Aten("aten::tanh_", "self=input")] private static partial Tensor TanhInPlace(Tensor input);
            [Aten("aten::log_softmax.int", "self=x, dim")] public static partial Tensor log_softmax(Tensor x, long dim);

            public static Tensor dropout(Tensor input, double p = 0.5, bool training = true, bool inplace = false) =>
                inplace ? DropoutInPlace(input, p, training) : Dropout(input, p, training);

            public static Tensor dropout2d(Tensor input, double p = 0.5, bool training = true, bool inplace = false) =>
                inplace ? FeatureDropoutInPlace(input, p, training) : FeatureDropout(input, p, training);

            public static Tensor gelu(Tensor x, Modules.GELU.Approximate approximate, bool inplace = false) =>
                inplace ? GeluInPlace(x, approximate.ToString()) : Gelu(x, approximate.ToString());

            public static Tensor silu(Tensor x, bool inplace = false) => inplace ? SiluInPlace(x) : Silu(x);

            public static Tensor celu(Tensor x, double alpha, bool inplace = false) => inplace ? x.celu_(alpha).alias() : x.celu(alpha);

            public static Tensor tanh(Tensor x, bool inplace = false) => inplace ? TanhInPlace(x) : Tanh(x);

            /// <summary>
            /// Runs PReLU's kernel with one weight, because the ABI cannot pass a Scalar slope. Half types are computed in float32, as in
            /// PyTorch's kernel, so that the slope is not rounded to the half type.
            /// </summary>
            public static Tensor leaky_relu(Tensor input, double negative_slope = 0.01, bool inplace = false)
            {
                var half = input.dtype is ScalarType.Float16 or ScalarType.BFloat16;
                var computed = half ? ScalarType.Float32 : input.dtype;
                using var weight = ParameterInitializers.CreateFilled([1], negative_slope, input.device, computed);
                if (!half && !inplace) return prelu(input, weight);
                using var copy = half ? input.to_type(computed) : input.clone();
                using var result = prelu(copy, weight);
                return inplace ? input.copy_(result).alias() : result.to_type(input.dtype);
            }
        }
    }
}

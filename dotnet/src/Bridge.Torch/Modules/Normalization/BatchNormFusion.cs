using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public static partial class utils
        {
            /// <summary>
            /// Returns the weight and the bias of a convolution that computes the same as a given convolution followed by a batch norm in
            /// evaluation mode.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.fuse_conv_bn_weights.html">
            /// fuse_conv_bn_weights</see>.
            /// </remarks>
            /// <param name="conv_w">The convolution's weight.</param>
            /// <param name="conv_b">The convolution's bias, or null.</param>
            /// <param name="bn_rm">The batch norm's running mean.</param>
            /// <param name="bn_rv">The batch norm's running variance.</param>
            /// <param name="bn_eps">The number that the batch norm adds to the variance.</param>
            /// <param name="bn_w">The batch norm's weight, or null.</param>
            /// <param name="bn_b">The batch norm's bias, or null.</param>
            /// <param name="transpose">Whether the convolution is transposed.</param>
            /// <returns>The weight and the bias, which require a gradient if those of the convolution do.</returns>
            public static (Parameter weight, Parameter bias) fuse_conv_bn_weights(Tensor conv_w, Tensor? conv_b, Tensor bn_rm, Tensor bn_rv,
                double bn_eps, Tensor? bn_w, Tensor? bn_b, bool transpose = false)
            {
                using var scope = NewDisposeScope();
                var (weightType, biasType) = (conv_w.dtype, conv_b?.dtype ?? conv_w.dtype);
                var shape = conv_w.Sizes.Select((_, i) => i == (transpose ? 1 : 0) ? -1L : 1).ToArray();
                var bias = conv_b ?? bn_rm.zeros_like();
                var scale = bn_w ?? bn_rm.ones_like();
                var inverse = (bn_rv + bn_eps).rsqrt();
                var weight = conv_w * (scale * inverse).reshape(shape);
                var fusedBias = (bias - bn_rm) * inverse * scale + (bn_b ?? bn_rm.zeros_like());
                return Fused(scope, weight.to(weightType), conv_w, fusedBias.to(biasType), bias);
            }

            /// <summary>
            /// Returns the weight and the bias of a linear layer that computes the same as a given linear layer followed by a batch norm in
            /// evaluation mode.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.fuse_linear_bn_weights.html">
            /// fuse_linear_bn_weights</see>.
            /// </remarks>
            /// <param name="linear_w">The linear layer's weight.</param>
            /// <param name="linear_b">The linear layer's bias, or null.</param>
            /// <param name="bn_rm">The batch norm's running mean.</param>
            /// <param name="bn_rv">The batch norm's running variance.</param>
            /// <param name="bn_eps">The number that the batch norm adds to the variance.</param>
            /// <param name="bn_w">The batch norm's weight.</param>
            /// <param name="bn_b">The batch norm's bias.</param>
            /// <returns>The weight and the bias, which require a gradient if those of the linear layer do.</returns>
            public static (Parameter weight, Parameter bias) fuse_linear_bn_weights(Tensor linear_w, Tensor? linear_b, Tensor bn_rm,
                Tensor bn_rv, double bn_eps, Tensor bn_w, Tensor bn_b)
            {
                using var scope = NewDisposeScope();
                var bias = linear_b ?? bn_rm.zeros_like();
                var scale = bn_w * (bn_rv + bn_eps).rsqrt();
                return Fused(scope, linear_w * scale.unsqueeze(-1), linear_w, (bias - bn_rm) * scale + bn_b, bias);
            }

            /// <summary>
            /// Returns a linear layer that computes the same as a given linear layer followed by a batch norm, both in evaluation mode.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.fuse_linear_bn_eval.html">
            /// fuse_linear_bn_eval</see>.
            /// </remarks>
            /// <param name="linear">The linear layer.</param>
            /// <param name="bn">The batch norm, with running statistics and parameters.</param>
            /// <returns>The new linear layer.</returns>
            /// <exception cref="InvalidOperationException">A module is in training mode.</exception>
            public static Linear fuse_linear_bn_eval(Linear linear, BatchNorm bn)
            {
                if (linear.training || bn.training) throw new InvalidOperationException("Fusing operators is valid only for eval mode.");
                var (weight, bias) = fuse_linear_bn_weights(linear.weight, linear.bias, bn.running_mean!, bn.running_var!, bn.eps,
                    bn.weight!, bn.bias!);
                return Linear(weight, bias);
            }

            private static (Parameter, Parameter) Fused(DisposeScope scope, Tensor weight, Tensor oldWeight, Tensor bias, Tensor oldBias)
            {
                var (weightGrad, biasGrad) = (oldWeight.requires_grad, oldBias.requires_grad);
                return scope.MoveToOuter(new Parameter(weight.detach(), weightGrad), new Parameter(bias.detach(), biasGrad));
            }
        }
    }
}

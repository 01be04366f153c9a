using Bridge.Torch;
using Bridge.Torch.Compatibility;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>
        /// Functions that built-in modules call. Most are generated from Functional.tsv, and call one operator each. A function that works
        /// in place returns a new C# object for the same tensor.
        /// </summary>
        /// <remarks>
        /// The defaults are TorchSharp's, also where PyTorch has others: by default, the target of <c>kl_div</c> has log-probabilities.
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.functional.html">torch.nn.functional</see>.
        /// </remarks>
        public abstract partial class functional : FunctionalCompatibility
        {
            private functional() { }

            [Aten("aten::conv1d", "input, weight, bias, stride=strides ?? [1], padding=padding ?? [0], dilation=dilation ?? [1], groups")]
            internal static partial Tensor Conv1d(Tensor input, Tensor weight, Tensor? bias, long[]? strides, long[]? padding,
                long[]? dilation, long groups);
            [Aten("aten::conv1d.padding",
                "input, weight, bias, stride=strides ?? [1], padding, dilation=dilation ?? [1], groups")]
            internal static partial Tensor Conv1d(Tensor input, Tensor weight, Tensor? bias, long[]? strides, Padding padding,
                long[]? dilation, long groups);
            [Aten("aten::conv_transpose1d", "input, weight, bias, stride, padding, output_padding, groups, dilation")]
            internal static partial Tensor ConvTranspose1d(Tensor input, Tensor weight, Tensor? bias, long[] stride, long[] padding,
                long[] output_padding, long[] dilation, long groups);

            [Aten("aten::embedding", "weight, indices=input, padding_idx, scale_grad_by_freq, sparse")]
            internal static partial Tensor Embedding(Tensor input, Tensor weight, long padding_idx, bool scale_grad_by_freq, bool sparse);
            [Aten("aten::embedding_renorm_", "self=weight, indices=input, max_norm, norm_type")]
            internal static partial Tensor Renorm(Tensor input, Tensor weight, double max_norm, double norm_type);

            [Aten("aten::pad", "self=input, pad, mode, value")]
            internal static partial Tensor Pad(Tensor input, long[] pad, string mode, double? value = null);

            /// <summary>Normalizes each channel of <paramref name="input"/> over the batch.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.batch_norm.html">
            /// torch.nn.functional.batch_norm</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C) or (N, C, *).</param>
            /// <param name="running_mean">The running mean of each channel, of shape (C,), which training updates; or null.</param>
            /// <param name="running_var">The running variance of each channel, of shape (C,), which training updates; or null.</param>
            /// <param name="weight">The scale of each channel, of shape (C,); by default 1.</param>
            /// <param name="bias">The offset of each channel, of shape (C,); by default 0.</param>
            /// <param name="training">Whether to use the batch's mean and variance rather than the running mean and variance.</param>
            /// <param name="momentum">The share of the batch's mean and variance in the new running mean and variance.</param>
            /// <param name="eps">The number that is added to the variance.</param>
            /// <returns>The result, of the shape of the input.</returns>
            /// <exception cref="ArgumentException">In training, each channel has a single value.</exception>
            public static Tensor batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight = null,
                Tensor? bias = null, bool training = false, double momentum = 0.1, double eps = 1e-5)
            {
                if (training && input.Sizes.Where((_, dimension) => dimension != 1).All(size => size == 1))
                    throw TooFewValues(nameof(batch_norm), "channel to normalize over a batch", input);
                return ByBatch(input, running_mean, running_var, weight, bias, training, momentum, eps);
            }

            [Aten("aten::batch_norm", "input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled=true")]
            private static partial Tensor ByBatch(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight, Tensor? bias,
                bool training, double momentum, double eps);

            [Aten("aten::instance_norm",
                "input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled=true")]
            private static partial Tensor ByInstance(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight, Tensor? bias,
                bool use_input_stats, double momentum, double eps);

            [Aten("aten::group_norm", "input, num_groups, weight, bias, eps, cudnn_enabled=true")]
            private static partial Tensor ByGroup(Tensor input, long num_groups, Tensor? weight, Tensor? bias, double eps);

            /// <summary>Normalizes <paramref name="input"/> over groups of channels, for each item of the batch.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.group_norm.html">
            /// torch.nn.functional.group_norm</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, *).</param>
            /// <param name="num_groups">The number of groups, a divisor of C.</param>
            /// <param name="weight">The scale of each channel, of shape (C,); by default 1.</param>
            /// <param name="bias">The offset of each channel, of shape (C,); by default 0.</param>
            /// <param name="eps">The number that is added to the variance.</param>
            /// <returns>The result, of the shape of the input.</returns>
            /// <exception cref="ArgumentException">Each group has a single value.</exception>
            public static Tensor group_norm(Tensor input, long num_groups, Tensor? weight = null, Tensor? bias = null, double eps = 1e-5)
            {
                // PyTorch's rule: it counts the values of a group in all examples, although it normalizes each example by itself.
                if (input.numel() == num_groups) throw TooFewValues(nameof(group_norm), "group to normalize", input);
                return ByGroup(input, num_groups, weight, bias, eps);
            }

            /// <summary>Normalizes each channel of each item of <paramref name="input"/>.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.instance_norm.html">
            /// torch.nn.functional.instance_norm</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W).</param>
            /// <param name="running_mean">The running mean of each channel, of shape (C,), which is updated; or null.</param>
            /// <param name="running_var">The running variance of each channel, of shape (C,), which is updated; or null.</param>
            /// <param name="weight">The scale of each channel, of shape (C,); by default 1.</param>
            /// <param name="bias">The offset of each channel, of shape (C,); by default 0.</param>
            /// <param name="use_input_stats">Whether to use the mean and variance of the input, not the running mean and variance.</param>
            /// <param name="momentum">The share of the input's mean and variance in the new running mean and variance.</param>
            /// <param name="eps">The number that is added to the variance.</param>
            /// <returns>The result, of the shape of the input.</returns>
            /// <exception cref="ArgumentException">With the input's statistics, each channel of each item has a single value.</exception>
            public static Tensor instance_norm(Tensor input, Tensor? running_mean = null, Tensor? running_var = null,
                Tensor? weight = null, Tensor? bias = null, bool use_input_stats = true, double momentum = 0.1, double eps = 1e-5)
            {
                if (use_input_stats && input.Sizes.Skip(2).All(size => size == 1))
                    throw TooFewValues(nameof(instance_norm), "channel and example to normalize", input);
                return ByInstance(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps);
            }

            private static ArgumentException TooFewValues(string function, string where, Tensor input) =>
                new($"{function} needs more than one value per {where}, its input has shape [{string.Join(", ", input.Sizes)}].");

            /// <summary>Multiplies the negative elements of <paramref name="input"/> by a slope.</summary>
            /// <remarks>
            /// Runs PReLU's kernel with one weight, because the ABI cannot pass a Scalar slope. Half types are computed in float32, as in
            /// PyTorch's kernel, so that the slope is not rounded to the half type.
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.leaky_relu.html">
            /// torch.nn.functional.leaky_relu</see>.
            /// </remarks>
            /// <param name="input">The tensor, of any shape.</param>
            /// <param name="negative_slope">The factor of negative elements.</param>
            /// <param name="inplace">Whether to change the input in place.</param>
            /// <returns>The result, of the shape of the input.</returns>
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

            /// <summary>Computes the <c>softmax</c> of the negated elements of <paramref name="x"/> along a dimension.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softmin.html">
            /// torch.nn.functional.softmin</see>.
            /// </remarks>
            /// <param name="x">The tensor, of any shape.</param>
            /// <param name="dim">The dimension.</param>
            /// <returns>The result, of the shape of the input.</returns>
            public static Tensor softmin(Tensor x, long dim)
            {
                using var turned = x.neg();
                return softmax(turned, dim);
            }

            /// <summary>Computes the <c>softmax</c> over the channels of images.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Softmax2d.html">torch.nn.Softmax2d</see>.
            /// </remarks>
            /// <param name="x">The input, of shape (N, C, H, W) or (C, H, W).</param>
            /// <returns>The result, of the shape of the input.</returns>
            public static Tensor softmax2d(Tensor x) => softmax(x, -3);

            /// <summary>Applies x / (1 + |x|) to each element of <paramref name="x"/>.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.softsign.html">
            /// torch.nn.functional.softsign</see>.
            /// </remarks>
            /// <param name="x">The tensor, of any shape.</param>
            /// <param name="inplace">Whether to change the input in place.</param>
            /// <returns>The result, of the shape of the input.</returns>
            public static Tensor softsign(Tensor x, bool inplace = false)
            {
                using var scope = NewDisposeScope();
                var below = x.abs().add(1);
                return (inplace ? x.div_(below).alias() : x.div(below)).MoveToOuterDisposeScope();
            }

            /// <summary>Subtracts its hyperbolic tangent from each element of <paramref name="x"/>.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.tanhshrink.html">
            /// torch.nn.functional.tanhshrink</see>.
            /// </remarks>
            /// <param name="x">The tensor, of any shape.</param>
            /// <param name="inplace">Whether to change the input in place.</param>
            /// <returns>The result, of the shape of the input.</returns>
            public static Tensor tanhshrink(Tensor x, bool inplace = false)
            {
                using var turned = x.tanh();
                return inplace ? x.sub_(turned).alias() : x.sub(turned);
            }

            /// <summary>
            /// Zeroes random channels of the signals <paramref name="input"/> in training, and divides the others by 1 - p.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout1d.html">
            /// torch.nn.functional.dropout1d</see>.
            /// </remarks>
            /// <param name="input">The signals, of shape (N, C, L).</param>
            /// <param name="p">The probability of dropping a channel, from 0 to 1.</param>
            /// <param name="training">Whether channels are dropped; if not, the result equals the input.</param>
            /// <param name="inplace">Whether to change the input in place.</param>
            /// <returns>The result, of the shape of the input.</returns>
            public static Tensor dropout1d(Tensor input, double p = 0.5, bool training = true, bool inplace = false)
            {
                using var scope = NewDisposeScope();
                return dropout2d(input.unsqueeze(-1), p, training, inplace).squeeze(-1).MoveToOuterDisposeScope();
            }

            [Aten("aten::scaled_dot_product_attention", "query, key, value, attn_mask, dropout_p=p, is_causal=is_casual")]
            private static partial Tensor Attend(Tensor query, Tensor key, Tensor value, Tensor? attn_mask, double p, bool is_casual);

            /// <summary>Averages values, weighted by the softmax of the scaled dot products of queries and keys.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html">
            /// torch.nn.functional.scaled_dot_product_attention</see>.
            /// </remarks>
            /// <param name="query">The queries, of shape (N, …, L, E).</param>
            /// <param name="key">The keys, of shape (N, …, S, E).</param>
            /// <param name="value">The values, of shape (N, …, S, Ev).</param>
            /// <param name="attn_mask">
            /// A mask that broadcasts to (N, …, L, S): true where a query may see a key, or numbers to add to the products.
            /// </param>
            /// <param name="p">The probability of dropping a weight, from 0 to 1.</param>
            /// <param name="is_casual">Whether a query sees only the keys up to its own index.</param>
            /// <returns>The averages, of shape (N, …, L, Ev).</returns>
            /// <exception cref="ArgumentException">Both <c>attn_mask</c> and a causal mask are given.</exception>
            public static Tensor scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask = null,
                double p = 0.0, bool is_casual = false)
            {
                if (is_casual && attn_mask is not null)
                    throw new ArgumentException("A causal mask and attn_mask exclude each other.", nameof(attn_mask));
                return Attend(query, key, value, attn_mask, p, is_casual);
            }

            [Aten("aten::linalg_vector_norm", "self=input, ord, dim=[dim], keepdim=true")]
            private static partial Tensor Lengths(Tensor input, Scalar ord, long dim);

            /// <summary>
            /// Divides each vector along <paramref name="dim"/> by its p-norm, or by <paramref name="eps"/> if the norm is smaller.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.normalize.html">
            /// torch.nn.functional.normalize</see>.
            /// </remarks>
            /// <param name="input">The tensor, of any shape.</param>
            /// <param name="p">The order of the norm.</param>
            /// <param name="dim">The dimension of the vectors.</param>
            /// <param name="eps">The smallest divisor.</param>
            /// <returns>The result, of the shape of the input.</returns>
            public static Tensor normalize(Tensor input, double p = 2.0, long dim = 1, double eps = 1e-12)
            {
                using var scope = NewDisposeScope();
                return input.div(Lengths(input, p, dim).clamp_min(eps).expand_as(input)).MoveToOuterDisposeScope();
            }

            /// <summary>Pads the borders of <paramref name="input"/>, with an array of widths.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.pad.html">
            /// torch.nn.functional.pad</see>.
            /// </remarks>
            /// <param name="input">The tensor.</param>
            /// <param name="pad">
            /// The numbers of elements to add before and after the input along its last dimension, then along the second to last dimension,
            /// and so on. A negative number removes elements.
            /// </param>
            /// <param name="mode">The kind of padding.</param>
            /// <param name="value">The padding's value in the mode Constant.</param>
            /// <returns>The padded tensor.</returns>
            public static Tensor pad(Tensor input, long[] pad, PaddingModes mode = PaddingModes.Constant, double value = 0) => mode switch
            {
                PaddingModes.Reflect => Pad(input, pad, "reflect"),
                PaddingModes.Replicate => Pad(input, pad, "replicate"),
                PaddingModes.Circular => Pad(input, pad, "circular"),
                _ => Pad(input, pad, "constant", mode == PaddingModes.Constant ? value : 0),
            };

            /// <inheritdoc cref="pad(Tensor, long[], PaddingModes, double)"/>
            public static Tensor pad(Tensor input, ReadOnlySpan<long> pad, PaddingModes mode = PaddingModes.Constant, double value = 0) =>
                functional.pad(input, pad.ToArray(), mode, value);
        }
    }
}

using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        public partial class functional
        {
            [Aten("aten::max_pool1d", "self=input, kernel_size, stride=stride, padding, dilation, ceil_mode")]
            internal static partial Tensor MaxPool1d(Tensor input, long[] kernel_size, long[] stride, long[] padding, long[] dilation,
                bool ceil_mode);
            [Aten("aten::fractional_max_pool2d", "self=input, kernel_size, output_size, random_samples")]
            private static partial (Tensor, Tensor) Fractional2d(Tensor input, long[] kernel_size, long[] output_size,
                Tensor random_samples);
            [Aten("aten::fractional_max_pool3d", "self=input, kernel_size, output_size, random_samples")]
            private static partial (Tensor, Tensor) Fractional3d(Tensor input, long[] kernel_size, long[] output_size,
                Tensor random_samples);
            [Aten("aten::_adaptive_avg_pool3d_backward", "grad_output=gradOutput, self=originalInput")]
            private static partial Tensor AdaptiveAvgPool3dBackward(Tensor gradOutput, Tensor originalInput);

            /// <summary>
            /// Returns the largest elements of windows of <paramref name="input"/> along one dimension, so that the result has a given
            /// size.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool1d.html">
            /// torch.nn.functional.adaptive_max_pool1d</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, L) or (C, L).</param>
            /// <param name="output_size">The size of the result's last dimension.</param>
            /// <returns>The result, of shape (N, C, output_size) or (C, output_size).</returns>
            public static Tensor adaptive_max_pool1d(Tensor input, long output_size) =>
                Values(adaptive_max_pool1d_with_indices(input, output_size));

            /// <summary>
            /// Returns the largest elements of windows of the planes of <paramref name="input"/>, so that the result has a given size.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool2d.html">
            /// torch.nn.functional.adaptive_max_pool2d</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, H, W) or (C, H, W).</param>
            /// <param name="output_size">The height and the width of the result.</param>
            /// <returns>The result, of shape (N, C, *output_size) or (C, *output_size).</returns>
            public static Tensor adaptive_max_pool2d(Tensor input, long[] output_size) =>
                Values(adaptive_max_pool2d_with_indices(input, output_size));

            /// <summary>
            /// Returns the largest elements of windows of the volumes of <paramref name="input"/>, so that the result has a given size.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool3d.html">
            /// torch.nn.functional.adaptive_max_pool3d</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, D, H, W) or (C, D, H, W).</param>
            /// <param name="output_size">The depth, the height and the width of the result.</param>
            /// <returns>The result, of shape (N, C, *output_size) or (C, *output_size).</returns>
            public static Tensor adaptive_max_pool3d(Tensor input, long[] output_size) =>
                Values(adaptive_max_pool3d_with_indices(input, output_size));

            /// <summary>Computes the p-norm of windows of <paramref name="input"/> along one dimension.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool1d.html">
            /// torch.nn.functional.lp_pool1d</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, L) or (C, L).</param>
            /// <param name="norm_type">The order p of the norm.</param>
            /// <param name="kernel_size">The size of the window.</param>
            /// <param name="stride">The distance between windows; by default the size of the window.</param>
            /// <param name="ceil_mode">Whether to round the size of the result up instead of down.</param>
            /// <returns>The norms, of shape (N, C, L') or (C, L').</returns>
            public static Tensor lp_pool1d(Tensor input, double norm_type, long kernel_size, long? stride = null, bool ceil_mode = false) =>
                new LPPool1d(norm_type, kernel_size, stride, ceil_mode).forward(input);

            /// <summary>Computes the p-norm of windows of the planes of <paramref name="input"/>.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool2d.html">
            /// torch.nn.functional.lp_pool2d</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, H, W) or (C, H, W).</param>
            /// <param name="norm_type">The order p of the norm.</param>
            /// <param name="kernel_size">The height and the width of the window.</param>
            /// <param name="stride">The distances between windows; by default the size of the window.</param>
            /// <param name="ceil_mode">Whether to round the size of the result up instead of down.</param>
            /// <returns>The norms, of shape (N, C, H', W') or (C, H', W').</returns>
            public static Tensor lp_pool2d(Tensor input, double norm_type, long[] kernel_size, long[]? stride = null,
                bool ceil_mode = false) =>
                new LPPool2d(norm_type, kernel_size, stride, ceil_mode).forward(input);

            /// <summary>Puts the elements that <c>max_pool1d</c> found back at their indices, and 0 elsewhere.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool1d.html">
            /// torch.nn.functional.max_unpool1d</see>.
            /// </remarks>
            /// <param name="input">The elements, of shape (N, C, L) or (C, L).</param>
            /// <param name="indices">Their indices, of the same shape.</param>
            /// <param name="kernel_size">The size of the window of the pooling.</param>
            /// <param name="stride">The distance between its windows; by default the size of the window.</param>
            /// <param name="padding">Its padding; by default 0.</param>
            /// <param name="output_size">The size of the result; by default, it follows from the window and the distances.</param>
            /// <returns>The result, of shape (N, C, L') or (C, L').</returns>
            public static Tensor max_unpool1d(Tensor input, Tensor indices, long kernel_size, long? stride = null, long? padding = null,
                long[]? output_size = null) =>
                new MaxUnpool1d(kernel_size, stride, padding).forward(input, indices, output_size);

            /// <summary>Puts the elements that <c>max_pool2d</c> found back at their indices in planes, and 0 elsewhere.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool2d.html">
            /// torch.nn.functional.max_unpool2d</see>.
            /// </remarks>
            /// <param name="input">The elements, of shape (N, C, H, W) or (C, H, W).</param>
            /// <param name="indices">Their indices in the flattened planes, of the same shape.</param>
            /// <param name="kernel_size">The size of the window of the pooling.</param>
            /// <param name="stride">The distances between its windows; by default the size of the window.</param>
            /// <param name="padding">Its padding; by default 0.</param>
            /// <param name="output_size">The size of the result; by default, it follows from the window and the distances.</param>
            /// <returns>The result, of shape (N, C, H', W') or (C, H', W').</returns>
            public static Tensor max_unpool2d(Tensor input, Tensor indices, long[] kernel_size, long[]? stride = null,
                long[]? padding = null, long[]? output_size = null) =>
                new MaxUnpool2d(kernel_size, stride, padding).forward(input, indices, output_size);

            /// <summary>Puts the elements that <c>max_pool3d</c> found back at their indices in volumes, and 0 elsewhere.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool3d.html">
            /// torch.nn.functional.max_unpool3d</see>.
            /// </remarks>
            /// <param name="input">The elements, of shape (N, C, D, H, W) or (C, D, H, W).</param>
            /// <param name="indices">Their indices in the flattened volumes, of the same shape.</param>
            /// <param name="kernel_size">The size of the window of the pooling.</param>
            /// <param name="stride">The distances between its windows; by default the size of the window.</param>
            /// <param name="padding">Its padding; by default 0.</param>
            /// <param name="output_size">The size of the result; by default, it follows from the window and the distances.</param>
            /// <returns>The result, of shape (N, C, D', H', W') or (C, D', H', W').</returns>
            public static Tensor max_unpool3d(Tensor input, Tensor indices, long[] kernel_size, long[]? stride = null,
                long[]? padding = null, long[]? output_size = null) =>
                new MaxUnpool3d(kernel_size, stride, padding).forward(input, indices, output_size);

            /// <summary>
            /// Computes the gradient of <c>adaptive_avg_pool3d</c> for its input, and also writes it to <paramref name="gradInput"/>.
            /// </summary>
            /// <param name="gradInput">The tensor to which the gradient is written, of the shape of the input.</param>
            /// <param name="gradOutput">The gradient of the result.</param>
            /// <param name="originalInput">The input, of shape (N, C, D, H, W) or (C, D, H, W).</param>
            /// <returns>A new object for <paramref name="gradInput"/>.</returns>
            public static Tensor adaptive_avg_pool3d_backward(Tensor gradInput, Tensor gradOutput, Tensor originalInput)
            {
                using var found = AdaptiveAvgPool3dBackward(gradOutput, originalInput);
                return gradInput.copy_(found).alias();
            }

            /// <summary>
            /// Returns the largest elements of windows of the planes of <paramref name="input"/> that are placed at random, with sizes in
            /// arrays.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.fractional_max_pool2d.html">
            /// torch.nn.functional.fractional_max_pool2d</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, H, W) or (C, H, W).</param>
            /// <param name="kernel_size">The height and the width of the window.</param>
            /// <param name="output_size">The height and the width of the result; null if ratios are given.</param>
            /// <param name="output_ratio">The ratios of the result's sizes to the input's, from 0 to 1; null if sizes are given.</param>
            /// <returns>The result, of shape (N, C, H', W') or (C, H', W').</returns>
            /// <exception cref="ArgumentException">Not exactly one of sizes and ratios is given, or not two.</exception>
            public static Tensor fractional_max_pool2d(Tensor input, long[] kernel_size, long[]? output_size = null,
                double[]? output_ratio = null) =>
                Values(fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio));

            /// <summary>
            /// Returns the largest elements, and their indices, of windows of the planes of <paramref name="input"/> that are placed at
            /// random, with sizes in arrays.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.fractional_max_pool2d.html">
            /// torch.nn.functional.fractional_max_pool2d</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, H, W) or (C, H, W).</param>
            /// <param name="kernel_size">The height and the width of the window.</param>
            /// <param name="output_size">The height and the width of the result; null if ratios are given.</param>
            /// <param name="output_ratio">The ratios of the result's sizes to the input's, from 0 to 1; null if sizes are given.</param>
            /// <returns>The elements, and the index of each in the flattened plane, of shape (N, C, H', W') or (C, H', W').</returns>
            /// <exception cref="ArgumentException">Not exactly one of sizes and ratios is given, or not two.</exception>
            public static (Tensor Values, Tensor Indices) fractional_max_pool2d_with_indices(Tensor input, long[] kernel_size,
                long[]? output_size = null, double[]? output_ratio = null)
            {
                using var samples = Samples(input, 2);
                return Fractional2d(input, kernel_size, PooledSize(input, 2, output_size, output_ratio), samples);
            }

            /// <summary>
            /// Returns the largest elements of windows of the volumes of <paramref name="input"/> that are placed at random, with sizes in
            /// arrays.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.fractional_max_pool3d.html">
            /// torch.nn.functional.fractional_max_pool3d</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, D, H, W) or (C, D, H, W).</param>
            /// <param name="kernel_size">The depth, the height and the width of the window.</param>
            /// <param name="output_size">The depth, the height and the width of the result; null if ratios are given.</param>
            /// <param name="output_ratio">The ratios of the result's sizes to the input's, from 0 to 1; null if sizes are given.</param>
            /// <returns>The result, of shape (N, C, D', H', W') or (C, D', H', W').</returns>
            /// <exception cref="ArgumentException">Not exactly one of sizes and ratios is given, or not three.</exception>
            public static Tensor fractional_max_pool3d(Tensor input, long[] kernel_size, long[]? output_size = null,
                double[]? output_ratio = null) =>
                Values(fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio));

            /// <summary>
            /// Returns the largest elements, and their indices, of windows of the volumes of <paramref name="input"/> that are placed at
            /// random, with sizes in arrays.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.fractional_max_pool3d.html">
            /// torch.nn.functional.fractional_max_pool3d</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, D, H, W) or (C, D, H, W).</param>
            /// <param name="kernel_size">The depth, the height and the width of the window.</param>
            /// <param name="output_size">The depth, the height and the width of the result; null if ratios are given.</param>
            /// <param name="output_ratio">The ratios of the result's sizes to the input's, from 0 to 1; null if sizes are given.</param>
            /// <returns>
            /// The elements, and the index of each in the flattened volume, of shape (N, C, D', H', W') or (C, D', H', W').
            /// </returns>
            /// <exception cref="ArgumentException">Not exactly one of sizes and ratios is given, or not three.</exception>
            public static (Tensor Values, Tensor Indices) fractional_max_pool3d_with_indices(Tensor input, long[] kernel_size,
                long[]? output_size = null, double[]? output_ratio = null)
            {
                using var samples = Samples(input, 3);
                return Fractional3d(input, kernel_size, PooledSize(input, 3, output_size, output_ratio), samples);
            }

            private static Tensor Values((Tensor Values, Tensor Indices) found)
            {
                found.Indices.Dispose();
                return found.Values;
            }

            /// <summary>Draws the random window positions for each image and channel, as PyTorch does.</summary>
            private static Tensor Samples(Tensor input, int dimensions)
            {
                var batch = input.dim() == dimensions + 1 ? 1 : input.size(0);
                return rand([batch, input.size(-dimensions - 1), dimensions], input.dtype, input.device);
            }

            /// <exception cref="ArgumentException">Not exactly one of size and ratio is given, or its length is wrong.</exception>
            private static long[] PooledSize(Tensor input, int dimensions, long[]? size, double[]? ratio)
            {
                if (size is null == ratio is null)
                    throw new ArgumentException($"fractional_max_pool{dimensions}d takes either output_size or output_ratio.");
                if ((size?.Length ?? ratio!.Length) != dimensions)
                    throw new ArgumentException(
                        $"fractional_max_pool{dimensions}d: {(size is null ? "output_ratio" : "output_size")} must have {dimensions} "
                        + "numbers.");
                return size ?? [.. ratio!.Select((part, at) => (long)(input.size(at - dimensions) * part))];
            }
        }
    }
}

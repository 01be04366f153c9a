using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>
        /// Initializers, as in torch.nn.init: the same seed gives the same bits. Autograd does not record them.
        /// </summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html">torch.nn.init</see>.
        /// TorchSharp ignores the generator, and its xavier_normal_ draws from a uniform distribution; these functions do neither.
        /// </remarks>
        public static partial class init
        {
            /// <summary>The functions that can follow a layer's weight, for <see cref="calculate_gain"/>.</summary>
            public enum NonlinearityType
            {
                /// <summary>A linear map, with gain 1.</summary>
                Linear = 0,

                /// <summary>A convolution of signals, with gain 1.</summary>
                Conv1D = 1,

                /// <summary>A convolution of images, with gain 1.</summary>
                Conv2D = 2,

                /// <summary>A convolution of volumes, with gain 1.</summary>
                Conv3D = 3,

                /// <summary>A transposed convolution of signals, with gain 1.</summary>
                ConvTranspose1D = 4,

                /// <summary>A transposed convolution of images, with gain 1.</summary>
                ConvTranspose2D = 5,

                /// <summary>A transposed convolution of volumes, with gain 1.</summary>
                ConvTranspose3D = 6,

                /// <summary>The sigmoid, with gain 1.</summary>
                Sigmoid = 7,

                /// <summary>The hyperbolic tangent, with gain 5 / 3.</summary>
                Tanh = 8,

                /// <summary>max(x, 0), with the square root of 2 as the gain.</summary>
                ReLU = 9,

                /// <summary>ReLU with a slope below 0, with the square root of 2 / (1 + slope * slope) as the gain.</summary>
                LeakyReLU = 10,
            }

            /// <summary>The values whose variance a Kaiming initialization preserves.</summary>
            public enum FanInOut
            {
                /// <summary>The values in the forward pass: the number of inputs of an element counts.</summary>
                FanIn = 0,

                /// <summary>The gradients in the backward pass: the number of outputs of an element counts.</summary>
                FanOut = 1,
            }

            [Aten("aten::fill_.Scalar", "self=tensor, value")] private static partial Tensor Fill_(Tensor tensor, Scalar value);
            [Aten("aten::uniform_", "self=tensor, from=low, to=high, generator")]
            private static partial Tensor Uniform_(Tensor tensor, double low, double high, Generator? generator);
            [Aten("aten::normal_", "self=tensor, mean, std, generator")]
            private static partial Tensor Normal_(Tensor tensor, double mean, double std, Generator? generator);
            [Aten("aten::mul_.Scalar", "self=tensor, other")] private static partial Tensor Scale_(Tensor tensor, Scalar other);
            [Aten("aten::linalg_qr", "A=tensor")] private static partial (Tensor, Tensor) Qr(Tensor tensor);
            [Aten("bridge::trunc_normal_", "self=tensor, mean, std, a, b, state")]
            private static partial void TruncNormal(Tensor tensor, double mean, double std, double a, double b, Tensor? state);

            /// <summary>Returns the recommended gain of a nonlinearity, the factor by which weights before it are scaled.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.calculate_gain">
            /// torch.nn.init.calculate_gain</see>.
            /// </remarks>
            /// <param name="nonlinearity">The nonlinearity.</param>
            /// <param name="param">LeakyReLU's slope.</param>
            /// <returns>The gain.</returns>
            public static double calculate_gain(NonlinearityType nonlinearity, double param = 0) => nonlinearity switch
            {
                NonlinearityType.Tanh => 5.0 / 3.0,
                NonlinearityType.ReLU => Math.Sqrt(2.0),
                NonlinearityType.LeakyReLU => Math.Sqrt(2.0 / (1 + param * param)),
                _ => 1,
            };

            /// <summary>Fills a tensor with ones.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.ones_">torch.nn.init.ones_</see>.
            /// </remarks>
            /// <param name="tensor">The tensor to fill, of any shape.</param>
            /// <returns>The given tensor.</returns>
            public static Tensor ones_(Tensor tensor) => constant_(tensor, 1.0);

            /// <summary>Fills a tensor with zeros.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.zeros_">torch.nn.init.zeros_</see>.
            /// </remarks>
            /// <param name="tensor">The tensor to fill, of any shape.</param>
            /// <returns>The given tensor.</returns>
            public static Tensor zeros_(Tensor tensor) => constant_(tensor, 0.0);

            /// <summary>Fills a tensor with a number.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.constant_">
            /// torch.nn.init.constant_</see>.
            /// </remarks>
            /// <param name="tensor">The tensor to fill, of any shape.</param>
            /// <param name="val">The number.</param>
            /// <returns>The given tensor.</returns>
            public static Tensor constant_(Tensor tensor, Scalar val)
            {
                using var off = no_grad();
                return Fill_(tensor, val);
            }

            /// <summary>Fills a tensor from a uniform distribution.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.uniform_">torch.nn.init.uniform_</see>.
            /// </remarks>
            /// <param name="tensor">The tensor to fill, of any shape.</param>
            /// <param name="low">The lower bound.</param>
            /// <param name="high">The upper bound, which is not included.</param>
            /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
            /// <returns>The given tensor.</returns>
            public static Tensor uniform_(Tensor tensor, double low = 0, double high = 1, Generator? generator = null)
            {
                using var off = no_grad();
                return Uniform_(tensor, low, high, generator);
            }

            /// <summary>Fills a tensor from a normal distribution.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.normal_">torch.nn.init.normal_</see>.
            /// </remarks>
            /// <param name="tensor">The tensor to fill, of any shape.</param>
            /// <param name="mean">The mean.</param>
            /// <param name="std">The standard deviation.</param>
            /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
            /// <returns>The given tensor.</returns>
            public static Tensor normal_(Tensor tensor, double mean = 0, double std = 1, Generator? generator = null)
            {
                using var off = no_grad();
                return Normal_(tensor, mean, std, generator);
            }

            /// <summary>Fills a tensor from a normal distribution truncated to [a, b], by the algorithm of the running torch.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.trunc_normal_">
            /// torch.nn.init.trunc_normal_</see>.
            /// </remarks>
            /// <param name="tensor">The tensor to fill, of any shape.</param>
            /// <param name="mean">The mean before truncation.</param>
            /// <param name="std">The standard deviation before truncation.</param>
            /// <param name="a">The lower bound.</param>
            /// <param name="b">The upper bound.</param>
            /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
            /// <returns>The given tensor.</returns>
            public static Tensor trunc_normal_(Tensor tensor, double mean = 0, double std = 1, double a = -2, double b = 2,
                Generator? generator = null)
            {
                TruncNormal(tensor, mean, std, a, b, generator?.State);
                return tensor;
            }

            /// <summary>Fills a matrix with ones on the diagonal and zeros elsewhere.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.eye_">torch.nn.init.eye_</see>.
            /// </remarks>
            /// <param name="tensor">The matrix to fill, of shape (n, m).</param>
            /// <returns>The given matrix.</returns>
            /// <exception cref="ArgumentException">The tensor does not have two dimensions.</exception>
            public static Tensor eye_(Tensor tensor)
            {
                if (tensor.dim() != 2) throw new ArgumentException("Only tensors with 2 dimensions are supported", nameof(tensor));
                using var off = no_grad();
                using var ones = Eye(tensor.size(0), tensor.size(1), tensor.dtype, tensor.device, false, null);
                tensor.copy_(ones);
                return tensor;
            }

            /// <summary>Fills a convolution's weight so that it preserves as many input channels as possible.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.dirac_">torch.nn.init.dirac_</see>.
            /// </remarks>
            /// <param name="tensor">The weight to fill, of shape (O, I, *).</param>
            /// <returns>The given weight.</returns>
            /// <exception cref="ArgumentException">The tensor does not have three to five dimensions.</exception>
            public static Tensor dirac_(Tensor tensor)
            {
                var shape = tensor.Sizes;
                if (shape.Length is not (3 or 4 or 5))
                    throw new ArgumentException("Only tensors with 3, 4, or 5 dimensions are supported", nameof(tensor));
                using var off = no_grad();
                using var scope = NewDisposeScope();
                Fill_(tensor, 0.0);
                for (var channel = 0L; channel < Math.Min(shape[0], shape[1]); channel++)
                {
                    var element = tensor.select(0, channel).select(0, channel);
                    for (var dim = 2; dim < shape.Length; dim++) element = element.select(0, shape[dim] / 2);
                    Fill_(element, 1.0);
                }

                return tensor;
            }

            /// <summary>Fills a matrix with orthonormal rows or columns, times a gain.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.orthogonal_">
            /// torch.nn.init.orthogonal_</see>.
            /// </remarks>
            /// <param name="tensor">The matrix to fill, of shape (n, *); trailing dimensions are flattened.</param>
            /// <param name="gain">The factor.</param>
            /// <returns>The given tensor.</returns>
            /// <exception cref="ArgumentException">The tensor has fewer than two dimensions.</exception>
            public static Tensor orthogonal_(Tensor tensor, double gain = 1)
            {
                var shape = tensor.Sizes;
                if (shape.Length < 2) throw new ArgumentException("Only tensors with 2 or more dimensions are supported", nameof(tensor));
                if (tensor.numel() == 0) return tensor;
                using var off = no_grad();
                using var scope = NewDisposeScope();
                var (rows, columns) = (shape[0], tensor.numel() / shape[0]);
                var drawn = empty([rows, columns], tensor.dtype, tensor.device);
                Normal_(drawn, 0, 1, null);
                if (rows < columns) drawn = drawn.t();
                var (q, r) = Qr(drawn);
                q = q.mul(r.diag().sign());
                if (rows < columns) q = q.t();
                tensor.view_as(q).copy_(q);
                Scale_(tensor, gain);
                return tensor;
            }

            /// <summary>Fills a matrix from a normal distribution with mean 0, and zeroes a share of each column's elements.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.sparse_">torch.nn.init.sparse_</see>.
            /// </remarks>
            /// <param name="tensor">The matrix to fill, of shape (n, m).</param>
            /// <param name="sparsity">The share of zeros in each column, from 0 to 1.</param>
            /// <param name="std">The standard deviation.</param>
            /// <returns>The given matrix.</returns>
            /// <exception cref="ArgumentException">The tensor does not have two dimensions.</exception>
            public static Tensor sparse_(Tensor tensor, double sparsity, double std = 0.01)
            {
                if (tensor.dim() != 2) throw new ArgumentException("Only tensors with 2 dimensions are supported", nameof(tensor));
                using var off = no_grad();
                using var scope = NewDisposeScope();
                var (rows, columns) = (tensor.size(0), tensor.size(1));
                var zeros = (long)Math.Ceiling(sparsity * rows);
                Normal_(tensor, 0, std, null);
                for (var column = 0L; column < columns; column++)
                {
                    var chosen = randperm(rows, device: CPU).narrow(0, 0, zeros).to(tensor.device);
                    tensor.select(1, column).index_copy_(0, chosen, torch.zeros([zeros], tensor.dtype, tensor.device));
                }

                return tensor;
            }

            /// <summary>
            /// Fills a weight from a uniform distribution that preserves the variance through layers with ReLU, by the method of He.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.kaiming_uniform_">
            /// torch.nn.init.kaiming_uniform_</see>.
            /// </remarks>
            /// <param name="tensor">The weight to fill, of shape (O, I, *).</param>
            /// <param name="a">LeakyReLU's slope.</param>
            /// <param name="mode">Whether to preserve the variance of values or of gradients.</param>
            /// <param name="nonlinearity">The function that follows the weight.</param>
            /// <returns>The given weight.</returns>
            /// <exception cref="ArgumentException">The tensor has fewer than two dimensions.</exception>
            public static Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanInOut mode = FanInOut.FanIn,
                NonlinearityType nonlinearity = NonlinearityType.LeakyReLU)
            {
                if (tensor.numel() == 0) return tensor;
                var bound = Math.Sqrt(3.0) * (calculate_gain(nonlinearity, a) / Math.Sqrt(Fan(tensor, mode)));
                return uniform_(tensor, -bound, bound);
            }

            /// <summary>
            /// Fills a weight from a normal distribution that preserves the variance through layers with ReLU, by the method of He.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.kaiming_normal_">
            /// torch.nn.init.kaiming_normal_</see>.
            /// </remarks>
            /// <param name="tensor">The weight to fill, of shape (O, I, *).</param>
            /// <param name="a">LeakyReLU's slope.</param>
            /// <param name="mode">Whether to preserve the variance of values or of gradients.</param>
            /// <param name="nonlinearity">The function that follows the weight.</param>
            /// <returns>The given weight.</returns>
            /// <exception cref="ArgumentException">The tensor has fewer than two dimensions.</exception>
            public static Tensor kaiming_normal_(Tensor tensor, double a = 0, FanInOut mode = FanInOut.FanIn,
                NonlinearityType nonlinearity = NonlinearityType.LeakyReLU) =>
                tensor.numel() == 0 ? tensor : normal_(tensor, 0, calculate_gain(nonlinearity, a) / Math.Sqrt(Fan(tensor, mode)));

            /// <summary>Fills a weight from a uniform distribution that balances the variances of values and gradients.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.xavier_uniform_">
            /// torch.nn.init.xavier_uniform_</see>.
            /// </remarks>
            /// <param name="tensor">The weight to fill, of shape (O, I, *).</param>
            /// <param name="gain">The factor of the standard deviation.</param>
            /// <returns>The given weight.</returns>
            /// <exception cref="ArgumentException">The tensor has fewer than two dimensions.</exception>
            public static Tensor xavier_uniform_(Tensor tensor, double gain = 1)
            {
                var bound = Math.Sqrt(3.0) * XavierDeviation(tensor, gain);
                return uniform_(tensor, -bound, bound);
            }

            /// <summary>Fills a weight from a normal distribution that balances the variances of values and gradients.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/nn.init.html#torch.nn.init.xavier_normal_">
            /// torch.nn.init.xavier_normal_</see>.
            /// </remarks>
            /// <param name="tensor">The weight to fill, of shape (O, I, *).</param>
            /// <param name="gain">The factor of the standard deviation.</param>
            /// <returns>The given weight.</returns>
            /// <exception cref="ArgumentException">The tensor has fewer than two dimensions.</exception>
            public static Tensor xavier_normal_(Tensor tensor, double gain = 1) => normal_(tensor, 0, XavierDeviation(tensor, gain));

            /// <summary>Returns how many inputs and how many outputs each element of a weight connects.</summary>
            /// <param name="tensor">The weight, of shape (O, I, *).</param>
            /// <returns>The number of inputs, I times the size of the window, and that of outputs, O times the size.</returns>
            /// <exception cref="ArgumentException">The tensor has fewer than two dimensions.</exception>
            public static (long fanIn, long fanOut) CalculateFanInAndFanOut(Tensor tensor)
            {
                var shape = tensor.Sizes;
                if (shape.Length < 2)
                    throw new ArgumentException("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
                        nameof(tensor));
                var field = shape.Skip(2).Aggregate(1L, (product, size) => product * size);
                return (shape[1] * field, shape[0] * field);
            }

            private static long Fan(Tensor tensor, FanInOut mode)
            {
                var (into, outOf) = CalculateFanInAndFanOut(tensor);
                return mode == FanInOut.FanIn ? into : outOf;
            }

            private static double XavierDeviation(Tensor tensor, double gain)
            {
                var (into, outOf) = CalculateFanInAndFanOut(tensor);
                return gain * Math.Sqrt(2.0 / (into + outOf));
            }
        }
    }
}

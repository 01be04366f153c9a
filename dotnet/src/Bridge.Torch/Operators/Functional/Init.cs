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
        /// TorchSharp ignores the generator, and its xavier_normal_ draws from a uniform distribution; these functions do neither.
        /// </remarks>
        public static partial class init
        {
            public enum NonlinearityType
            {
                Linear = 0,
                Conv1D = 1,
                Conv2D = 2,
                Conv3D = 3,
                ConvTranspose1D = 4,
                ConvTranspose2D = 5,
                ConvTranspose3D = 6,
                Sigmoid = 7,
                Tanh = 8,
                ReLU = 9,
                LeakyReLU = 10,
            }

            public enum FanInOut
            {
                FanIn = 0,
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

            /// <summary>Returns the recommended gain of an activation. <paramref name="param"/> is LeakyReLU's slope.</summary>
            public static double calculate_gain(NonlinearityType nonlinearity, double param = 0) => nonlinearity switch
            {
                NonlinearityType.Tanh => 5.0 / 3.0,
                NonlinearityType.ReLU => Math.Sqrt(2.0),
                NonlinearityType.LeakyReLU => Math.Sqrt(2.0 / (1 + param * param)),
                _ => 1,
            };

            public static Tensor ones_(Tensor tensor) => constant_(tensor, 1.0);

            public static Tensor zeros_(Tensor tensor) => constant_(tensor, 0.0);

            public static Tensor constant_(Tensor tensor, Scalar val)
            {
                using var off = no_grad();
                return Fill_(tensor, val);
            }

            public static Tensor uniform_(Tensor tensor, double low = 0, double high = 1, Generator? generator = null)
            {
                using var off = no_grad();
                return Uniform_(tensor, low, high, generator);
            }

            public static Tensor normal_(Tensor tensor, double mean = 0, double std = 1, Generator? generator = null)
            {
                using var off = no_grad();
                return Normal_(tensor, mean, std, generator);
            }

            /// <summary>Fills a tensor from a normal distribution truncated to [a, b], by the algorithm of the running torch.</summary>
            public static Tensor trunc_normal_(Tensor tensor, double mean = 0, double std = 1, double a = -2, double b = 2,
                Generator? generator = null)
            {
                TruncNormal(tensor, mean, std, a, b, generator?.State);
                return tensor;
            }

            /// <summary>Fills a matrix with ones on the diagonal and zeros elsewhere.</summary>
            /// <exception cref="ArgumentException">The tensor does not have two dimensions.</exception>
            public static Tensor eye_(Tensor tensor)
            {
                if (tensor.dim() != 2) throw new ArgumentException("Only tensors with 2 dimensions are supported", nameof(tensor));
                using var off = no_grad();
                using var ones = Eye(tensor.size(0), tensor.size(1), tensor.dtype, tensor.device, false, null);
                tensor.copy_(ones);
                return tensor;
            }

            /// <summary>Fills the weight [O, I, …] of a convolution so that it preserves as many input channels as possible.</summary>
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

            /// <summary>
            /// Fills a matrix with orthonormal rows or columns, times <paramref name="gain"/>. Trailing dimensions are flattened.
            /// </summary>
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

            /// <summary>Fills a matrix from a normal distribution and zeroes a share of each column's elements.</summary>
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

            public static Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanInOut mode = FanInOut.FanIn,
                NonlinearityType nonlinearity = NonlinearityType.LeakyReLU)
            {
                if (tensor.numel() == 0) return tensor;
                var bound = Math.Sqrt(3.0) * (calculate_gain(nonlinearity, a) / Math.Sqrt(Fan(tensor, mode)));
                return uniform_(tensor, -bound, bound);
            }

            public static Tensor kaiming_normal_(Tensor tensor, double a = 0, FanInOut mode = FanInOut.FanIn,
                NonlinearityType nonlinearity = NonlinearityType.LeakyReLU) =>
                tensor.numel() == 0 ? tensor : normal_(tensor, 0, calculate_gain(nonlinearity, a) / Math.Sqrt(Fan(tensor, mode)));

            public static Tensor xavier_uniform_(Tensor tensor, double gain = 1)
            {
                var bound = Math.Sqrt(3.0) * XavierDeviation(tensor, gain);
                return uniform_(tensor, -bound, bound);
            }

            public static Tensor glorot_uniform_(Tensor tensor, double gain = 1) => xavier_uniform_(tensor, gain);

            public static Tensor xavier_normal_(Tensor tensor, double gain = 1) => normal_(tensor, 0, XavierDeviation(tensor, gain));

            public static Tensor glorot_normal_(Tensor tensor, double gain = 1) => xavier_normal_(tensor, gain);

            /// <summary>Returns fan in and fan out of a weight [O, I, …].</summary>
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

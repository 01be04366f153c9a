using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Members of Tensor that return, rearrange or replace parts of it, and some others: methods that each call one operator
/// (<see cref="AtenAttribute"/>), and methods that call those.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::matrix_H", "self")] private partial Tensor Hermitian();
        [Aten("aten::mH", "self")] private partial Tensor HermitianMatrices();
        [Aten("aten::real", "self")] private partial Tensor RealPart();
        [Aten("aten::imag", "self")] private partial Tensor ImaginaryPart();
        [Aten("aten::hsplit.int", "self, sections=size")] private partial Tensor[] Horizontal(long size);
        [Aten("aten::vsplit.int", "self, sections=size")] private partial Tensor[] Vertical(long size);
        [Aten("aten::dsplit.int", "self, sections=size")] private partial Tensor[] Deep(long size);

        public Tensor H => Hermitian();

        public Tensor mH => HermitianMatrices();

        /// <summary>Gets a view of the real parts; for a real tensor, the tensor itself.</summary>
        public Tensor real => RealPart();

        /// <summary>Gets a view of the imaginary parts.</summary>
        public Tensor imag => ImaginaryPart();

        public Tensor take_along_dim(IEnumerable<long> indices)
        {
            using var positions = tensor(indices.ToArray());
            return take_along_dim(positions);
        }

        public Tensor take_along_dim(IEnumerable<long> indices, long dim)
        {
            using var positions = tensor(indices.ToArray());
            return take_along_dim(positions, dim);
        }

        public Tensor[] hsplit(long size) => Divisible(size, ndim == 1 ? 0 : 1).Horizontal(size);

        public Tensor[] vsplit(long size) => Divisible(size, 0).Vertical(size);

        public Tensor[] dsplit(long size) => Divisible(size, 2).Deep(size);

        /// <exception cref="ArgumentException">The parts would be unequal.</exception>
        private Tensor Divisible(long size, int dimension)
        {
            if (size > 0 && dimension < ndim && Sizes[dimension] % size != 0)
                throw new ArgumentException(
                    $"Dimension {dimension} of [{string.Join(", ", Sizes)}] cannot be split into {size} equal parts.", nameof(size));
            return this;
        }

        public Tensor[] hsplit(Tensor indices) => tensor_split(indices, 1);

        public Tensor[] vsplit(Tensor indices) => tensor_split(indices, 0);

        public Tensor[] dsplit(Tensor indices) => tensor_split(indices, 2);

        public Tensor @char() => to_type(ScalarType.Int8);

        public Tensor @short() => to_type(ScalarType.Int16);

        public Tensor cfloat() => to_type(ScalarType.ComplexFloat32);

        public Tensor cdouble() => to_type(ScalarType.ComplexFloat64);

        public bool is_cpu() => device_type == DeviceType.CPU;

        public bool is_meta => device_type == DeviceType.META;
    }
}

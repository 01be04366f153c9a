using Bridge.Torch;

namespace TorchSharp;

// Members of Tensor that return, rearrange or replace parts of it, and some others: methods that each call one operator ([Aten]), and
// methods that call those.
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

        /// <summary>Gets a view of this matrix, transposed and conjugated.</summary>
        public Tensor H => Hermitian();

        /// <summary>Gets a view of this tensor with each matrix transposed and conjugated.</summary>
        public Tensor mH => HermitianMatrices();

        /// <summary>Gets a view of the real parts; for a real tensor, the tensor itself.</summary>
        public Tensor real => RealPart();

        /// <summary>Gets a view of the imaginary parts.</summary>
        public Tensor imag => ImaginaryPart();

        /// <summary>Returns elements of this tensor, flattened, at indices.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.take_along_dim.html">torch.Tensor.take_along_dim</see>.
        /// </remarks>
        /// <param name="indices">The indices.</param>
        public Tensor take_along_dim(IEnumerable<long> indices)
        {
            using var positions = tensor(indices.ToArray());
            return take_along_dim(positions);
        }

        /// <summary>Returns elements of this tensor along a dimension at indices, which have one dimension, as this tensor must.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.take_along_dim.html">torch.Tensor.take_along_dim</see>.
        /// </remarks>
        /// <param name="indices">The indices.</param>
        /// <param name="dim">The dimension.</param>
        public Tensor take_along_dim(IEnumerable<long> indices, long dim)
        {
            using var positions = tensor(indices.ToArray());
            return take_along_dim(positions, dim);
        }

        /// <summary>Splits this tensor into equal parts along its second dimension, or a vector along its only one.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.hsplit.html">torch.Tensor.hsplit</see>.
        /// </remarks>
        /// <param name="size">The number of parts.</param>
        /// <exception cref="ArgumentException">The parts would be unequal.</exception>
        public Tensor[] hsplit(long size) => Divisible(size, ndim == 1 ? 0 : 1).Horizontal(size);

        /// <summary>Splits this tensor into equal parts along its first dimension.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.vsplit.html">torch.Tensor.vsplit</see>.
        /// </remarks>
        /// <param name="size">The number of parts.</param>
        /// <exception cref="ArgumentException">The parts would be unequal.</exception>
        public Tensor[] vsplit(long size) => Divisible(size, 0).Vertical(size);

        /// <summary>Splits this tensor into equal parts along its third dimension.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.dsplit.html">torch.Tensor.dsplit</see>.
        /// </remarks>
        /// <param name="size">The number of parts.</param>
        /// <exception cref="ArgumentException">The parts would be unequal.</exception>
        public Tensor[] dsplit(long size) => Divisible(size, 2).Deep(size);

        /// <exception cref="ArgumentException">The parts would be unequal.</exception>
        private Tensor Divisible(long size, int dimension)
        {
            if (size > 0 && dimension < ndim && Sizes[dimension] % size != 0)
                throw new ArgumentException(
                    $"Dimension {dimension} of [{string.Join(", ", Sizes)}] cannot be split into {size} equal parts.", nameof(size));
            return this;
        }

        /// <summary>Splits this tensor at indices along its second dimension.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.hsplit.html">torch.Tensor.hsplit</see>.
        /// </remarks>
        /// <param name="indices">The indices at which the second and further parts begin.</param>
        public Tensor[] hsplit(Tensor indices) => tensor_split(indices, 1);

        /// <summary>Splits this tensor at indices along its first dimension.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.vsplit.html">torch.Tensor.vsplit</see>.
        /// </remarks>
        /// <param name="indices">The indices at which the second and further parts begin.</param>
        public Tensor[] vsplit(Tensor indices) => tensor_split(indices, 0);

        /// <summary>Splits this tensor at indices along its third dimension.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.dsplit.html">torch.Tensor.dsplit</see>.
        /// </remarks>
        /// <param name="indices">The indices at which the second and further parts begin.</param>
        public Tensor[] dsplit(Tensor indices) => tensor_split(indices, 2);

        /// <summary>Converts the elements of this tensor to signed bytes.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.char.html">torch.Tensor.char</see>.
        /// </remarks>
        public Tensor @char() => to_type(ScalarType.Int8);

        /// <summary>Converts the elements of this tensor to 16-bit integers.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.short.html">torch.Tensor.short</see>.
        /// </remarks>
        public Tensor @short() => to_type(ScalarType.Int16);

        /// <summary>Converts the elements of this tensor to pairs of 32-bit numbers: complex numbers.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.cfloat.html">torch.Tensor.cfloat</see>.
        /// </remarks>
        public Tensor cfloat() => to_type(ScalarType.ComplexFloat32);

        /// <summary>Converts the elements of this tensor to pairs of 64-bit numbers: complex numbers.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.cdouble.html">torch.Tensor.cdouble</see>.
        /// </remarks>
        public Tensor cdouble() => to_type(ScalarType.ComplexFloat64);

        /// <summary>Returns whether the elements of this tensor are in the memory of the CPU.</summary>
        public bool is_cpu() => device_type == DeviceType.CPU;

        /// <summary>Gets whether this tensor is on the device <c>meta</c>, and so has no elements.</summary>
        public bool is_meta => device_type == DeviceType.META;
    }
}

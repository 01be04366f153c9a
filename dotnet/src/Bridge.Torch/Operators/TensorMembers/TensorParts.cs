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
        [Aten("aten::ravel", "self")] public partial Tensor ravel();
        [Aten("aten::fliplr", "self")] public partial Tensor fliplr();
        [Aten("aten::flipud", "self")] public partial Tensor flipud();
        [Aten("aten::atleast_1d", "self")] public partial Tensor atleast_1d();
        [Aten("aten::atleast_2d", "self")] public partial Tensor atleast_2d();
        [Aten("aten::atleast_3d", "self")] public partial Tensor atleast_3d();
        [Aten("aten::adjoint", "self")] public partial Tensor adjoint();
        [Aten("aten::argwhere", "self")] public partial Tensor argwhere();
        [Aten("aten::matrix_H", "self")] private partial Tensor Hermitian();
        [Aten("aten::mH", "self")] private partial Tensor HermitianMatrices();
        [Aten("aten::real", "self")] private partial Tensor RealPart();
        [Aten("aten::imag", "self")] private partial Tensor ImaginaryPart();
        [Aten("aten::detach_", "self")] public partial Tensor detach_();
        [Aten("aten::take", "self, index")] public partial Tensor take(Tensor index);
        [Aten("aten::take_along_dim", "self, indices, dim")] private partial Tensor Along(Tensor indices, long? dim);
        [Aten("aten::index_copy", "self, dim, index, source")] public partial Tensor index_copy(long dim, Tensor index, Tensor source);
        [Aten("aten::index_fill.int_Scalar", "self, dim, index, value")]
        public partial Tensor index_fill(long dim, Tensor index, Scalar value);
        [Aten("aten::masked_scatter", "self, mask, source=value")] public partial Tensor masked_scatter(Tensor mask, Tensor value);
        [Aten("aten::index_fill_.int_Scalar", "self, dim, index, value")]
        public partial Tensor index_fill_(long dim, Tensor index, Scalar value);
        [Aten("aten::masked_scatter_", "self, mask, source=value")] public partial Tensor masked_scatter_(Tensor mask, Tensor value);
        [Aten("aten::tril_", "self, diagonal")] public partial Tensor tril_(long diagonal = 0);
        [Aten("aten::triu_", "self, diagonal")] public partial Tensor triu_(long diagonal = 0);
        [Aten("aten::diag_embed", "self, offset, dim1, dim2")]
        public partial Tensor diag_embed(long offset = 0, long dim1 = -2, long dim2 = -1);
        [Aten("aten::diagflat", "self, offset")] public partial Tensor diagflat(long offset = 0);
        [Aten("aten::diagonal", "self, offset, dim1, dim2")] public partial Tensor diagonal(long offset = 0, long dim1 = 0, long dim2 = 1);
        [Aten("aten::diagonal_scatter", "self, src, offset, dim1, dim2")]
        public partial Tensor diagonal_scatter(Tensor src, long offset = 0, long dim1 = 0, long dim2 = 1);
        [Aten("aten::select_scatter", "self, src, dim, index")] public partial Tensor select_scatter(Tensor src, long dim, long index);
        [Aten("aten::slice_scatter", "self, src, dim, start, end, step")]
        public partial Tensor slice_scatter(Tensor src, long dim = 0, long? start = null, long? end = null, long step = 1);
        [Aten("aten::rot90", "self, k, dims")] private partial Tensor Rotated(long k, long[] dims);
        [Aten("aten::channel_shuffle", "self, groups")] public partial Tensor channel_shuffle(long groups);
        [Aten("aten::vander", "x=self, N, increasing")] private partial Tensor Vander(long? N, bool increasing);
        [Aten("aten::where.self", "condition, self, other=y")] private partial Tensor Chosen(Tensor condition, Tensor y);
        [Aten("aten::tensor_split.sections", "self, sections=size, dim")] public partial Tensor[] tensor_split(long size, long dim = 0);
        [Aten("aten::tensor_split.indices", "self, indices=sizes, dim")] public partial Tensor[] tensor_split(long[] sizes, long dim = 0);
        [Aten("aten::tensor_split.tensor_indices_or_sections", "self, tensor_indices_or_sections=indices, dim")]
        public partial Tensor[] tensor_split(Tensor indices, long dim = 0);
        [Aten("aten::hsplit.int", "self, sections=size")] private partial Tensor[] Horizontal(long size);
        [Aten("aten::hsplit.array", "self, indices=sizes")] public partial Tensor[] hsplit(params long[] sizes);
        [Aten("aten::vsplit.int", "self, sections=size")] private partial Tensor[] Vertical(long size);
        [Aten("aten::vsplit.array", "self, indices=sizes")] public partial Tensor[] vsplit(params long[] sizes);
        [Aten("aten::dsplit.int", "self, sections=size")] private partial Tensor[] Deep(long size);
        [Aten("aten::dsplit.array", "self, indices=sizes")] public partial Tensor[] dsplit(params long[] sizes);
        [Aten("aten::is_pinned", "self")] public partial bool is_pinned();
        [Aten("aten::is_nonzero", "self")] public partial bool is_nonzero();

        public Tensor H => Hermitian();

        public Tensor mH => HermitianMatrices();

        /// <summary>Gets a view of the real parts; for a real tensor, the tensor itself.</summary>
        public Tensor real => RealPart();

        /// <summary>Gets a view of the imaginary parts.</summary>
        public Tensor imag => ImaginaryPart();

        public Tensor take_along_dim(Tensor indices) => Along(indices, null);

        public Tensor take_along_dim(Tensor indices, long dim) => Along(indices, dim);

        public Tensor take_along_dim(IEnumerable<long> indices)
        {
            using var positions = tensor(indices.ToArray());
            return Along(positions, null);
        }

        public Tensor take_along_dim(IEnumerable<long> indices, long dim)
        {
            using var positions = tensor(indices.ToArray());
            return Along(positions, dim);
        }

        public Tensor rot90(long k = 1, (long, long)? dims = null) => Rotated(k, dims is { } plane ? [plane.Item1, plane.Item2] : [0, 1]);

        /// <summary>Returns a Vandermonde matrix with <paramref name="N"/> columns; by default, it is square.</summary>
        public Tensor vander(long N = -1, bool increasing = false) => Vander(N < 0 ? null : N, increasing);

        public Tensor where(Tensor condition, Tensor y) => Chosen(condition, y);

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

        public Tensor[] dsplit((long, long) indices_or_sections) => dsplit([indices_or_sections.Item1, indices_or_sections.Item2]);

        public Tensor[] dsplit((long, long, long) indices_or_sections) =>
            dsplit([indices_or_sections.Item1, indices_or_sections.Item2, indices_or_sections.Item3]);

        public Tensor[] dsplit((long, long, long, long) indices_or_sections) =>
            dsplit([indices_or_sections.Item1, indices_or_sections.Item2, indices_or_sections.Item3, indices_or_sections.Item4]);

        public Tensor swapdims(long dim0, long dim1) => transpose(dim0, dim1);

        public Tensor moveaxis(long[] source, long[] destination) => movedim(source, destination);

        public Tensor @char() => to_type(ScalarType.Int8);

        public Tensor @short() => to_type(ScalarType.Int16);

        public Tensor cfloat() => to_type(ScalarType.ComplexFloat32);

        public Tensor cdouble() => to_type(ScalarType.ComplexFloat64);

        public bool is_cpu() => device_type == DeviceType.CPU;

        public bool is_meta => device_type == DeviceType.META;
    }
}

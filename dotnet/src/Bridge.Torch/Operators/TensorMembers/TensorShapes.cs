using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Members of Tensor for shapes, parts, indices, conversions, gradients and new tensors like this one: methods that each call one operator
/// (<see cref="AtenAttribute"/>), and methods that call those.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::narrow", "self, dim, start, length")] public partial Tensor narrow(long dim, long start, long length);
        [Aten("aten::repeat", "self, repeats=sizes")] public partial Tensor repeat(params long[] sizes);
        [Aten("aten::repeat_interleave.self_int", "self, repeats, dim, output_size")]
        public partial Tensor repeat_interleave(long repeats, long? dim = null, long? output_size = null);
        [Aten("aten::repeat_interleave.self_Tensor", "self, repeats, dim, output_size")]
        public partial Tensor repeat_interleave(Tensor repeats, long? dim = null, long? output_size = null);
        [Aten("aten::tile", "self, dims=reps")] public partial Tensor tile(long[] reps);
        [Aten("aten::flip", "self, dims")] public partial Tensor flip(params long[] dims);
        [Aten("aten::roll", "self, shifts, dims")] public partial Tensor roll(long[] shifts, long[] dims);
        [Aten("aten::tril", "self, diagonal")] public partial Tensor tril(long diagonal = 0);
        [Aten("aten::triu", "self, diagonal")] public partial Tensor triu(long diagonal = 0);
        [Aten("aten::diag", "self, diagonal")] public partial Tensor diag(long diagonal = 0);
        [Aten("aten::as_strided", "self, size, stride=strides, storage_offset=storageOffset")]
        public partial Tensor as_strided(long[] size, long[] strides, long storageOffset = 0);
        [Aten("aten::unfold", "self, dimension, size, step")] public partial Tensor unfold(long dimension, long size, long step);
        [Aten("aten::movedim.intlist", "self, source, destination")] public partial Tensor movedim(long[] source, long[] destination);
        [Aten("aten::unflatten.int", "self, dim, sizes")] public partial Tensor unflatten(long dim, params long[] sizes);
        [Aten("aten::view_as_real", "self")] public partial Tensor view_as_real();
        [Aten("aten::view_as_complex", "self")] public partial Tensor view_as_complex();
        [Aten("aten::numpy_T", "self")] private partial Tensor Turned();
        [Aten("aten::mT", "self")] private partial Tensor MatrixTurned();
        [Aten("aten::unsqueeze_", "self, dim")] public partial Tensor unsqueeze_(long dim);
        [Aten("aten::squeeze_", "self")] private partial Tensor Squeezed_();
        [Aten("aten::squeeze_.dim", "self, dim")] private partial Tensor Squeezed_(long dim);
        [Aten("aten::transpose_", "self, dim0, dim1")] public partial Tensor transpose_(long dim0, long dim1);

        [Aten("aten::chunk", "self, chunks, dim")] public partial Tensor[] chunk(long chunks, long dim = 0);
        [Aten("aten::split.Tensor", "self, split_size=size, dim")] public partial Tensor[] split(long size, int dim = 0);
        [Aten("aten::split_with_sizes", "self, split_sizes=sizes, dim")] public partial Tensor[] split(long[] sizes, long dim = 0);
        [Aten("aten::unbind.int", "self, dim=dimension")] public partial Tensor[] unbind(long dimension = 0);

        [Aten("aten::index.Tensor", "self, indices")] internal partial Tensor Picked(Tensor?[] indices);
        [Aten("aten::index_put_", "self, indices, values, accumulate")]
        internal partial Tensor Put_(Tensor?[] indices, Tensor values, bool accumulate);
        [Aten("aten::index_select", "self, dim, index")] public partial Tensor index_select(long dim, Tensor index);
        [Aten("aten::index_copy_", "self, dim, index, source")] public partial Tensor index_copy_(long dim, Tensor index, Tensor source);
        [Aten("aten::index_add", "self, dim, index, source, alpha")]
        public partial Tensor index_add(long dim, Tensor index, Tensor source, Scalar alpha);
        [Aten("aten::index_add_", "self, dim, index, source, alpha")]
        public partial Tensor index_add_(long dim, Tensor index, Tensor source, Scalar alpha);
        [Aten("aten::gather", "self, dim, index")] public partial Tensor gather(long dim, Tensor index);
        [Aten("aten::scatter.src", "self, dim, index, src")] public partial Tensor scatter(long dim, Tensor index, Tensor src);
        [Aten("aten::scatter_.src", "self, dim, index, src")] public partial Tensor scatter_(long dim, Tensor index, Tensor src);
        [Aten("aten::scatter_add", "self, dim, index, src")] public partial Tensor scatter_add(long dim, Tensor index, Tensor src);
        [Aten("aten::scatter_add_", "self, dim, index, src")] public partial Tensor scatter_add_(long dim, Tensor index, Tensor src);
        [Aten("aten::masked_fill.Scalar", "self, mask, value")] public partial Tensor masked_fill(Tensor mask, Scalar value);
        [Aten("aten::masked_fill_.Scalar", "self, mask, value")] public partial Tensor masked_fill_(Tensor mask, Scalar value);
        [Aten("aten::masked_select", "self, mask")] public partial Tensor masked_select(Tensor mask);
        [Aten("aten::nonzero", "self")] public partial Tensor nonzero();
        [Aten("aten::set_.source_Tensor", "self, source")] public partial Tensor set_(Tensor source);
        [Aten("aten::fill_.Scalar", "self, value")] private partial Tensor Fill_(Scalar value);

        [Aten("aten::to.dtype_layout", "self, dtype, device, copy, non_blocking")]
        private partial Tensor To(ScalarType? dtype, Device? device, bool copy, bool non_blocking);
        [Aten("aten::zeros_like", "self, dtype, device")]
        public partial Tensor zeros_like(ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
        [Aten("aten::ones_like", "self, dtype, device")]
        public partial Tensor ones_like(ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
        [Aten("aten::empty_like", "self, dtype, device")]
        public partial Tensor empty_like(ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
        [Aten("aten::full_like", "self, fill_value=value, dtype, device")]
        public partial Tensor full_like(Scalar value, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
        [Aten("aten::rand_like", "self, dtype, device")]
        public partial Tensor rand_like(ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
        [Aten("aten::randn_like", "self, dtype, device")]
        public partial Tensor randn_like(ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
        [Aten("aten::new_zeros", "self, size, dtype, device", Sizes = true)]
        public partial Tensor new_zeros(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
        [Aten("aten::new_full", "self, size, fill_value=value, dtype, device", Sizes = true)]
        public partial Tensor new_full(long[] size, Scalar value, ScalarType? dtype = null, Device? device = null,
            bool requires_grad = false);
        [Aten("aten::new_empty", "self, size, dtype, device", Sizes = true)]
        public partial Tensor new_empty(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
        [Aten("aten::new_ones", "self, size, dtype, device", Sizes = true)]
        public partial Tensor new_ones(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);

        [Aten("aten::_backward", "self, inputs, gradient, retain_graph, create_graph")]
        private partial void Backward(Tensor[] inputs, Tensor? gradient, bool? retain_graph, bool create_graph);
        [Aten("aten::retain_grad", "self")] public partial void retain_grad();
        [Aten("bridge::grad", "self")] private partial Tensor[] Grad();
        [Aten("bridge::set_grad", "self, grad=value")] private partial void SetGrad(Tensor[] value);

        public Tensor fill_(Scalar value) => Fill_(value);

        public Tensor squeeze_(long? dim = null) => dim is { } at ? Squeezed_(at) : Squeezed_();

        public Tensor T => Turned();

        public Tensor mT => MatrixTurned();

        [Aten("bridge::size", "self, dim")] private partial long OneSize(long dim);
        [Aten("aten::expand_as", "self, other")] public partial Tensor expand_as(Tensor other);
        [Aten("aten::view_as", "self, other")] public partial Tensor view_as(Tensor other);

        /// <remarks><paramref name="isImplicit"/> has no effect, as in PyTorch.</remarks>
        public Tensor expand(long[] sizes, bool isImplicit = false) => expand(sizes);

        public Tensor expand(ReadOnlySpan<long> sizes, bool isImplicit = false) => expand(sizes.ToArray());

        public Tensor broadcast_to(params long[] shape) => expand(shape);

        public Tensor swapaxes(long dim0, long dim1) => transpose(dim0, dim1);

        public Tensor roll(long shifts, long? dims = null) => roll(new[] { shifts }, dims is { } dim ? new[] { dim } : Array.Empty<long>());

        public Tensor new_zeros(ReadOnlySpan<long> size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
            new_zeros(size.ToArray(), dtype, device, requires_grad);

        public Tensor new_empty(ReadOnlySpan<long> size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
            new_empty(size.ToArray(), dtype, device, requires_grad);

        public Tensor new_full(ReadOnlySpan<long> size, Scalar value, ScalarType? dtype = null, Device? device = null,
            bool requires_grad = false) =>
            new_full(size.ToArray(), value, dtype, device, requires_grad);

        /// <summary>Returns the indices of nonzero elements, one tensor [N, 1] per dimension.</summary>
        public IList<Tensor> nonzero_as_list()
        {
            using var indices = nonzero();
            return indices.chunk(indices.Sizes[1], 1);
        }

        public Tensor roll((long, long) shifts, (long, long) dims) =>
            roll(new[] { shifts.Item1, shifts.Item2 }, new[] { dims.Item1, dims.Item2 });

        public Tensor roll((long, long, long) shifts, (long, long, long) dims) =>
            roll(new[] { shifts.Item1, shifts.Item2, shifts.Item3 }, new[] { dims.Item1, dims.Item2, dims.Item3 });

        /// <summary>Rolls along the first dimension, unlike the overload with a single number, which rolls the flattened tensor.</summary>
        public Tensor roll(long[] shifts) => roll(shifts, new long[] { 0 });

        public Tensor roll(ReadOnlySpan<long> shifts, ReadOnlySpan<long> dims = default) => roll(shifts.ToArray(), dims.ToArray());

        public Tensor permute(IEnumerable<long> permutation) => permute([.. permutation]);

        public Tensor[] split(ReadOnlySpan<long> sizes, long dim = 0) => split(sizes.ToArray(), dim);

        /// <summary>Splits along the first dimension into parts of the given sizes.</summary>
        public Tensor[] split(params long[] sizes) => split(sizes, 0L);
    }
}

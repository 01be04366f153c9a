using Bridge.Torch;

namespace TorchSharp;

// Members of Tensor for shapes, parts, indices, conversions, gradients and new tensors like this one: methods that each call one
// operator ([Aten]), and methods that call those.
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::numpy_T", "self")] private partial Tensor Turned();
        [Aten("aten::mT", "self")] private partial Tensor MatrixTurned();
        [Aten("aten::squeeze_", "self")] private partial Tensor Squeezed_();
        [Aten("aten::squeeze_.dim", "self, dim")] private partial Tensor Squeezed_(long dim);

        [Aten("aten::index.Tensor", "self, indices")] internal partial Tensor Picked(Tensor?[] indices);
        [Aten("aten::index_put_", "self, indices, values, accumulate")]
        internal partial Tensor Put_(Tensor?[] indices, Tensor values, bool accumulate);

        [Aten("aten::to.dtype_layout", "self, dtype, device, copy, non_blocking")]
        private partial Tensor To(ScalarType? dtype, Device? device, bool copy, bool non_blocking);

        /// <summary>Returns a tensor of ones of another shape, with the type and the device of this tensor.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.new_ones.html">torch.Tensor.new_ones</see>.
        /// </remarks>
        /// <param name="size">The shape.</param>
        /// <param name="dtype">The type of the result; by default that of the tensor.</param>
        /// <param name="device">The device; by default that of the tensor.</param>
        /// <param name="requires_grad">Whether the result records operators for its gradient.</param>
        [Aten("aten::new_ones", "self, size, dtype, device")]
        public partial Tensor new_ones(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);

        [Aten("aten::_backward", "self, inputs, gradient, retain_graph, create_graph")]
        private partial void Backward(Tensor[] inputs, Tensor? gradient, bool? retain_graph, bool create_graph);
        [Aten("bridge::grad", "self")] private partial Tensor[] Grad();
        [Aten("bridge::set_grad", "self, grad=value")] private partial void SetGrad(Tensor[] value);

        /// <summary>Removes a dimension, or by default all dimensions, of size 1 from this tensor, in place.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.squeeze_.html">torch.Tensor.squeeze_</see>.
        /// </remarks>
        /// <param name="dim">The dimension, which is kept if its size is not 1; by default all.</param>
        /// <returns>This tensor.</returns>
        public Tensor squeeze_(long? dim = null) => dim is { } at ? Squeezed_(at) : Squeezed_();

        /// <summary>Gets a view of this tensor with its dimensions in reverse order.</summary>
        public Tensor T => Turned();

        /// <summary>Gets a view of this tensor with each matrix transposed.</summary>
        public Tensor mT => MatrixTurned();

        [Aten("bridge::size", "self, dim")] private partial long OneSize(long dim);

        /// <summary>Shifts this tensor along a dimension; by default, shifts all elements in their order.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.roll.html">torch.Tensor.roll</see>.
        /// </remarks>
        /// <param name="shifts">The number of places by which to shift.</param>
        /// <param name="dims">The dimension; by default the tensor counts as flattened.</param>
        public Tensor roll(long shifts, long? dims = null) => roll(new[] { shifts }, dims is { } dim ? new[] { dim } : Array.Empty<long>());

        /// <summary>Returns the indices of nonzero elements, one tensor of shape (N, 1) for each dimension.</summary>
        public IList<Tensor> nonzero_as_list()
        {
            using var indices = nonzero();
            return indices.chunk(indices.Sizes[1], 1);
        }

        /// <summary>Shifts this tensor along its first dimension, unlike the overload with a number.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.roll.html">torch.Tensor.roll</see>.
        /// </remarks>
        /// <param name="shifts">The number of places by which to shift, as an array of one number.</param>
        public Tensor roll(long[] shifts) => roll(shifts, new long[] { 0 });
    }
}

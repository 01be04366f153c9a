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
        [Aten("aten::numpy_T", "self")] private partial Tensor Turned();
        [Aten("aten::mT", "self")] private partial Tensor MatrixTurned();
        [Aten("aten::squeeze_", "self")] private partial Tensor Squeezed_();
        [Aten("aten::squeeze_.dim", "self, dim")] private partial Tensor Squeezed_(long dim);

        [Aten("aten::index.Tensor", "self, indices")] internal partial Tensor Picked(Tensor?[] indices);
        [Aten("aten::index_put_", "self, indices, values, accumulate")]
        internal partial Tensor Put_(Tensor?[] indices, Tensor values, bool accumulate);

        [Aten("aten::to.dtype_layout", "self, dtype, device, copy, non_blocking")]
        private partial Tensor To(ScalarType? dtype, Device? device, bool copy, bool non_blocking);
        [Aten("aten::new_ones", "self, size, dtype, device")]
        public partial Tensor new_ones(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false);

        [Aten("aten::_backward", "self, inputs, gradient, retain_graph, create_graph")]
        private partial void Backward(Tensor[] inputs, Tensor? gradient, bool? retain_graph, bool create_graph);
        [Aten("bridge::grad", "self")] private partial Tensor[] Grad();
        [Aten("bridge::set_grad", "self, grad=value")] private partial void SetGrad(Tensor[] value);

        public Tensor squeeze_(long? dim = null) => dim is { } at ? Squeezed_(at) : Squeezed_();

        public Tensor T => Turned();

        public Tensor mT => MatrixTurned();

        [Aten("bridge::size", "self, dim")] private partial long OneSize(long dim);

        public Tensor roll(long shifts, long? dims = null) => roll(new[] { shifts }, dims is { } dim ? new[] { dim } : Array.Empty<long>());

        /// <summary>Returns the indices of nonzero elements, one tensor [N, 1] per dimension.</summary>
        public IList<Tensor> nonzero_as_list()
        {
            using var indices = nonzero();
            return indices.chunk(indices.Sizes[1], 1);
        }

        /// <summary>Rolls along the first dimension, unlike the overload with a single number, which rolls the flattened tensor.</summary>
        public Tensor roll(long[] shifts) => roll(shifts, new long[] { 0 });
    }
}

using Bridge.Torch;

namespace TorchSharp;

// Basic members of Tensor: methods that each call one operator ([Aten]), and methods that call those.
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::alias", "self")] private partial Tensor View();
        [Aten("aten::set_data", "self, new_data=source")] internal partial void SetData(Tensor source);

        /// <summary>Fills this tensor with the number in another tensor, in place.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.fill_.html">torch.Tensor.fill_</see>.
        /// </remarks>
        /// <param name="value">A tensor without dimensions.</param>
        /// <returns>This tensor.</returns>
        [Aten("aten::fill_.Tensor", "self, value")] public partial Tensor fill_(Tensor value);

        [Aten("aten::squeeze", "self")] private partial Tensor Squeezed();
        [Aten("aten::squeeze.dim", "self, dim")] private partial Tensor Squeezed(long dim);

        /// <summary>Places matrices on the diagonal of a larger matrix, as <see cref="torch.block_diag"/> does.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.block_diag.html">torch.block_diag</see>.
        /// </remarks>
        /// <param name="tensors">The matrices, of shape (n, m), or vectors or numbers.</param>
        [Aten("aten::block_diag", "tensors")] public static partial Tensor block_diag(params Tensor[] tensors);

        /// <summary>Divides this tensor by another, without rounding.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.div.html">torch.Tensor.div</see>.
        /// </remarks>
        /// <param name="target">The other operand, which is broadcast.</param>
        [Aten("aten::div.Tensor", "self, other=target")] public partial Tensor div(Tensor target);

        [Aten("aten::equal", "self, other=target")] private partial bool Same(Tensor target);
        [Aten("aten::is_leaf", "self")] private partial bool IsLeaf();

        [Aten("aten::to.dtype", "self, dtype=type, copy, non_blocking")]
        private partial Tensor Typed(ScalarType type, bool copy, bool non_blocking);

        /// <summary>Gets whether this tensor is a leaf: it needs no gradient, or no recorded operator has computed it.</summary>
        public bool is_leaf => IsLeaf();

        /// <summary>Removes a dimension, or by default all dimensions, of size 1 from this tensor.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.squeeze.html">torch.Tensor.squeeze</see>.
        /// </remarks>
        /// <param name="dim">The dimension, which is kept if its size is not 1; by default all.</param>
        public Tensor squeeze(long? dim = null) => dim is { } at ? Squeezed(at) : Squeezed();

        /// <summary>Returns another C# object for the same TensorImpl. Python sees one object.</summary>
        public Tensor alias() => Own(NewHandle());
    }
}

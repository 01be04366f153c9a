using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Basic members of Tensor: methods that each call one operator (<see cref="AtenAttribute"/>), and methods that call those.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::alias", "self")] private partial Tensor View();
        [Aten("aten::set_data", "self, new_data=source")] internal partial void SetData(Tensor source);
        [Aten("aten::fill_.Tensor", "self, value")] public partial Tensor fill_(Tensor value);

        [Aten("aten::squeeze", "self")] private partial Tensor Squeezed();
        [Aten("aten::squeeze.dim", "self, dim")] private partial Tensor Squeezed(long dim);

        [Aten("aten::block_diag", "tensors")] public static partial Tensor block_diag(params Tensor[] tensors);
        [Aten("aten::div.Tensor", "self, other=target")] public partial Tensor div(Tensor target);

        [Aten("aten::equal", "self, other=target")] private partial bool Same(Tensor target);
        [Aten("aten::is_leaf", "self")] private partial bool IsLeaf();

        [Aten("aten::to.dtype", "self, dtype=type, copy, non_blocking")]
        private partial Tensor Typed(ScalarType type, bool copy, bool non_blocking);

        public bool is_leaf => IsLeaf();

        public Tensor squeeze(long? dim = null) => dim is { } at ? Squeezed(at) : Squeezed();

        /// <summary>Returns another C# object for the same TensorImpl. Python sees one object.</summary>
        public Tensor alias() => Own(NewHandle());
    }
}

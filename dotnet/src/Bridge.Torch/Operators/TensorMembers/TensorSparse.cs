using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>
    /// Members of Tensor for sparse and quantized tensors, and others: methods that each call one operator (<see cref="AtenAttribute"/>).
    /// </summary>
    public partial class Tensor
    {
        [Aten("aten::dequantize.self", "self")] public partial Tensor dequantize();
        [Aten("aten::to_dense", "self")] public partial Tensor to_dense();
        [Aten("aten::to_sparse", "self")] public partial Tensor to_sparse();
        [Aten("aten::to_sparse.sparse_dim", "self, sparse_dim")] public partial Tensor to_sparse(int sparse_dim);
        [Aten("aten::pin_memory", "self")] public partial Tensor pin_memory();
        [Aten("aten::block_diag", "tensors")] public static partial Tensor block_diag(params Tensor[] tensors);
        [Aten("aten::float_power_.Tensor", "self, exponent=target")] public partial Tensor float_power_(Tensor target);
    }
}

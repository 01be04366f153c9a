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
        [Aten("aten::clone", "self")] public partial Tensor clone();
        [Aten("aten::detach", "self")] public partial Tensor detach();
        [Aten("aten::contiguous", "self")] public partial Tensor contiguous();
        [Aten("aten::copy_", "self, src=source, non_blocking=nonBlocking")]
        public partial Tensor copy_(Tensor source, bool nonBlocking = false);
        [Aten("aten::set_data", "self, new_data=source")] internal partial void SetData(Tensor source);
        [Aten("aten::zero_", "self")] public partial Tensor zero_();
        [Aten("aten::fill_.Tensor", "self, value")] public partial Tensor fill_(Tensor value);
        [Aten("aten::uniform_", "self, from, to, generator")]
        public partial Tensor uniform_(double from, double to, Generator? generator = null);
        [Aten("aten::normal_", "self, mean, std, generator")]
        public partial Tensor normal_(double mean = 0, double std = 1, Generator? generator = null);

        [Aten("aten::view", "self, size=shape")] public partial Tensor view(params long[] shape);
        [Aten("aten::reshape", "self, shape")] public partial Tensor reshape(params long[] shape);
        [Aten("aten::flatten.using_ints", "self, start_dim, end_dim")] public partial Tensor flatten(long start_dim = 0, long end_dim = -1);
        [Aten("aten::permute", "self, dims=permutation")] public partial Tensor permute(params long[] permutation);
        [Aten("aten::transpose.int", "self, dim0, dim1")] public partial Tensor transpose(long dim0, long dim1);
        [Aten("aten::t", "self")] public partial Tensor t();
        [Aten("aten::unsqueeze", "self, dim")] public partial Tensor unsqueeze(long dim);
        [Aten("aten::squeeze", "self")] private partial Tensor Squeezed();
        [Aten("aten::squeeze.dim", "self, dim")] private partial Tensor Squeezed(long dim);
        [Aten("aten::expand", "self, size=sizes")] public partial Tensor expand(params long[] sizes);
        [Aten("aten::slice.Tensor", "self, dim, start, end=finish, step")]
        public partial Tensor slice(long dim, long start, long finish, long step);
        [Aten("aten::select.int", "self, dim, index")] public partial Tensor select(long dim, long index);

        [Aten("aten::relu", "self")] public partial Tensor relu();
        [Aten("aten::relu_", "self")] public partial Tensor relu_();
        [Aten("aten::sigmoid", "self")] public partial Tensor sigmoid();
        [Aten("aten::tanh", "self")] public partial Tensor tanh();
        [Aten("aten::exp", "self")] public partial Tensor exp();
        [Aten("aten::neg", "self")] public partial Tensor neg();
        [Aten("aten::reciprocal", "self")] public partial Tensor reciprocal();
        [Aten("aten::diff", "self, n, dim, prepend, append")]
        public partial Tensor diff(long n = 1, long dim = -1, Tensor? prepend = null, Tensor? append = null);
        [Aten("aten::abs", "self")] public partial Tensor abs();
        [Aten("aten::sqrt", "self")] public partial Tensor sqrt();
        [Aten("aten::prelu", "self, weight=target")] public partial Tensor prelu(Tensor target);
        [Aten("aten::softmax.int", "self, dim, dtype")] public partial Tensor softmax(long dim, ScalarType? dtype = null);
        [Aten("aten::matmul", "self, other=target")] public partial Tensor matmul(Tensor target);
        [Aten("aten::mul.Tensor", "self, other=target")] public partial Tensor mul(Tensor target);
        [Aten("aten::mul_.Tensor", "self, other=target")] public partial Tensor mul_(Tensor target);
        [Aten("aten::div.Tensor", "self, other=target")] public partial Tensor div(Tensor target);
        [Aten("aten::sum", "self, dtype=type")] public partial Tensor sum(ScalarType? type = null);
        [Aten("aten::mean", "self")] public partial Tensor mean();
        [Aten("aten::max", "self")] public partial Tensor max();
        [Aten("aten::min", "self")] public partial Tensor min();
        [Aten("aten::eq.Tensor", "self, other=target")] public partial Tensor eq(Tensor target);
        [Aten("aten::gt.Tensor", "self, other=target")] public partial Tensor gt(Tensor target);
        [Aten("aten::lt.Tensor", "self, other=target")] public partial Tensor lt(Tensor target);
        [Aten("aten::all", "self")] public partial Tensor all();

        [Aten("aten::equal", "self, other=target")] private partial bool Same(Tensor target);
        [Aten("aten::is_leaf", "self")] private partial bool IsLeaf();

        [Aten("aten::is_neg", "self")] public partial bool is_neg();
        [Aten("aten::is_conj", "self")] public partial bool is_conj();
        [Aten("aten::resolve_neg", "self")] public partial Tensor resolve_neg();
        [Aten("aten::resolve_conj", "self")] public partial Tensor resolve_conj();

        [Aten("aten::to.dtype", "self, dtype=type, copy, non_blocking")]
        private partial Tensor Typed(ScalarType type, bool copy, bool non_blocking);

        public bool is_leaf => IsLeaf();

        public Tensor squeeze(long? dim = null) => dim is { } at ? Squeezed(at) : Squeezed();

        /// <summary>Returns another C# object for the same TensorImpl. Python sees one object.</summary>
        public Tensor alias() => Own(NewHandle());
    }
}

namespace TorchSharp;

/// <summary>More functions of <c>torch</c> that call the member of the same name on their first argument.</summary>
public static partial class torch
{
    public static Tensor scatter_add_(Tensor input, long dim, Tensor index, Tensor src) => input.scatter_add_(dim, index, src);
    public static Tensor clamp_max(Tensor input, Scalar max) => input.clamp_max(max);
    public static Tensor clamp_min(Tensor input, Scalar min) => input.clamp_min(min);
    public static Tensor unflatten(Tensor input, long dim, params long[] sizes) => input.unflatten(dim, sizes);
    public static bool is_conj(Tensor input) => input.is_conj();
    public static Tensor index_add(Tensor input, long dim, Tensor index, Tensor source, Scalar alpha) =>
        input.index_add(dim, index, source, alpha);
    public static Tensor index_add_(Tensor input, long dim, Tensor index, Tensor source, Scalar alpha) =>
        input.index_add_(dim, index, source, alpha);
    public static Tensor index_copy_(Tensor input, long dim, Tensor index, Tensor source) => input.index_copy_(dim, index, source);
    public static Tensor select(Tensor input, long dim, long index) => input.select(dim, index);
    public static Tensor scatter_(Tensor input, long dim, Tensor index, Tensor src) => input.scatter_(dim, index, src);
    public static Tensor scatter_add(Tensor input, long dim, Tensor index, Tensor src) => input.scatter_add(dim, index, src);
    public static Tensor swapaxes(Tensor input, long axis0, long axis1) => input.swapaxes(axis0, axis1);
    public static Tensor unsqueeze_(Tensor input, long dim) => input.unsqueeze_(dim);
    public static Tensor broadcast_to(Tensor input, params long[] shape) => input.broadcast_to(shape);
    public static Tensor resolve_conj(Tensor input) => input.resolve_conj();
    public static Tensor resolve_neg(Tensor input) => input.resolve_neg();
    public static Tensor add_(Tensor left, Tensor right) => left.add_(right);
    public static Tensor add_(Tensor left, Scalar right) => left.add_(right);
    public static Tensor add_(Tensor left, Tensor right, Scalar alpha) => left.add_(right, alpha);
    public static Tensor add_(Tensor left, Scalar right, Scalar alpha) => left.add_(right, alpha);
    public static Tensor bitwise_xor(Tensor left, Tensor right) => left.bitwise_xor(right);
    public static Tensor clamp_(Tensor input, Scalar? min = null, Scalar? max = null) => input.clamp_(min, max);
    public static Tensor clip(Tensor input, Scalar? min = null, Scalar? max = null) => input.clip(min, max);
    public static Tensor exp2(Tensor input) => input.exp2();
    public static Tensor mul_(Tensor left, Tensor right) => left.mul_(right);
    public static Tensor mul_(Tensor left, Scalar right) => left.mul_(right);
    public static Tensor pow_(Tensor left, Scalar exponent) => left.pow_(exponent);
    public static Tensor sigmoid_(Tensor input) => input.sigmoid_();
    public static Tensor sub_(Tensor left, Tensor right) => left.sub_(right);
    public static Tensor sub_(Tensor left, Scalar right) => left.sub_(right);
    public static Tensor all(Tensor input, long dim, bool keepdim = false) => input.all(dim, keepdim);
    public static Tensor any(Tensor input, long dim, bool keepdim = false) => input.any(dim, keepdim);
    public static Tensor prod(Tensor input, ScalarType? type = null) => input.prod(type);
    public static Tensor prod(Tensor input, long dim, bool keepdim = false, ScalarType? type = null) => input.prod(dim, keepdim, type);
    public static Tensor sum(Tensor input, ScalarType? type = null) => input.sum(type);
    public static long numel(Tensor input) => input.numel();
}

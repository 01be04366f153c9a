using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Members of Tensor that reduce, accumulate, sort or sample it: methods that each call one operator (<see cref="AtenAttribute"/>), and
/// others.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::sum.dim_IntList", "self, dim, keepdim, dtype=type")]
        public partial Tensor sum(long[] dim, bool keepdim = false, ScalarType? type = null);
        [Aten("aten::mean.dim", "self, dim=dimensions, keepdim, dtype=type")]
        public partial Tensor mean(long[] dimensions, bool keepdim = false, ScalarType? type = null);
        [Aten("aten::prod", "self, dtype=type")] public partial Tensor prod(ScalarType? type = null);
        [Aten("aten::prod.dim_int", "self, dim, keepdim, dtype=type")]
        public partial Tensor prod(long dim, bool keepdim = false, ScalarType? type = null);
        [Aten("aten::std", "self, unbiased")] public partial Tensor std(bool unbiased = true);
        [Aten("aten::std.dim", "self, dim=dimensions, unbiased, keepdim")]
        private partial Tensor Std(long[] dimensions, bool unbiased, bool keepdim);
        [Aten("aten::var", "self, unbiased")] public partial Tensor var(bool unbiased = true);
        [Aten("aten::var.dim", "self, dim=dimensions, unbiased, keepdim")]
        private partial Tensor Var(long[] dimensions, bool unbiased, bool keepdim);
        [Aten("aten::norm.Scalar", "self, p")] private partial Tensor Norm(Scalar p);
        [Aten("aten::norm.ScalarOpt_dim", "self, p, dim=[dim], keepdim")] private partial Tensor Norm(Scalar p, long dim, bool keepdim);
        [Aten("aten::max.dim", "self, dim, keepdim")] public partial (Tensor values, Tensor indexes) max(long dim, bool keepdim = false);
        [Aten("aten::min.dim", "self, dim, keepdim")] public partial (Tensor values, Tensor indexes) min(long dim, bool keepdim = false);
        [Aten("aten::amax", "self, dim=dims, keepdim")] private partial Tensor Greatest(long[] dims, bool keepdim);
        [Aten("aten::amax.out", "self, dim=dims, keepdim, out=@out")]
        private partial Tensor Greatest(long[] dims, bool keepdim, Tensor @out);
        [Aten("aten::amin", "self, dim=dims, keepdim")] private partial Tensor Least(long[] dims, bool keepdim);
        [Aten("aten::amin.out", "self, dim=dims, keepdim, out=@out")] private partial Tensor Least(long[] dims, bool keepdim, Tensor @out);
        [Aten("aten::argmax", "self, dim, keepdim")] private partial Tensor Argmax(long? dim, bool keepdim);
        [Aten("aten::argmin", "self, dim, keepdim")] private partial Tensor Argmin(long? dim, bool keepdim);
        [Aten("aten::argsort", "self, dim, descending")] public partial Tensor argsort(long dim = -1, bool descending = false);
        [Aten("aten::sort.stable", "self, stable, dim, descending")]
        public partial (Tensor Values, Tensor Indices) sort(long dim = -1, bool descending = false, bool stable = false);
        [Aten("aten::topk", "self, k, dim, largest, sorted")]
        public partial (Tensor values, Tensor indexes) topk(int k, int dim = -1, bool largest = true, bool sorted = true);
        [Aten("aten::cumsum", "self, dim, dtype=type")] public partial Tensor cumsum(long dim, ScalarType? type = null);
        [Aten("aten::cumprod", "self, dim, dtype=type")] public partial Tensor cumprod(long dim, ScalarType? type = null);
        [Aten("aten::logsumexp", "self, dim=[dim], keepdim")] public partial Tensor logsumexp(long dim, bool keepdim = false);
        [Aten("aten::logcumsumexp", "self, dim")] public partial Tensor logcumsumexp(long dim);
        [Aten("aten::all.dim", "self, dim, keepdim")] public partial Tensor all(long dim, bool keepdim = false);
        [Aten("aten::any", "self")] public partial Tensor any();
        [Aten("aten::any.dim", "self, dim, keepdim")] public partial Tensor any(long dim, bool keepdim = false);
        [Aten("aten::multinomial", "self, num_samples, replacement, generator")]
        public partial Tensor multinomial(long num_samples, bool replacement = false, Generator? generator = null);
        [Aten("aten::bernoulli", "self, generator")] public partial Tensor bernoulli(Generator? generator = null);

        public Tensor sum(long dim, bool keepdim = false, ScalarType? type = null) => sum([dim], keepdim, type);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public Tensor std(long[] dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            Std(dimensions, unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public Tensor std(ReadOnlySpan<long> dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            Std(dimensions.ToArray(), unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public Tensor std(long dim, bool unbiased = true, bool keepdim = false, ScalarType? type = null) => Std([dim], unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public Tensor std((long, long) dim, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            Std([dim.Item1, dim.Item2], unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public Tensor std((long, long, long) dim, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            Std([dim.Item1, dim.Item2, dim.Item3], unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public Tensor var(long[] dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            Var(dimensions, unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public Tensor var(ReadOnlySpan<long> dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            Var(dimensions.ToArray(), unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public Tensor var(long dim, bool unbiased = true, bool keepdim = false, ScalarType? type = null) => Var([dim], unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public Tensor var((long, long) dim, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            Var([dim.Item1, dim.Item2], unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public Tensor var((long, long, long) dim, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            Var([dim.Item1, dim.Item2, dim.Item3], unbiased, keepdim);

        public Tensor amax(params long[] dims) => Greatest(dims, false);

        /// <remarks>The result is written to <paramref name="out"/>, if given.</remarks>
        public Tensor amax(long[] dims, bool keepdim = false, Tensor? @out = null) =>
            @out is null ? Greatest(dims, keepdim) : Greatest(dims, keepdim, @out);

        public Tensor amax(ReadOnlySpan<long> dims, bool keepdim = false, Tensor? @out = null) => amax(dims.ToArray(), keepdim, @out);

        public Tensor amin(params long[] dims) => Least(dims, false);

        /// <remarks>The result is written to <paramref name="out"/>, if given.</remarks>
        public Tensor amin(long[] dims, bool keepdim = false, Tensor? @out = null) =>
            @out is null ? Least(dims, keepdim) : Least(dims, keepdim, @out);

        public Tensor amin(ReadOnlySpan<long> dims, bool keepdim = false, Tensor? @out = null) => amin(dims.ToArray(), keepdim, @out);

        public Tensor sum(ReadOnlySpan<long> dim, bool keepdim = false, ScalarType? type = null) => sum(dim.ToArray(), keepdim, type);

        public Tensor sum(long dim0, long dim1, bool keepdim = false, ScalarType? type = null) => sum([dim0, dim1], keepdim, type);

        public Tensor sum(long dim0, long dim1, long dim2, bool keepdim = false, ScalarType? type = null) =>
            sum([dim0, dim1, dim2], keepdim, type);

        public Tensor norm(float p = 2) => Norm(p);

        public Tensor norm(int dim, bool keepdim = false, float p = 2) => Norm(p, dim, keepdim);

        public Tensor max(Tensor other) => maximum(other);

        public Tensor min(Tensor other) => minimum(other);

        public Tensor argmax() => Argmax(null, false);

        public Tensor argmax(long dim, bool keepdim = false) => Argmax(dim, keepdim);

        public Tensor argmin() => Argmin(null, false);

        public Tensor argmin(long dim, bool keepdim = false) => Argmin(dim, keepdim);
    }
}

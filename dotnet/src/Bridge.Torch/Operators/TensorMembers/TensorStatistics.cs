using Bridge.Torch;

namespace TorchSharp;

/// <summary>Statistical members of Tensor: methods that each call one operator (<see cref="AtenAttribute"/>), and others.</summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::median", "self")] public partial Tensor median();
        [Aten("aten::nanmedian", "self")] public partial Tensor nanmedian();
        [Aten("aten::nansum", "self")] public partial Tensor nansum();
        [Aten("aten::msort", "self")] public partial Tensor msort();
        [Aten("aten::corrcoef", "self")] public partial Tensor corrcoef();
        [Aten("aten::cov", "self, correction, fweights, aweights")]
        public partial Tensor cov(long correction = 1, Tensor? fweights = null, Tensor? aweights = null);
        [Aten("aten::aminmax", "self, dim, keepdim")]
        public partial (Tensor min, Tensor max) aminmax(long? dim = null, bool keepdim = false);
        [Aten("aten::count_nonzero", "self, dim")] private partial Tensor Nonzeros(long? dim);
        [Aten("aten::count_nonzero.dim_IntList", "self, dim=dims")] private partial Tensor Nonzeros(long[] dims);
        [Aten("aten::quantile", "self, q, dim, keepdim")] private partial Tensor Quantile(Tensor q, long? dim, bool keepdim);
        [Aten("aten::nanquantile", "self, q, dim, keepdim")] private partial Tensor Nanquantile(Tensor q, long? dim, bool keepdim);
        [Aten("aten::mode", "self, dim, keepdim")] public partial (Tensor values, Tensor indices) mode(long dim = -1, bool keepdim = false);
        [Aten("aten::kthvalue", "self, k, dim, keepdim")]
        private partial (Tensor values, Tensor indices) Kth(long k, long dim, bool keepdim);
        [Aten("aten::nanmean", "self, dim, keepdim, dtype")] private partial Tensor Nanmean(long[]? dim, bool keepdim, ScalarType? dtype);
        [Aten("aten::std_mean", "self, unbiased")] public partial (Tensor std, Tensor mean) std_mean(bool unbiased = true);
        [Aten("aten::std_mean.dim", "self, dim=dimensions, unbiased, keepdim")]
        private partial (Tensor, Tensor) StdMean(long[] dimensions, bool unbiased, bool keepdim);
        [Aten("aten::var_mean", "self, unbiased")] public partial (Tensor var, Tensor mean) var_mean(bool unbiased = true);
        [Aten("aten::var_mean.dim", "self, dim=dimensions, unbiased, keepdim")]
        private partial (Tensor, Tensor) VarMean(long[] dimensions, bool unbiased, bool keepdim);
        [Aten("aten::cummax", "self, dim")] public partial (Tensor values, Tensor indexes) cummax(long dim);
        [Aten("aten::cummin", "self, dim")] public partial (Tensor values, Tensor indexes) cummin(long dim);
        [Aten("aten::histc", "self, bins, min, max")] private partial Tensor Histogram(long bins, Scalar min, Scalar max);
        [Aten("aten::bincount", "self, weights, minlength")] public partial Tensor bincount(Tensor? weights, long minlength = 0);
        [Aten("aten::trapezoid.dx", "y=self, dx, dim")] private partial Tensor Trapezoid(Scalar dx, long dim);
        [Aten("aten::trapezoid.x", "y=self, x, dim")] public partial Tensor trapezoid(Tensor x, long dim = -1);
        [Aten("aten::cumulative_trapezoid.dx", "y=self, dx, dim")] private partial Tensor CumulativeTrapezoid(Scalar dx, long dim);
        [Aten("aten::cumulative_trapezoid.x", "y=self, x, dim")] public partial Tensor cumulative_trapezoid(Tensor x, long dim = -1);
        [Aten("aten::_unique2", "self, sorted, return_inverse, return_counts")]
        private partial (Tensor, Tensor, Tensor) Unique(bool sorted, bool return_inverse, bool return_counts);
        [Aten("aten::unique_dim", "self, dim, sorted, return_inverse, return_counts")]
        private partial (Tensor, Tensor, Tensor) UniqueAlong(long dim, bool sorted, bool return_inverse, bool return_counts);
        [Aten("aten::unique_consecutive", "self, return_inverse, return_counts, dim")]
        private partial (Tensor, Tensor, Tensor) Runs(bool return_inverse, bool return_counts, long? dim);

        public Tensor count_nonzero(long[]? dims = null) => dims is null or [] ? Nonzeros((long?)null) : Nonzeros(dims);

        public Tensor quantile(Tensor q, long dim = -1, bool keepdim = false) => Quantile(q, dim, keepdim);

        public Tensor nanquantile(Tensor q, long dim = -1, bool keepdim = false) => Nanquantile(q, dim, keepdim);

        public (Tensor values, Tensor indices) kthvalue(long k, long? dim, bool keepdim = false) => Kth(k, dim ?? -1, keepdim);

        [Obsolete("Use torch.kthvalue.")]
        public static (Tensor values, Tensor indices) kthvalue(Tensor input, long k, long? dim, bool keepdim = false) =>
            input.kthvalue(k, dim, keepdim);

        /// <summary>Returns the mean without NaNs along a dimension; by default the last one, as in TorchSharp.</summary>
        public Tensor nanmean(int? dim = null, bool keepdim = false, ScalarType? dtype = null) =>
            Nanmean([dim ?? -1], keepdim, dtype ?? this.dtype);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public (Tensor std, Tensor mean) std_mean(long[] dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            StdMean(dimensions, unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public (Tensor std, Tensor mean) std_mean(ReadOnlySpan<long> dimensions, bool unbiased = true, bool keepdim = false,
            ScalarType? type = null) =>
            StdMean(dimensions.ToArray(), unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public (Tensor std, Tensor mean) std_mean(long dim, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            StdMean([dim], unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public (Tensor std, Tensor mean) std_mean((long, long) dim, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            StdMean([dim.Item1, dim.Item2], unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public (Tensor std, Tensor mean) std_mean((long, long, long) dim, bool unbiased = true, bool keepdim = false,
            ScalarType? type = null) =>
            StdMean([dim.Item1, dim.Item2, dim.Item3], unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public (Tensor std, Tensor mean) var_mean(long[] dimensions, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            VarMean(dimensions, unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public (Tensor std, Tensor mean) var_mean(ReadOnlySpan<long> dimensions, bool unbiased = true, bool keepdim = false,
            ScalarType? type = null) =>
            VarMean(dimensions.ToArray(), unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public (Tensor var, Tensor mean) var_mean(long dim, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            VarMean([dim], unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public (Tensor var, Tensor mean) var_mean((long, long) dim, bool unbiased = true, bool keepdim = false, ScalarType? type = null) =>
            VarMean([dim.Item1, dim.Item2], unbiased, keepdim);

        /// <remarks><paramref name="type"/> has no effect, as in TorchSharp.</remarks>
        public (Tensor var, Tensor mean) var_mean((long, long, long) dim, bool unbiased = true, bool keepdim = false,
            ScalarType? type = null) =>
            VarMean([dim.Item1, dim.Item2, dim.Item3], unbiased, keepdim);

        public Tensor histc(long bins = 100, long min = 0, long max = 0) => Histogram(bins, min, max);

        public Tensor trapezoid(double dx = 1, long dim = -1) => Trapezoid(dx, dim);

        public Tensor cumulative_trapezoid(double dx = 1, long dim = -1) => CumulativeTrapezoid(dx, dim);

        /// <summary>
        /// Returns the distinct elements and, if requested, each element's index among them and the count of each.
        /// </summary>
        public (Tensor output, Tensor? inverse_indices, Tensor? counts) unique(bool sorted = true, bool return_inverse = false,
            bool return_counts = false, int? dim = null) =>
            Asked(dim is { } at ? UniqueAlong(at, sorted, return_inverse, return_counts)
                : Unique(sorted, return_inverse, return_counts), return_inverse, return_counts);

        /// <summary>Removes consecutive duplicates; also returns inverse indices and counts if requested.</summary>
        public (Tensor output, Tensor? inverse_indices, Tensor? counts) unique_consecutive(bool return_inverse = false,
            bool return_counts = false, int? dim = null) =>
            Asked(Runs(return_inverse, return_counts, dim), return_inverse, return_counts);

        private static (Tensor, Tensor?, Tensor?) Asked((Tensor Output, Tensor Inverse, Tensor Counts) found, bool inverse, bool counts)
        {
            if (!inverse) found.Inverse.Dispose();
            if (!counts) found.Counts.Dispose();
            return (found.Output, inverse ? found.Inverse : null, counts ? found.Counts : null);
        }
    }
}

using Bridge.Torch;

namespace TorchSharp;

/// <summary>Statistical members of Tensor: methods that each call one operator (<see cref="AtenAttribute"/>), and others.</summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::count_nonzero", "self, dim")] private partial Tensor Nonzeros(long? dim);
        [Aten("aten::count_nonzero.dim_IntList", "self, dim=dims")] private partial Tensor Nonzeros(long[] dims);
        [Aten("aten::nanmean", "self, dim, keepdim, dtype")] private partial Tensor Nanmean(long[]? dim, bool keepdim, ScalarType? dtype);
        [Aten("aten::_unique2", "self, sorted, return_inverse, return_counts")]
        private partial (Tensor, Tensor, Tensor) Unique(bool sorted, bool return_inverse, bool return_counts);
        [Aten("aten::unique_dim", "self, dim, sorted, return_inverse, return_counts")]
        private partial (Tensor, Tensor, Tensor) UniqueAlong(long dim, bool sorted, bool return_inverse, bool return_counts);
        [Aten("aten::unique_consecutive", "self, return_inverse, return_counts, dim")]
        private partial (Tensor, Tensor, Tensor) Runs(bool return_inverse, bool return_counts, long? dim);

        public Tensor count_nonzero(long[]? dims = null) => dims is null or [] ? Nonzeros((long?)null) : Nonzeros(dims);

        [Obsolete("Use torch.kthvalue.")]
        public static (Tensor values, Tensor indices) kthvalue(Tensor input, long k, long? dim, bool keepdim = false) =>
            input.kthvalue(k, dim, keepdim);

        /// <summary>Returns the mean without NaNs along a dimension; by default the last one, as in TorchSharp.</summary>
        public Tensor nanmean(int? dim = null, bool keepdim = false, ScalarType? dtype = null) =>
            Nanmean([dim ?? -1], keepdim, dtype ?? this.dtype);

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

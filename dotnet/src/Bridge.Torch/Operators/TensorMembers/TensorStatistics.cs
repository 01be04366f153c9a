using Bridge.Torch;

namespace TorchSharp;

// Statistical members of Tensor: methods that each call one operator ([Aten]), and others.
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

        /// <summary>Counts the nonzero elements of this tensor, in all or along dimensions.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.count_nonzero.html">torch.Tensor.count_nonzero</see>.
        /// </remarks>
        /// <param name="dims">The dimensions; by default all.</param>
        public Tensor count_nonzero(long[]? dims = null) => dims is null or [] ? Nonzeros((long?)null) : Nonzeros(dims);

        /// <summary>Returns the k-th smallest element of a tensor along a dimension, and its index.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.kthvalue.html">torch.kthvalue</see>.</remarks>
        /// <param name="input">The tensor.</param>
        /// <param name="k">The rank of the element; 1 for the smallest.</param>
        /// <param name="dim">The dimension; by default the last one.</param>
        /// <param name="keepdim">Whether the result keeps reduced dimensions, with size 1.</param>
        /// <returns>The elements and their indices.</returns>
        [Obsolete("Use torch.kthvalue.")]
        public static (Tensor values, Tensor indices) kthvalue(Tensor input, long k, long? dim, bool keepdim = false) =>
            input.kthvalue(k, dim, keepdim);

        /// <summary>Returns the mean of those elements of this tensor that are not NaN, along a dimension.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.nanmean.html">torch.Tensor.nanmean</see>.
        /// </remarks>
        /// <param name="dim">The dimension; by default the last one, as in TorchSharp.</param>
        /// <param name="keepdim">Whether the result keeps reduced dimensions, with size 1.</param>
        /// <param name="dtype">The type of the result; by default that of the tensor.</param>
        public Tensor nanmean(int? dim = null, bool keepdim = false, ScalarType? dtype = null) =>
            Nanmean([dim ?? -1], keepdim, dtype ?? this.dtype);

        /// <summary>Returns the distinct elements of this tensor, and if requested where they occur and how often.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.unique.html">torch.Tensor.unique</see>.
        /// </remarks>
        /// <param name="sorted">Whether the result is sorted.</param>
        /// <param name="return_inverse">Whether to return the index of each element in the result.</param>
        /// <param name="return_counts">Whether to count the occurrences.</param>
        /// <param name="dim">The dimension of which slices are compared; by default elements are.</param>
        /// <returns>
        /// The distinct elements. If requested, also the index in them of each element of the tensor, and the number of
        /// occurrences of each.
        /// </returns>
        public (Tensor output, Tensor? inverse_indices, Tensor? counts) unique(bool sorted = true, bool return_inverse = false,
            bool return_counts = false, int? dim = null) =>
            Asked(dim is { } at ? UniqueAlong(at, sorted, return_inverse, return_counts)
                : Unique(sorted, return_inverse, return_counts), return_inverse, return_counts);

        /// <summary>Returns this tensor without repeated neighbors, and if requested where they occur and how often.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.unique_consecutive.html">unique_consecutive</see>.
        /// </remarks>
        /// <param name="return_inverse">Whether to return the index of each element in the result.</param>
        /// <param name="return_counts">Whether to count the occurrences.</param>
        /// <param name="dim">The dimension of which slices are compared; by default elements are.</param>
        /// <returns>
        /// The elements that are kept. If requested, also the index in them of each element of the tensor, and the length of each run.
        /// </returns>
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

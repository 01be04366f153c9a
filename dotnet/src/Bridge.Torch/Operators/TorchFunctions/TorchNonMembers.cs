using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Functions of <c>torch</c> for which Tensor has no member with the same parameters: methods that each call one operator
/// (<see cref="AtenAttribute"/>).
/// </summary>
public static partial class torch
{
    [Aten("aten::empty_strided", "size, stride=strides, dtype, device")]
    public static partial Tensor empty_strided(long[] size, long[] strides, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null);
    [Aten("aten::from_file", "filename, shared, size, dtype, device")]
    public static partial Tensor from_file(string filename, bool? shared = null, long? size = 0, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false);
    [Aten("aten::chain_matmul", "matrices")] public static partial Tensor chain_matmul(params Tensor[] matrices);
    [Aten("aten::slogdet", "self=A")] public static partial (Tensor res, Tensor logabsdet) slogdet(Tensor A);
    [Aten("aten::lu_solve", "self=b, LU_data, LU_pivots"), Obsolete("Use torch.linalg.lu_solve(LU, pivots, B).")]
    public static partial Tensor lu_solve(Tensor b, Tensor LU_data, Tensor LU_pivots);
    [Aten("aten::lu_unpack", "LU_data, LU_pivots, unpack_data, unpack_pivots")]
    public static partial (Tensor P, Tensor? L, Tensor? U) lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data = true,
        bool unpack_pivots = true);
    [Aten("aten::orgqr", "self=input, input2=tau")] public static partial Tensor orgqr(Tensor input, Tensor tau);
    [Aten("aten::trapz.x", "y, x, dim")] public static partial Tensor trapz(Tensor y, Tensor x, long dim = -1);
    [Aten("aten::trapz.dx", "y, dx, dim")] public static partial Tensor trapz(Tensor y, double dx = 1, long dim = -1);
    [Aten("aten::searchsorted.Scalar", "sorted_sequence, self=values, out_int32, right, sorter")]
    public static partial Tensor searchsorted(Tensor sorted_sequence, Scalar values, bool out_int32, bool right, Tensor sorter);
    [Aten("aten::histogram.bins_tensor", "self=input, bins, weight, density")]
    public static partial (Tensor hist, Tensor bin_edges) histogram(Tensor input, Tensor bins, Tensor? weight = null, bool density = false);
    [Aten("aten::gather", "self=input, dim, index, sparse_grad")]
    public static partial Tensor gather(Tensor input, long dim, Tensor index, bool sparse_grad = false);
    [Aten("aten::movedim.int", "self=input, source, destination")]
    public static partial Tensor movedim(Tensor input, long source, long destination);
    [Aten("aten::moveaxis.int", "self=input, source, destination")]
    public static partial Tensor moveaxis(Tensor input, long source, long destination);
    [Aten("aten::cartesian_prod", "tensors")] public static partial Tensor cartesian_prod(params Tensor[] tensors);
    [Aten("aten::combinations", "self=input, r, with_replacement")]
    public static partial Tensor combinations(Tensor input, int r = 2, bool with_replacement = false);
    [Aten("aten::tril_indices", "row, col, offset, dtype, device")]
    public static partial Tensor tril_indices(long row, long col, long offset = 0, ScalarType dtype = ScalarType.Int64,
        Device? device = null);
    [Aten("aten::triu_indices", "row, col, offset, dtype, device")]
    public static partial Tensor triu_indices(long row, long col, long offset = 0, ScalarType dtype = ScalarType.Int64,
        Device? device = null);
    [Aten("aten::randperm.generator_out", "n, generator, out=@out")]
    public static partial Tensor randperm(long n, Tensor @out, Generator? generator = null);
    [Aten("aten::can_cast", "from_=from, to")] public static partial bool can_cast(ScalarType from, ScalarType to);
}

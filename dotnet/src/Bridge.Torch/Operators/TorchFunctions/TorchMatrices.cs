namespace TorchSharp;

/// <summary>
/// Functions of <c>torch</c> that call the member of the same name on their first argument: matrices, shapes, parts, statistics, random
/// numbers, and some elementwise functions.
/// </summary>
public static partial class torch
{
    public static Tensor addbmm(Tensor input, Tensor batch1, Tensor batch2, float beta = 1, float alpha = 1) =>
        input.addbmm(batch1, batch2, beta, alpha);
    public static Tensor addbmm_(Tensor input, Tensor batch1, Tensor batch2, float beta = 1, float alpha = 1) =>
        input.addbmm_(batch1, batch2, beta, alpha);
    public static Tensor addmm_(Tensor input, Tensor mat1, Tensor mat2, float beta, float alpha) => input.addmm_(mat1, mat2, beta, alpha);
    public static Tensor addmv(Tensor input, Tensor mat1, Tensor mat2, float beta, float alpha) => input.addmv(mat1, mat2, beta, alpha);
    public static Tensor addmv_(Tensor input, Tensor mat1, Tensor mat2, float beta, float alpha) => input.addmv_(mat1, mat2, beta, alpha);
    public static Tensor addr(Tensor input, Tensor vec1, Tensor vec2, float beta = 1, float alpha = 1) =>
        input.addr(vec1, vec2, beta, alpha);
    public static Tensor addr_(Tensor input, Tensor vec1, Tensor vec2, float beta = 1, float alpha = 1) =>
        input.addr_(vec1, vec2, beta, alpha);
    public static Tensor cholesky_inverse(Tensor input, bool upper = false) => input.cholesky_inverse(upper);
    public static Tensor cholesky_solve(Tensor input, Tensor input2, bool upper = false) => input.cholesky_solve(input2, upper);
    public static (Tensor a, Tensor tau) geqrf(Tensor input) => input.geqrf();
    public static Tensor matrix_power(Tensor input, int n) => input.matrix_power(n);
    public static Tensor ormqr(Tensor input, Tensor tau, Tensor other, bool left = true, bool transpose = false) =>
        input.ormqr(tau, other, left, transpose);
    public static Tensor pinverse(Tensor input, double rcond = 1e-15, bool hermitian = false) => input.pinverse(rcond, hermitian);
    public static Tensor trapezoid(Tensor y, Tensor x, long dim = -1) => y.trapezoid(x, dim);
    public static Tensor trapezoid(Tensor y, double dx = 1, long dim = -1) => y.trapezoid(dx, dim);
    public static Tensor cumulative_trapezoid(Tensor y, Tensor x, long dim = -1) => y.cumulative_trapezoid(x, dim);
    public static Tensor cumulative_trapezoid(Tensor y, double dx = 1, long dim = -1) => y.cumulative_trapezoid(dx, dim);
    public static Tensor isclose(Tensor tensor, Tensor other, double rtol = 1e-05, double atol = 1e-08, bool nanEqual = false) =>
        tensor.isclose(other, rtol, atol, nanEqual);
    public static Tensor isin(Tensor tensor, Tensor test_elements, bool assumeUnique = false, bool invert = false) =>
        tensor.isin(test_elements, assumeUnique, invert);
    public static (Tensor values, Tensor indices) kthvalue(Tensor input, long k, long? dim, bool keepdim = false) =>
        input.kthvalue(k, dim, keepdim);
    [Obsolete("Use torch.linalg.cholesky.")]
    public static Tensor cholesky(Tensor input, bool upper) => input.cholesky(upper);
    public static Tensor squeeze_(Tensor input, long? dim = null) => input.squeeze_(dim);
    public static Tensor unflatten(Tensor input, long dim, Size sizes) => input.unflatten(dim, sizes);
    public static Tensor index_fill(Tensor input, long dim, Tensor index, Scalar value) => input.index_fill(dim, index, value);
    public static Tensor index_fill_(Tensor input, long dim, Tensor index, Scalar value) => input.index_fill_(dim, index, value);
    public static (Tensor std, Tensor mean) std_mean(Tensor input, bool unbiased = true) => input.std_mean(unbiased);
    public static Tensor rand_out(Tensor input, params long[] sizes) => input.rand_out(sizes);
    public static Tensor randint_out(Tensor input, long high, long[] sizes) => input.randint_out(high, sizes);
    public static Tensor randint_like(Tensor input, long low, long high, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false) =>
        input.randint_like(low, high, dtype, device, requires_grad);
    [Obsolete("PyTorch has torch.randperm only.")]
    public static Tensor randperm_out(Tensor input, long n) => input.randperm_out(n);
    public static Tensor binomial(Tensor count, Tensor probs, Generator? generator = null) => count.binomial(probs, generator);
    public static Tensor[] dsplit(Tensor input, Tensor indices_or_sections) => input.dsplit(indices_or_sections);
    public static Tensor[] dsplit(Tensor input, long size) => input.dsplit(size);
    public static Tensor[] dsplit(Tensor input, long[] indices_or_sections) => input.dsplit(indices_or_sections);
    public static Tensor[] dsplit(Tensor input, (long, long) indices_or_sections) => input.dsplit(indices_or_sections);
    public static Tensor[] dsplit(Tensor input, (long, long, long) indices_or_sections) => input.dsplit(indices_or_sections);
    public static Tensor[] dsplit(Tensor input, (long, long, long, long) indices_or_sections) => input.dsplit(indices_or_sections);
    public static Tensor[] hsplit(Tensor input, Tensor indices_or_sections) => input.hsplit(indices_or_sections);
    public static Tensor[] hsplit(Tensor input, long indices_or_sections) => input.hsplit(indices_or_sections);
    public static Tensor[] hsplit(Tensor input, long[] indices_or_sections) => input.hsplit(indices_or_sections);
    public static Tensor index_copy(Tensor input, long dim, Tensor index, Tensor source) => input.index_copy(dim, index, source);
    public static Tensor moveaxis(Tensor input, long[] source, long[] destination) => input.moveaxis(source, destination);
    public static Tensor diagonal_scatter(Tensor input, Tensor src, long offset = 0, long dim1 = 0, long dim2 = 1) =>
        input.diagonal_scatter(src, offset, dim1, dim2);
    public static Tensor select_scatter(Tensor input, Tensor src, long dim, long index) => input.select_scatter(src, dim, index);
    public static Tensor slice_scatter(Tensor input, Tensor src, long dim = 0, long? start = null, long? end = null, long step = 1) =>
        input.slice_scatter(src, dim, start, end, step);
    public static Tensor swapdims(Tensor input, long dim0, long dim1) => input.swapdims(dim0, dim1);
    public static Tensor take_along_dim(Tensor input, Tensor indices, long dim = 0) => input.take_along_dim(indices, dim);
    public static Tensor take_along_dim(Tensor input, IEnumerable<long> indices, long dim = 0) => input.take_along_dim(indices, dim);
    public static Tensor[] tensor_split(Tensor input, long indices_or_sections, long dim = 0) =>
        input.tensor_split(indices_or_sections, dim);
    public static Tensor[] tensor_split(Tensor input, long[] indices_or_sections, long dim = 0) =>
        input.tensor_split(indices_or_sections, dim);
    public static Tensor[] tensor_split(Tensor input, Tensor indices_or_sections, long dim = 0) =>
        input.tensor_split(indices_or_sections, dim);
    public static Tensor[] vsplit(Tensor input, long[] indices_or_sections) => input.vsplit(indices_or_sections);
    public static Tensor bincount(Tensor input, Tensor? weights = null, long minlength = 0) => input.bincount(weights, minlength);
    public static Tensor bucketize(Tensor input, Tensor boundaries, bool outInt32 = false, bool right = false) =>
        input.bucketize(boundaries, outInt32, right);
    public static Tensor cov(Tensor input, long correction = 1, Tensor? fweights = null, Tensor? aweights = null) =>
        input.cov(correction, fweights, aweights);
    public static (Tensor values, Tensor indices) cummax(Tensor input, long dim) => input.cummax(dim);
    public static (Tensor values, Tensor indices) cummin(Tensor input, long dim) => input.cummin(dim);
    public static Tensor diag_embed(Tensor input, long offset = 0, long dim1 = -2, long dim2 = -1) => input.diag_embed(offset, dim1, dim2);
    public static Tensor diagflat(Tensor input, long offset = 0) => input.diagflat(offset);
    public static Tensor diagonal(Tensor input, long offset = 0, long dim1 = 0, long dim2 = 1) => input.diagonal(offset, dim1, dim2);
    public static Tensor diff(Tensor input, long n = 1, long dim = -1, Tensor? prepend = null, Tensor? append = null) =>
        input.diff(n, dim, prepend, append);
    public static Tensor rot90(Tensor input, long k = 1, (long, long)? dims = null) => input.rot90(k, dims);
    public static Tensor histc(Tensor input, long bins = 100, long min = 0, long max = 0) => input.histc(bins, min, max);
    public static Tensor renorm(Tensor input, float p, long dim, float maxnorm) => input.renorm(p, dim, maxnorm);
    public static Tensor roll(Tensor input, ReadOnlySpan<long> shifts, ReadOnlySpan<long> dims = default) => input.roll(shifts, dims);
    public static Tensor tril_(Tensor input, long diagonal = 0) => input.tril_(diagonal);
    public static Tensor triu_(Tensor input, long diagonal = 0) => input.triu_(diagonal);
    public static Tensor vander(Tensor x, long N = -1, bool increasing = false) => x.vander(N, increasing);
    public static Tensor add(Tensor left, Scalar right, Scalar alpha) => left.add(right, alpha);
    public static Tensor addcdiv_(Tensor input, Tensor tensor1, Tensor tensor2, Scalar value) => input.addcdiv_(tensor1, tensor2, value);
    public static Tensor addcmul_(Tensor input, Tensor tensor1, Tensor tensor2, Scalar value) => input.addcmul_(tensor1, tensor2, value);
    public static Tensor clamp_(Tensor input, Tensor? min = null, Tensor? max = null) => input.clamp_(min, max);
    public static Tensor div_(Tensor left, Scalar right, RoundingMode rounding_mode = RoundingMode.None) =>
        rounding_mode == RoundingMode.None ? left.div_(right) : left.div_(right, rounding_mode);
    public static Tensor div_(Tensor left, Tensor right, RoundingMode rounding_mode = RoundingMode.None) =>
        rounding_mode == RoundingMode.None ? left.div_(right) : left.div_(right, rounding_mode);
    public static Tensor divide(Tensor left, Tensor right, RoundingMode rounding_mode = RoundingMode.None) =>
        left.divide(right, rounding_mode);
    public static Tensor divide(Tensor left, Scalar right, RoundingMode rounding_mode = RoundingMode.None) =>
        left.divide(right, rounding_mode);
    public static Tensor divide_(Tensor left, Tensor right, RoundingMode rounding_mode = RoundingMode.None) =>
        left.divide_(right, rounding_mode);
    public static (Tensor Mantissa, Tensor Exponent) frexp(Tensor input) => input.frexp();
    public static Tensor logit(Tensor input, double? eps = null) => input.logit(eps);
    public static Tensor logit_(Tensor input, double? eps = null) => input.logit_(eps);
    public static Tensor mvlgamma(Tensor input, long p) => input.mvlgamma(p);
    public static Tensor mvlgamma_(Tensor input, long p) => input.mvlgamma_(p);
    public static Tensor nan_to_num_(Tensor input, double nan = 0, double? posinf = null, double? neginf = null) =>
        input.nan_to_num_(nan, posinf, neginf);
    public static Tensor polygamma(Tensor input, long p) => input.polygamma(p);
    public static Tensor polygamma_(Tensor input, long p) => input.polygamma_(p);
    public static Tensor round_(Tensor input, long decimals = 0) => input.round_(decimals);
    public static Tensor amax(Tensor input, long[] dims, bool keepdim = false, Tensor? @out = null) => input.amax(dims, keepdim, @out);
    public static Tensor amax(Tensor input, ReadOnlySpan<long> dims, bool keepdim = false, Tensor? @out = null) =>
        input.amax(dims, keepdim, @out);
    public static Tensor amax(Tensor input, long[] dims) => input.amax(dims);
    public static Tensor amin(Tensor input, long[] dims, bool keepdim = false, Tensor? @out = null) => input.amin(dims, keepdim, @out);
    public static Tensor amin(Tensor input, ReadOnlySpan<long> dims, bool keepdim = false, Tensor? @out = null) =>
        input.amin(dims, keepdim, @out);
    public static (Tensor min, Tensor max) aminmax(Tensor input, long? dim = null, bool keepdim = false) => input.aminmax(dim, keepdim);
    public static Tensor dist(Tensor input, Tensor other, float p = 2) => input.dist(other, p);
    public static Tensor nanmean(Tensor input, int? dim = null, bool keepdim = false, ScalarType? dtype = null) =>
        input.nanmean(dim, keepdim, dtype);
    public static (Tensor values, Tensor indices) mode(Tensor input, long dim = -1, bool keepdim = false) => input.mode(dim, keepdim);
    public static Tensor quantile(Tensor input, Tensor q, long dim = -1, bool keepdim = false) => input.quantile(q, dim, keepdim);
    public static Tensor nanquantile(Tensor input, Tensor q, long dim = -1, bool keepdim = false) => input.nanquantile(q, dim, keepdim);
    public static (Tensor std, Tensor mean) std_mean(Tensor input, long[] dimensions, bool unbiased = true, bool keepdim = false,
        ScalarType? type = null) =>
        input.std_mean(dimensions, unbiased, keepdim, type);
    public static (Tensor std, Tensor mean) std_mean(Tensor input, ReadOnlySpan<long> dimensions, bool unbiased = true,
        bool keepdim = false, ScalarType? type = null) =>
        input.std_mean(dimensions, unbiased, keepdim, type);
    public static (Tensor std, Tensor mean) std_mean(Tensor input, long dimensions, bool unbiased = true, bool keepdim = false,
        ScalarType? type = null) =>
        input.std_mean(dimensions, unbiased, keepdim, type);
    public static (Tensor std, Tensor mean) std_mean(Tensor input, (long, long) dimensions, bool unbiased = true, bool keepdim = false,
        ScalarType? type = null) =>
        input.std_mean(dimensions, unbiased, keepdim, type);
    public static (Tensor std, Tensor mean) std_mean(Tensor input, (long, long, long) dimensions, bool unbiased = true,
        bool keepdim = false, ScalarType? type = null) =>
        input.std_mean(dimensions, unbiased, keepdim, type);
    public static (Tensor output, Tensor? inverse_indices, Tensor? counts) unique(Tensor input, bool sorted = true,
        bool return_inverse = false, bool return_counts = false, int? dim = null) =>
        input.unique(sorted, return_inverse, return_counts, dim);
    public static (Tensor output, Tensor? inverse_indices, Tensor? counts) unique_consecutive(Tensor input, bool return_inverse = false,
        bool return_counts = false, int? dim = null) =>
        input.unique_consecutive(return_inverse, return_counts, dim);
    public static (Tensor var, Tensor mean) var_mean(Tensor input, bool unbiased = true) => input.var_mean(unbiased);
    public static (Tensor var, Tensor mean) var_mean(Tensor input, long[] dimensions, bool unbiased = true, bool keepdim = false,
        ScalarType? type = null) =>
        input.var_mean(dimensions, unbiased, keepdim, type);
    public static (Tensor var, Tensor mean) var_mean(Tensor input, ReadOnlySpan<long> dimensions, bool unbiased = true,
        bool keepdim = false, ScalarType? type = null) =>
        input.var_mean(dimensions, unbiased, keepdim, type);
    public static (Tensor var, Tensor mean) var_mean(Tensor input, long dimensions, bool unbiased = true, bool keepdim = false,
        ScalarType? type = null) =>
        input.var_mean(dimensions, unbiased, keepdim, type);
    public static (Tensor var, Tensor mean) var_mean(Tensor input, (long, long) dimensions, bool unbiased = true, bool keepdim = false,
        ScalarType? type = null) =>
        input.var_mean(dimensions, unbiased, keepdim, type);
    public static (Tensor var, Tensor mean) var_mean(Tensor input, (long, long, long) dimensions, bool unbiased = true,
        bool keepdim = false, ScalarType? type = null) =>
        input.var_mean(dimensions, unbiased, keepdim, type);
    public static Tensor count_nonzero(Tensor input, long[]? dims = null) => input.count_nonzero(dims);
    public static bool is_nonzero(Tensor input) => input.is_nonzero();
}

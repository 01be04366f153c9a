using Bridge.Torch;

namespace TorchSharp;

// The members of torch and Tensor that always throw, each with its reason.
public static partial class torch
{
    /// <summary>Always throws: does not compute eigenvalues and eigenvectors; use <c>torch.linalg.eig</c>.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.linalg.eig.html">torch.linalg.eig</see>.</remarks>
    /// <param name="input">The square matrix.</param>
    /// <param name="eigenvectors">Whether eigenvectors are wanted, too.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.eig.", true)]
    public static (Tensor eigenvalues, Tensor eigenvectors) eig(Tensor input, bool eigenvectors = false) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not compute the rank of matrices; use <c>torch.linalg.matrix_rank</c>.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.linalg.matrix_rank.html">torch.linalg.matrix_rank</see>.
    /// </remarks>
    /// <param name="input">The matrix, or a batch of matrices.</param>
    /// <param name="tol">The tolerance for singular values; null for a default.</param>
    /// <param name="symmetric">Whether the matrices are symmetric.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.matrix_rank.", true)]
    public static Tensor matrix_rank(Tensor input, float? tol = null, bool symmetric = false) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not compute QR decompositions; use <c>torch.linalg.qr</c>.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.qr.html">torch.qr</see>.</remarks>
    /// <param name="input">The matrix, or a batch of matrices.</param>
    /// <param name="some">Whether the reduced decomposition is wanted.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.qr.", true)]
    public static Tensor qr(Tensor input, bool some = true) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not compute singular value decompositions; use <c>torch.linalg.svd</c>.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.svd.html">torch.svd</see>.</remarks>
    /// <param name="input">The matrix, or a batch of matrices.</param>
    /// <param name="some">Whether the reduced decomposition is wanted.</param>
    /// <param name="compute_uv">Whether singular vectors are wanted.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.svd.", true)]
    public static Tensor svd(Tensor input, bool some = true, bool compute_uv = true) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not approximate singular value decompositions of low rank.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.svd_lowrank.html">torch.svd_lowrank</see>.
    /// </remarks>
    /// <param name="A">The matrix, or a batch of matrices.</param>
    /// <param name="q">The estimated rank.</param>
    /// <param name="niter">The number of subspace iterations.</param>
    /// <param name="M">The mean of the matrices' rows; null for none.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor svd_lowrank(Tensor A, int q = 6, int niter = 2, Tensor? M = null) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not do a principal component analysis of low rank.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.pca_lowrank.html">torch.pca_lowrank</see>.
    /// </remarks>
    /// <param name="A">The matrix, or a batch of matrices.</param>
    /// <param name="q">The estimated rank.</param>
    /// <param name="center">Whether the columns are centered first.</param>
    /// <param name="niter">The number of subspace iterations.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor pca_lowrank(Tensor A, int q = 6, bool center = true, int niter = 2) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not compute eigenvalues of symmetric matrices; use <c>torch.linalg.eigh</c>.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.linalg.eigh.html">torch.linalg.eigh</see>.
    /// </remarks>
    /// <param name="input">The symmetric matrix, or a batch of them.</param>
    /// <param name="eigenvectors">Whether eigenvectors are wanted, too.</param>
    /// <param name="upper">Whether the upper triangle is read.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.eigh.", true)]
    public static Tensor symeig(Tensor input, bool eigenvectors = false, bool upper = true) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not estimate the gradient of a function from its values along a dimension.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.gradient.html">torch.gradient</see>.</remarks>
    /// <param name="input">The values.</param>
    /// <param name="spacing">The distance between neighbors.</param>
    /// <param name="dim">The dimension; null for all.</param>
    /// <param name="edge_order">The order of the estimate at the edges, 1 or 2.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static ICollection<Tensor> gradient(Tensor input, int spacing = 1, long? dim = null, int edge_order = 1) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not estimate the gradient of a function from its values along several dimensions.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.gradient.html">torch.gradient</see>.</remarks>
    /// <param name="input">The values.</param>
    /// <param name="spacing">The distance between neighbors.</param>
    /// <param name="dims">The dimensions; null for all.</param>
    /// <param name="edge_order">The order of the estimate at the edges, 1 or 2.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static ICollection<Tensor> gradient(Tensor input, int spacing = 1, long[]? dims = null, int edge_order = 1) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not compute the maxima of windows of quantized sequences.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.quantized_max_pool1d.html">torch.quantized_max_pool1d</see>.
    /// </remarks>
    /// <param name="input">The quantized tensor.</param>
    /// <param name="kernel_size">The size of the window.</param>
    /// <param name="stride">The distance between windows; null for the size.</param>
    /// <param name="padding">The padding on both sides; null for none.</param>
    /// <param name="dilation">The distance between elements of a window.</param>
    /// <param name="ceil_mode">Whether the number of windows is rounded up.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor quantized_max_pool1d(Tensor input, long[] kernel_size, long[]? stride, long[]? padding, long dilation = 1,
        bool ceil_mode = false) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not compute the maxima of windows of quantized images.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.quantized_max_pool2d.html">torch.quantized_max_pool2d</see>.
    /// </remarks>
    /// <param name="input">The quantized tensor.</param>
    /// <param name="kernel_size">The size of the window.</param>
    /// <param name="stride">The distance between windows; null for the size.</param>
    /// <param name="padding">The padding on both sides; null for none.</param>
    /// <param name="dilation">The distance between elements of a window.</param>
    /// <param name="ceil_mode">Whether the number of windows is rounded up.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor quantized_max_pool2d(Tensor input, long[] kernel_size, long[]? stride, long[]? padding, long dilation = 1,
        bool ceil_mode = false) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not tell whether PyTorch was compiled with the C++11 ABI of the GNU library.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.compiled_with_cxx11_abi.html">torch.compiled_with_cxx11_abi</see>.
    /// </remarks>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool compiled_with_cxx11_abi() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not restrict operators to deterministic algorithms.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html">
    /// torch.use_deterministic_algorithms</see>.
    /// </remarks>
    /// <param name="mode">Whether to restrict them.</param>
    /// <param name="warn_only">Whether an operator without such an algorithm only warns.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable use_deterministic_algorithms(bool mode = true, bool warn_only = false) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not tell whether operators are restricted to deterministic algorithms.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.are_deterministic_algorithms_enabled.html">
    /// torch.are_deterministic_algorithms_enabled</see>.
    /// </remarks>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool are_deterministic_algorithms_enabled() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not tell whether operators without a deterministic algorithm only warn.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.is_deterministic_algorithms_warn_only_enabled.html">
    /// torch.is_deterministic_algorithms_warn_only_enabled</see>.
    /// </remarks>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool is_deterministic_algorithms_warn_only_enabled() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not set what happens when an operator is not deterministic.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_deterministic_debug_mode.html">
    /// torch.set_deterministic_debug_mode</see>.
    /// </remarks>
    /// <param name="mode">Whether nothing, a warning or an error is to happen.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable set_deterministic_debug_mode(DebugMode mode) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not tell what happens when an operator is not deterministic.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.get_deterministic_debug_mode.html">
    /// torch.get_deterministic_debug_mode</see>.
    /// </remarks>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static DebugMode get_deterministic_debug_mode() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not set the internal precision of float32 matrix products.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html">
    /// torch.set_float32_matmul_precision</see>.
    /// </remarks>
    /// <param name="precision">The precision.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable set_float32_matmul_precision(Float32MatmulPrecision precision) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not tell the internal precision of float32 matrix products.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.get_float32_matmul_precision.html">
    /// torch.get_float32_matmul_precision</see>.
    /// </remarks>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Float32MatmulPrecision get_float32_matmul_precision() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not set whether PyTorch repeats warnings.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_warn_always.html">torch.set_warn_always</see>.
    /// </remarks>
    /// <param name="mode">Whether warnings are repeated.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable set_warn_always(bool mode = true) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not tell whether PyTorch repeats warnings.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.is_warn_always_enabled.html">torch.is_warn_always_enabled</see>.
    /// </remarks>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool is_warn_always_enabled() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not check a condition; use <c>Debug.Assert</c>.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch._assert.html">torch._assert</see>.</remarks>
    /// <param name="condition">The condition.</param>
    /// <param name="message">The message if the condition is false.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static void _assert(bool condition, string message) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not check a condition that a function computes; use <c>Debug.Assert</c>.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch._assert.html">torch._assert</see>.</remarks>
    /// <param name="condition">The function.</param>
    /// <param name="message">The message if the condition is false.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static void _assert(Func<bool> condition, string message) => throw Stub.Error(Stub.Unwritten);

    /// <summary>
    /// Always throws: does not quantize and dequantize a tensor, with a scale and a zero point for each index along one dimension.
    /// </summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.fake_quantize_per_channel_affine.html">
    /// torch.fake_quantize_per_channel_affine</see>.
    /// </remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="scale">The scales, one for each index along <c>axis</c>.</param>
    /// <param name="zero_point">The quantized values that represent zero, one for each index along <c>axis</c>.</param>
    /// <param name="axis">The dimension.</param>
    /// <param name="quant_min">The lowest quantized value.</param>
    /// <param name="quant_max">The highest quantized value.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor fake_quantize_per_channel_affine(Tensor input, Tensor scale, Tensor zero_point, int axis, long quant_min,
        long quant_max) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not quantize and dequantize a tensor, with one scale and one zero point for all elements.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.fake_quantize_per_tensor_affine.html">
    /// torch.fake_quantize_per_tensor_affine</see>.
    /// </remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="scale">The scale, a tensor of one element.</param>
    /// <param name="zero_point">The quantized value that represents zero, a tensor of one element.</param>
    /// <param name="quant_min">The lowest quantized value.</param>
    /// <param name="quant_max">The highest quantized value.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor fake_quantize_per_tensor_affine(Tensor input, Tensor scale, Tensor zero_point, long quant_min, long quant_max) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not normalize a quantized batch.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.quantized_batch_norm.html">torch.quantized_batch_norm</see>.
    /// </remarks>
    /// <param name="input">The quantized tensor.</param>
    /// <param name="weight">The factors; null for ones.</param>
    /// <param name="bias">The summands; null for zeros.</param>
    /// <param name="mean">The means of the channels.</param>
    /// <param name="var">The variances of the channels.</param>
    /// <param name="eps">Is added to the variances.</param>
    /// <param name="output_scale">The scale of the result.</param>
    /// <param name="output_zero_point">The quantized number of the result that stands for zero.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor quantized_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, double eps,
        double output_scale, long output_zero_point) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not combine elements of a tensor, at indices along a dimension, with those of another tensor.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.index_reduce.html">torch.index_reduce</see>.
    /// </remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="dim">The dimension.</param>
    /// <param name="index">The indices.</param>
    /// <param name="source">The other tensor.</param>
    /// <param name="reduce">How elements are combined.</param>
    /// <param name="include_self">Whether the elements of <paramref name="input"/> are combined, too.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor index_reduce(Tensor input, long dim, Tensor index, Tensor source, Reduce reduce, bool include_self = true) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Always throws: does not quantize a tensor with one scale.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.quantize_per_tensor.html">torch.quantize_per_tensor</see>.
    /// </remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="scale">The scale.</param>
    /// <param name="zero_point">The quantized number that stands for zero.</param>
    /// <param name="dtype">The quantized element type.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Quantized)]
    public static Tensor quantize_per_tensor(Tensor input, double scale, long zero_point, ScalarType dtype) =>
        throw Stub.Error(Stub.Quantized);

    /// <summary>Always throws: does not quantize a tensor with a scale for each index along a dimension.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.quantize_per_channel.html">torch.quantize_per_channel</see>.
    /// </remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="scales">The scales.</param>
    /// <param name="zero_points">The quantized numbers that stand for zero.</param>
    /// <param name="axis">The dimension.</param>
    /// <param name="dtype">The quantized element type.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Quantized)]
    public static Tensor quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, long axis, ScalarType dtype) =>
        throw Stub.Error(Stub.Quantized);

    /// <summary>Always throws: does not count elements in bins that a rule of NumPy chooses.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.histogram.html">torch.histogram</see>.</remarks>
    /// <param name="input">The elements.</param>
    /// <param name="bins">The rule.</param>
    /// <param name="range">The lowest and highest edge; null for those of the elements.</param>
    /// <param name="density">Whether a density is wanted in place of counts.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Bins)]
    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, HistogramBinSelector bins, (double min, double max)? range = null,
        bool density = false) =>
        throw Stub.Error(Stub.Bins);

    /// <summary>Always throws: does not solve least squares problems; use <c>torch.linalg.lstsq</c>.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.linalg.lstsq.html">torch.linalg.lstsq</see>.
    /// </remarks>
    /// <param name="B">The right-hand sides.</param>
    /// <param name="A">The matrix.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Removed)] public static (Tensor Solution, Tensor QR) lstsq(Tensor B, Tensor A) => throw Stub.Error(Stub.Removed);

    /// <summary>Always throws: does not compute a cross product with a number.</summary>
    /// <param name="input">The tensor.</param>
    /// <param name="other">The number.</param>
    /// <param name="dim">The dimension of the vectors.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten)] public static Tensor cross(Tensor input, Scalar other, long dim = 0) => throw Stub.Error(Stub.Unwritten);

    public partial class Tensor
    {
        /// <summary>Always throws: does not return a view with other names of its dimensions.</summary>
        /// <remarks>PyTorch had named tensors until 2.12.</remarks>
        /// <param name="names">The new names; null for none.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor rename(IEnumerable<string?>? names) => throw Stub.Error(Stub.Named);

        /// <summary>Always throws: does not change the names of the dimensions.</summary>
        /// <remarks>PyTorch had named tensors until 2.12.</remarks>
        /// <param name="names">The new names; null for none.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor rename_(IEnumerable<string?>? names) => throw Stub.Error(Stub.Named);

        /// <summary>Always throws: does not name dimensions that have no names yet.</summary>
        /// <remarks>PyTorch had named tensors until 2.12.</remarks>
        /// <param name="names">The names of all dimensions.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor refine_names(IEnumerable<string> names) => throw Stub.Error(Stub.Named);

        /// <summary>Always throws: does not name dimensions that have no names yet.</summary>
        /// <remarks>PyTorch had named tensors until 2.12.</remarks>
        /// <param name="names">The names of all dimensions.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor refine_names(params string[] names) => throw Stub.Error(Stub.Named);

        /// <summary>Always throws: does not join dimensions, given by their names, into one.</summary>
        /// <remarks>PyTorch had named tensors until 2.12.</remarks>
        /// <param name="dims">The names of the dimensions.</param>
        /// <param name="out_dim">The name of the new dimension.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor flatten(IList<string?> dims, string out_dim) => throw Stub.Error(Stub.Named);

        /// <summary>Always throws: does not divide a dimension, given by its name, into several.</summary>
        /// <remarks>PyTorch had named tensors until 2.12.</remarks>
        /// <param name="dim">The name of the dimension.</param>
        /// <param name="sizes">The names and sizes of the new dimensions.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor unflatten(string dim, params (string, long)[] sizes) => throw Stub.Error(Stub.Named);

        /// <summary>Always throws: does not permute the dimensions to an order of names.</summary>
        /// <remarks>PyTorch had named tensors until 2.12.</remarks>
        /// <param name="names">The names.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor align_to(IEnumerable<string> names) => throw Stub.Error(Stub.Named);

        /// <summary>Always throws: does not permute the dimensions to an order of names.</summary>
        /// <remarks>PyTorch had named tensors until 2.12.</remarks>
        /// <param name="names">The names.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor align_to(params string[] names) => throw Stub.Error(Stub.Named);

        /// <summary>Always throws: does not permute the dimensions to another tensor's order of names.</summary>
        /// <remarks>PyTorch had named tensors until 2.12.</remarks>
        /// <param name="other">The other tensor.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor align_as(Tensor other) => throw Stub.Error(Stub.Named);

        /// <summary>Always throws: does not return the quantized number that stands for zero.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.q_zero_point.html">torch.Tensor.q_zero_point</see>.
        /// </remarks>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public long q_zero_point() => throw Stub.Error(Stub.Quantized);

        /// <summary>Always throws: does not return the quantized numbers.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.int_repr.html">torch.Tensor.int_repr</see>.
        /// </remarks>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public Tensor int_repr() => throw Stub.Error(Stub.Quantized);

        /// <summary>Always throws: does not return the scales along the quantized dimension.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.q_per_channel_scales.html">
        /// torch.Tensor.q_per_channel_scales</see>.
        /// </remarks>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public Tensor q_per_channel_scales() => throw Stub.Error(Stub.Quantized);

        /// <summary>Always throws: does not return the quantized numbers that stand for zero along the quantized dimension.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.q_per_channel_zero_points.html">
        /// torch.Tensor.q_per_channel_zero_points</see>.
        /// </remarks>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public Tensor q_per_channel_zero_points() => throw Stub.Error(Stub.Quantized);

        /// <summary>Always throws: does not return the quantized dimension.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.q_per_channel_axis.html">
        /// torch.Tensor.q_per_channel_axis</see>.
        /// </remarks>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public long q_per_channel_axis() => throw Stub.Error(Stub.Quantized);

        /// <summary>Always throws: does not return the scale of a quantized tensor.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.q_scale.html">torch.Tensor.q_scale</see>.
        /// </remarks>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public double q_scale() => throw Stub.Error(Stub.Quantized);

        /// <summary>Always throws: does not compute a cross product of this tensor with a number.</summary>
        /// <param name="other">The number.</param>
        /// <param name="dim">The dimension of the vectors.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Unwritten)] public Tensor cross(Scalar other, long dim) => throw Stub.Error(Stub.Unwritten);
    }
}

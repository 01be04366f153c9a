using Bridge.Torch;

namespace TorchSharp;

/// <summary>The members of torch and Tensor that always throw, each with its reason.</summary>
public static partial class torch
{
    /// <summary>Cannot be used: TorchSharp does not implement <c>eig</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="eigenvectors">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.eig.", true)]
    public static (Tensor eigenvalues, Tensor eigenvectors) eig(Tensor input, bool eigenvectors = false) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>matrix_rank</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="tol">Is not used.</param>
    /// <param name="symmetric">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.matrix_rank.", true)]
    public static Tensor matrix_rank(Tensor input, float? tol = null, bool symmetric = false) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>qr</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="some">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.qr.", true)]
    public static Tensor qr(Tensor input, bool some = true) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>svd</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="some">Is not used.</param>
    /// <param name="compute_uv">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.svd.", true)]
    public static Tensor svd(Tensor input, bool some = true, bool compute_uv = true) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>svd_lowrank</c> either.</summary>
    /// <param name="A">Is not used.</param>
    /// <param name="q">Is not used.</param>
    /// <param name="niter">Is not used.</param>
    /// <param name="M">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor svd_lowrank(Tensor A, int q = 6, int niter = 2, Tensor? M = null) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>pca_lowrank</c> either.</summary>
    /// <param name="A">Is not used.</param>
    /// <param name="q">Is not used.</param>
    /// <param name="center">Is not used.</param>
    /// <param name="niter">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor pca_lowrank(Tensor A, int q = 6, bool center = true, int niter = 2) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>symeig</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="eigenvectors">Is not used.</param>
    /// <param name="upper">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.eigh.", true)]
    public static Tensor symeig(Tensor input, bool eigenvectors = false, bool upper = true) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>gradient</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="spacing">Is not used.</param>
    /// <param name="dim">Is not used.</param>
    /// <param name="edge_order">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static ICollection<Tensor> gradient(Tensor input, int spacing = 1, long? dim = null, int edge_order = 1) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>gradient</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="spacing">Is not used.</param>
    /// <param name="dims">Is not used.</param>
    /// <param name="edge_order">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static ICollection<Tensor> gradient(Tensor input, int spacing = 1, long[]? dims = null, int edge_order = 1) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>quantized_max_pool1d</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="kernel_size">Is not used.</param>
    /// <param name="stride">Is not used.</param>
    /// <param name="padding">Is not used.</param>
    /// <param name="dilation">Is not used.</param>
    /// <param name="ceil_mode">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor quantized_max_pool1d(Tensor input, long[] kernel_size, long[]? stride, long[]? padding, long dilation = 1,
        bool ceil_mode = false) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>quantized_max_pool2d</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="kernel_size">Is not used.</param>
    /// <param name="stride">Is not used.</param>
    /// <param name="padding">Is not used.</param>
    /// <param name="dilation">Is not used.</param>
    /// <param name="ceil_mode">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor quantized_max_pool2d(Tensor input, long[] kernel_size, long[]? stride, long[]? padding, long dilation = 1,
        bool ceil_mode = false) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>compiled_with_cxx11_abi</c> either.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool compiled_with_cxx11_abi() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>use_deterministic_algorithms</c> either.</summary>
    /// <param name="mode">Is not used.</param>
    /// <param name="warn_only">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable use_deterministic_algorithms(bool mode = true, bool warn_only = false) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>are_deterministic_algorithms_enabled</c> either.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool are_deterministic_algorithms_enabled() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>is_deterministic_algorithms_warn_only_enabled</c> either.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool is_deterministic_algorithms_warn_only_enabled() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>set_deterministic_debug_mode</c> either.</summary>
    /// <param name="mode">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable set_deterministic_debug_mode(DebugMode mode) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>get_deterministic_debug_mode</c> either.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static DebugMode get_deterministic_debug_mode() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>set_float32_matmul_precision</c> either.</summary>
    /// <param name="precision">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable set_float32_matmul_precision(Float32MatmulPrecision precision) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>get_float32_matmul_precision</c> either.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Float32MatmulPrecision get_float32_matmul_precision() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>set_warn_always</c> either.</summary>
    /// <param name="mode">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable set_warn_always(bool mode = true) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>is_warn_always_enabled</c> either.</summary>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool is_warn_always_enabled() => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>_assert</c> either.</summary>
    /// <param name="condition">Is not used.</param>
    /// <param name="message">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static void _assert(bool condition, string message) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>_assert</c> either.</summary>
    /// <param name="condition">Is not used.</param>
    /// <param name="message">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static void _assert(Func<bool> condition, string message) => throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>fake_quantize_per_channel_affine</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="scale">Is not used.</param>
    /// <param name="zero_point">Is not used.</param>
    /// <param name="axis">Is not used.</param>
    /// <param name="quant_min">Is not used.</param>
    /// <param name="quant_max">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor fake_quantize_per_channel_affine(Tensor input, Tensor scale, Tensor zero_point, int axis, long quant_min,
        long quant_max) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>fake_quantize_per_tensor_affine</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="scale">Is not used.</param>
    /// <param name="zero_point">Is not used.</param>
    /// <param name="quant_min">Is not used.</param>
    /// <param name="quant_max">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor fake_quantize_per_tensor_affine(Tensor input, Tensor scale, Tensor zero_point, long quant_min, long quant_max) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>quantized_batch_norm</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="weight">Is not used.</param>
    /// <param name="bias">Is not used.</param>
    /// <param name="mean">Is not used.</param>
    /// <param name="var">Is not used.</param>
    /// <param name="eps">Is not used.</param>
    /// <param name="output_scale">Is not used.</param>
    /// <param name="output_zero_point">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor quantized_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, double eps,
        double output_scale, long output_zero_point) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: TorchSharp does not implement <c>index_reduce</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="dim">Is not used.</param>
    /// <param name="index">Is not used.</param>
    /// <param name="source">Is not used.</param>
    /// <param name="reduce">Is not used.</param>
    /// <param name="include_self">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor index_reduce(Tensor input, long dim, Tensor index, Tensor source, Reduce reduce, bool include_self = true) =>
        throw Stub.Error(Stub.Unwritten);

    /// <summary>Cannot be used: libtorch's stable ABI has no quantized types, which <c>quantize_per_tensor</c> needs.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="scale">Is not used.</param>
    /// <param name="zero_point">Is not used.</param>
    /// <param name="dtype">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Quantized)]
    public static Tensor quantize_per_tensor(Tensor input, double scale, long zero_point, ScalarType dtype) =>
        throw Stub.Error(Stub.Quantized);

    /// <summary>Cannot be used: libtorch's stable ABI has no quantized types, which <c>quantize_per_channel</c> needs.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="scales">Is not used.</param>
    /// <param name="zero_points">Is not used.</param>
    /// <param name="axis">Is not used.</param>
    /// <param name="dtype">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Quantized)]
    public static Tensor quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, long axis, ScalarType dtype) =>
        throw Stub.Error(Stub.Quantized);

    /// <summary>Cannot be used: libtorch has no operator for the rules of bin widths that <c>histogram</c> takes.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="bins">Is not used.</param>
    /// <param name="range">Is not used.</param>
    /// <param name="density">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Bins)]
    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, HistogramBinSelector bins, (double min, double max)? range = null,
        bool density = false) =>
        throw Stub.Error(Stub.Bins);

    /// <summary>Cannot be used: libtorch has removed <c>lstsq</c>.</summary>
    /// <param name="B">Is not used.</param>
    /// <param name="A">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Removed)] public static (Tensor Solution, Tensor QR) lstsq(Tensor B, Tensor A) => throw Stub.Error(Stub.Removed);

    /// <summary>Cannot be used: TorchSharp does not implement <c>cross</c> either.</summary>
    /// <param name="input">Is not used.</param>
    /// <param name="other">Is not used.</param>
    /// <param name="dim">Is not used.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Stub(Stub.Unwritten)] public static Tensor cross(Tensor input, Scalar other, long dim = 0) => throw Stub.Error(Stub.Unwritten);

    public partial class Tensor
    {
        /// <summary>Cannot be used: libtorch's stable ABI carries no names of dimensions, which <c>Tensor.rename</c> needs.</summary>
        /// <param name="names">Is not used.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor rename(IEnumerable<string?>? names) => throw Stub.Error(Stub.Named);

        /// <summary>Cannot be used: libtorch's stable ABI carries no names of dimensions, which <c>Tensor.rename_</c> needs.</summary>
        /// <param name="names">Is not used.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor rename_(IEnumerable<string?>? names) => throw Stub.Error(Stub.Named);

        /// <summary>Cannot be used: libtorch's stable ABI carries no names of dimensions, which <c>Tensor.refine_names</c> needs.</summary>
        /// <param name="names">Is not used.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor refine_names(IEnumerable<string> names) => throw Stub.Error(Stub.Named);

        /// <summary>Cannot be used: libtorch's stable ABI carries no names of dimensions, which <c>Tensor.refine_names</c> needs.</summary>
        /// <param name="names">Is not used.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor refine_names(params string[] names) => throw Stub.Error(Stub.Named);

        /// <summary>Cannot be used: libtorch's stable ABI carries no names of dimensions, which <c>Tensor.flatten</c> needs.</summary>
        /// <param name="dims">Is not used.</param>
        /// <param name="out_dim">Is not used.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor flatten(IList<string?> dims, string out_dim) => throw Stub.Error(Stub.Named);

        /// <summary>Cannot be used: libtorch's stable ABI carries no names of dimensions, which <c>Tensor.unflatten</c> needs.</summary>
        /// <param name="dim">Is not used.</param>
        /// <param name="sizes">Is not used.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor unflatten(string dim, params (string, long)[] sizes) => throw Stub.Error(Stub.Named);

        /// <summary>Cannot be used: libtorch's stable ABI carries no names of dimensions, which <c>Tensor.align_to</c> needs.</summary>
        /// <param name="names">Is not used.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor align_to(IEnumerable<string> names) => throw Stub.Error(Stub.Named);

        /// <summary>Cannot be used: libtorch's stable ABI carries no names of dimensions, which <c>Tensor.align_to</c> needs.</summary>
        /// <param name="names">Is not used.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor align_to(params string[] names) => throw Stub.Error(Stub.Named);

        /// <summary>Cannot be used: libtorch's stable ABI carries no names of dimensions, which <c>Tensor.align_as</c> needs.</summary>
        /// <param name="other">Is not used.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Named)] public Tensor align_as(Tensor other) => throw Stub.Error(Stub.Named);

        /// <summary>Cannot be used: libtorch's stable ABI has no quantized types, which <c>Tensor.q_zero_point</c> needs.</summary>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public long q_zero_point() => throw Stub.Error(Stub.Quantized);

        /// <summary>Cannot be used: libtorch's stable ABI has no quantized types, which <c>Tensor.int_repr</c> needs.</summary>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public Tensor int_repr() => throw Stub.Error(Stub.Quantized);

        /// <summary>Cannot be used: libtorch's stable ABI has no quantized types, which <c>Tensor.q_per_channel_scales</c> needs.</summary>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public Tensor q_per_channel_scales() => throw Stub.Error(Stub.Quantized);

        /// <summary>Cannot be used: libtorch's stable ABI has no quantized types for <c>Tensor.q_per_channel_zero_points</c>.</summary>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public Tensor q_per_channel_zero_points() => throw Stub.Error(Stub.Quantized);

        /// <summary>Cannot be used: libtorch's stable ABI has no quantized types, which <c>Tensor.q_per_channel_axis</c> needs.</summary>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public long q_per_channel_axis() => throw Stub.Error(Stub.Quantized);

        /// <summary>Cannot be used: libtorch's stable ABI has no quantized types, which <c>Tensor.q_scale</c> needs.</summary>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Quantized)] public double q_scale() => throw Stub.Error(Stub.Quantized);

        /// <summary>Cannot be used: TorchSharp does not implement <c>Tensor.cross</c> either.</summary>
        /// <param name="other">Is not used.</param>
        /// <param name="dim">Is not used.</param>
        /// <exception cref="NotSupportedException">Always.</exception>
        [Stub(Stub.Unwritten)] public Tensor cross(Scalar other, long dim) => throw Stub.Error(Stub.Unwritten);
    }
}

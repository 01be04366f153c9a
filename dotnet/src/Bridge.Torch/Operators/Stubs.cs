using Bridge.Torch;

namespace TorchSharp;

/// <summary>The members of torch and Tensor that always throw, each with its reason.</summary>
public static partial class torch
{
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.eig.", true)]
    public static (Tensor eigenvalues, Tensor eigenvectors) eig(Tensor input, bool eigenvectors = false) =>
        throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.matrix_rank.", true)]
    public static Tensor matrix_rank(Tensor input, float? tol = null, bool symmetric = false) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.qr.", true)]
    public static Tensor qr(Tensor input, bool some = true) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.svd.", true)]
    public static Tensor svd(Tensor input, bool some = true, bool compute_uv = true) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor svd_lowrank(Tensor A, int q = 6, int niter = 2, Tensor? M = null) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor pca_lowrank(Tensor A, int q = 6, bool center = true, int niter = 2) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete("Use torch.linalg.eigh.", true)]
    public static Tensor symeig(Tensor input, bool eigenvectors = false, bool upper = true) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static ICollection<Tensor> gradient(Tensor input, int spacing = 1, long? dim = null, int edge_order = 1) =>
        throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static ICollection<Tensor> gradient(Tensor input, int spacing = 1, long[]? dims = null, int edge_order = 1) =>
        throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor quantized_max_pool1d(Tensor input, long[] kernel_size, long[]? stride, long[]? padding, long dilation = 1,
        bool ceil_mode = false) =>
        throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor quantized_max_pool2d(Tensor input, long[] kernel_size, long[]? stride, long[]? padding, long dilation = 1,
        bool ceil_mode = false) =>
        throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool compiled_with_cxx11_abi() => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable use_deterministic_algorithms(bool mode = true, bool warn_only = false) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool are_deterministic_algorithms_enabled() => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool is_deterministic_algorithms_warn_only_enabled() => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable set_deterministic_debug_mode(DebugMode mode) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static DebugMode get_deterministic_debug_mode() => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable set_float32_matmul_precision(Float32MatmulPrecision precision) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Float32MatmulPrecision get_float32_matmul_precision() => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static IDisposable set_warn_always(bool mode = true) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static bool is_warn_always_enabled() => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static void _assert(bool condition, string message) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static void _assert(Func<bool> condition, string message) => throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor fake_quantize_per_channel_affine(Tensor input, Tensor scale, Tensor zero_point, int axis, long quant_min,
        long quant_max) =>
        throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor fake_quantize_per_tensor_affine(Tensor input, Tensor scale, Tensor zero_point, long quant_min, long quant_max) =>
        throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor quantized_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, double eps,
        double output_scale, long output_zero_point) =>
        throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Unwritten), Obsolete(Stub.Unwritten, true)]
    public static Tensor index_reduce(Tensor input, long dim, Tensor index, Tensor source, Reduce reduce, bool include_self = true) =>
        throw Stub.Error(Stub.Unwritten);
    [Stub(Stub.Quantized)]
    public static Tensor quantize_per_tensor(Tensor input, double scale, long zero_point, ScalarType dtype) =>
        throw Stub.Error(Stub.Quantized);
    [Stub(Stub.Quantized)]
    public static Tensor quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, long axis, ScalarType dtype) =>
        throw Stub.Error(Stub.Quantized);
    [Stub(Stub.Bins)]
    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, HistogramBinSelector bins, (double min, double max)? range = null,
        bool density = false) =>
        throw Stub.Error(Stub.Bins);
    [Stub(Stub.Removed)] public static (Tensor Solution, Tensor QR) lstsq(Tensor B, Tensor A) => throw Stub.Error(Stub.Removed);
    [Stub(Stub.Unwritten)] public static Tensor cross(Tensor input, Scalar other, long dim = 0) => throw Stub.Error(Stub.Unwritten);

    public partial class Tensor
    {
        [Stub(Stub.Named)] public Tensor rename(IEnumerable<string?>? names) => throw Stub.Error(Stub.Named);
        [Stub(Stub.Named)] public Tensor rename_(IEnumerable<string?>? names) => throw Stub.Error(Stub.Named);
        [Stub(Stub.Named)] public Tensor refine_names(IEnumerable<string> names) => throw Stub.Error(Stub.Named);
        [Stub(Stub.Named)] public Tensor refine_names(params string[] names) => throw Stub.Error(Stub.Named);
        [Stub(Stub.Named)] public Tensor flatten(IList<string?> dims, string out_dim) => throw Stub.Error(Stub.Named);
        [Stub(Stub.Named)] public Tensor unflatten(string dim, params (string, long)[] sizes) => throw Stub.Error(Stub.Named);
        [Stub(Stub.Named)] public Tensor align_to(IEnumerable<string> names) => throw Stub.Error(Stub.Named);
        [Stub(Stub.Named)] public Tensor align_to(params string[] names) => throw Stub.Error(Stub.Named);
        [Stub(Stub.Named)] public Tensor align_as(Tensor other) => throw Stub.Error(Stub.Named);
        [Stub(Stub.Quantized)] public long q_zero_point() => throw Stub.Error(Stub.Quantized);
        [Stub(Stub.Quantized)] public Tensor int_repr() => throw Stub.Error(Stub.Quantized);
        [Stub(Stub.Quantized)] public Tensor q_per_channel_scales() => throw Stub.Error(Stub.Quantized);
        [Stub(Stub.Quantized)] public Tensor q_per_channel_zero_points() => throw Stub.Error(Stub.Quantized);
        [Stub(Stub.Quantized)] public long q_per_channel_axis() => throw Stub.Error(Stub.Quantized);
        [Stub(Stub.Quantized)] public double q_scale() => throw Stub.Error(Stub.Quantized);
        [Stub(Stub.Unwritten)] public Tensor cross(Scalar other, long dim) => throw Stub.Error(Stub.Unwritten);
    }
}

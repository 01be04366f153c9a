using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Other functions of <c>torch</c>, such as those on lists of tensors, element types and numbers of threads: methods that each call one
/// operator (<see cref="AtenAttribute"/>), methods that call those, and others.
/// </summary>
public static partial class torch
{
    [Aten("aten::_lu_with_info", "self=A, pivot, check_errors=false")]
    private static partial (Tensor, Tensor, Tensor) LuWithInfo(Tensor A, bool pivot);
    [Aten("aten::broadcast_tensors", "tensors")] private static partial Tensor[] Broadcast(Tensor[] tensors);
    [Aten("aten::cdist", "x1, x2, p, compute_mode=mode")] private static partial Tensor Cdist(Tensor x1, Tensor x2, double p, long mode);
    [Aten("aten::result_type.Tensor", "tensor=tensor1, other=tensor2")]
    private static partial long ResultType(Tensor tensor1, Tensor tensor2);
    [Aten("aten::promote_types", "type1, type2")] private static partial long PromoteTypes(ScalarType type1, ScalarType type2);
    [Aten("aten::histogram.bin_ct", "self=input, bins, range, weight, density")]
    private static partial (Tensor, Tensor) Histogram(Tensor input, long bins, double[]? range, Tensor? weight, bool density);
    [Aten("bridge::num_threads", "")] private static partial long NumThreads();
    [Aten("bridge::set_num_threads", "number")] private static partial void SetNumThreads(long number);
    [Aten("bridge::num_interop_threads", "")] private static partial long NumInteropThreads();
    [Aten("bridge::set_num_interop_threads", "number")] private static partial void SetNumInteropThreads(long number);

    [Obsolete("Use torch.sparse_coo_tensor.")]
    public static Tensor sparse(Tensor indices, Tensor values, long[] size, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        sparse_coo_tensor(indices, values, size, dtype, device, requires_grad, names);
    public static IEnumerable<Tensor> atleast_1d(params Tensor[] input) => input.Select(tensor => tensor.atleast_1d());
    public static IEnumerable<Tensor> atleast_2d(params Tensor[] input) => input.Select(tensor => tensor.atleast_2d());
    public static IEnumerable<Tensor> atleast_3d(params Tensor[] input) => input.Select(tensor => tensor.atleast_3d());
    public static bool is_tensor(object obj) => obj is Tensor;
    public static bool is_storage(object obj) => obj is Storage;

    /// <summary>Gets the version of the running torch, such as <c>2.13.0</c>.</summary>
    public static string __version__ => Bridge.Torch.Runtime.LibtorchVersion;

    public static ScalarType result_type(Tensor tensor1, Tensor tensor2) => (ScalarType)ResultType(tensor1, tensor2);
    public static ScalarType promote_types(ScalarType type1, ScalarType type2) => (ScalarType)PromoteTypes(type1, type2);
    public static int get_num_threads() => (int)NumThreads();
    public static void set_num_threads(int num) => SetNumThreads(num);
    public static int get_num_interop_threads() => (int)NumInteropThreads();
    public static void set_num_interop_threads(int num) => SetNumInteropThreads(num);

    /// <summary>Returns an LU decomposition; <c>infos</c> is null unless requested.</summary>
    public static (Tensor A_LU, Tensor? pivots, Tensor? infos) lu(Tensor A, bool pivot = true, bool get_infos = false)
    {
        var (decomposed, pivots, infos) = LuWithInfo(A, pivot);
        if (get_infos) return (decomposed, pivots, infos);
        infos.Dispose();
        return (decomposed, pivots, null);
    }

    /// <exception cref="ArgumentException">There are no tensors.</exception>
    public static IList<Tensor> broadcast_tensors(params Tensor[] tensors) =>
        tensors.Length > 0 ? Broadcast(tensors)
            : throw new ArgumentException("broadcast_tensors takes at least one tensor.", nameof(tensors));

    /// <summary>Returns the shape to which the given shapes broadcast.</summary>
    /// <exception cref="ArgumentException">The shapes cannot be broadcast together.</exception>
    public static Size broadcast_shapes(params long[][] shapes)
    {
        var result = Enumerable.Repeat(1L, shapes.Length == 0 ? 0 : shapes.Max(shape => shape.Length)).ToArray();
        foreach (var shape in shapes)
        {
            for (var (at, to) = (shape.Length - 1, result.Length - 1); at >= 0; at--, to--)
            {
                if (shape[at] == 1 || shape[at] == result[to]) continue;
                if (result[to] != 1) throw new ArgumentException("Shape mismatch: objects cannot be broadcast to a single shape");
                result[to] = shape[at];
            }
        }

        return result;
    }

    /// <summary>Returns the p-norm distances between the rows of two tensors.</summary>
    /// <exception cref="ArgumentException"><paramref name="p"/> is negative.</exception>
    public static Tensor cdist(Tensor x1, Tensor x2, double p = 2,
        compute_mode compute_mode = compute_mode.use_mm_for_euclid_dist_if_necessary) =>
        p >= 0 ? Cdist(x1, x2, p, (long)compute_mode) : throw new ArgumentException("p must be non-negative", nameof(p));

    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, long bins, (double min, double max)? range = null,
        Tensor? weight = null, bool density = false) =>
        Histogram(input, bins, range is var (min, max) ? [min, max] : null, weight, density);

    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, Tensor bins, out (Tensor hist, Tensor bin_edges) out_tensor) =>
        out_tensor = histogram(input, bins);

    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, Tensor bins, Tensor? weight, bool density,
        out (Tensor hist, Tensor bin_edges) out_tensor) =>
        out_tensor = histogram(input, bins, weight, density);

    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, long bins, out (Tensor hist, Tensor bin_edges) out_tensor) =>
        out_tensor = histogram(input, bins);

    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, long bins, (double min, double max)? range,
        out (Tensor hist, Tensor bin_edges) out_tensor) =>
        out_tensor = histogram(input, bins, range);

    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, long bins, (double min, double max)? range, Tensor? weight,
        bool density, out (Tensor hist, Tensor bin_edges) out_tensor) =>
        out_tensor = histogram(input, bins, range, weight, density);

    /// <summary>
    /// Returns the two to four numbers of a version, without a fourth number 0, and its first suffix, after a <c>-</c>. As in TorchSharp, a
    /// suffix begins with <c>-</c> or <c>+</c>.
    /// </summary>
    /// <exception cref="ArgumentException">The text is not a version.</exception>
    public static string NormalizeNuGetVersion(string versionString)
    {
        var parts = (versionString ?? "").Split('-', '+');
        var numbers = parts[0].Split('.');
        if (numbers.Length is < 2 or > 4 || !numbers.All(number =>
            int.TryParse(number, System.Globalization.CultureInfo.InvariantCulture, out _)))
            throw new ArgumentException($"Invalid NuGet version: {versionString}.", nameof(versionString));
        return string.Join('.', numbers.Length == 4 && int.Parse(numbers[3], System.Globalization.CultureInfo.InvariantCulture) == 0
            ? numbers[..3] : numbers) + (parts.Length > 1 ? "-" + parts[1] : "");
    }
}

using Bridge.Torch;

namespace TorchSharp;

// Other functions of torch, such as those on lists of tensors, element types and numbers of threads: methods that each call one operator
// ([Aten]), methods that call those, and others.
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

    /// <summary>Returns a sparse tensor with nonzero elements at given coordinates.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.sparse_coo_tensor.html">torch.sparse_coo_tensor</see>.
    /// </remarks>
    /// <param name="indices">The coordinates, of shape (dimensions, n).</param>
    /// <param name="values">The n elements.</param>
    /// <param name="size">The shape.</param>
    /// <param name="dtype">The type of the result; by default that of the tensor.</param>
    /// <param name="device">The device; by default that of the tensor.</param>
    /// <param name="requires_grad">Whether the result records operators for its gradient.</param>
    /// <param name="names">Names of dimensions, which PyTorch no longer supports: null.</param>
    [Obsolete("Use torch.sparse_coo_tensor.")]
    public static Tensor sparse(Tensor indices, Tensor values, long[] size, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null) =>
        sparse_coo_tensor(indices, values, size, dtype, device, requires_grad, names);

    /// <summary>Returns tensors, each with at least one dimension: dimensions of size 1 are added.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.atleast_1d.html">torch.atleast_1d</see>.</remarks>
    /// <param name="input">The tensors.</param>
    public static IEnumerable<Tensor> atleast_1d(params Tensor[] input) => input.Select(tensor => tensor.atleast_1d());

    /// <summary>Returns tensors, each with at least two dimensions: dimensions of size 1 are added.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.atleast_2d.html">torch.atleast_2d</see>.</remarks>
    /// <param name="input">The tensors.</param>
    public static IEnumerable<Tensor> atleast_2d(params Tensor[] input) => input.Select(tensor => tensor.atleast_2d());

    /// <summary>Returns tensors, each with at least three dimensions: dimensions of size 1 are added.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.atleast_3d.html">torch.atleast_3d</see>.</remarks>
    /// <param name="input">The tensors.</param>
    public static IEnumerable<Tensor> atleast_3d(params Tensor[] input) => input.Select(tensor => tensor.atleast_3d());

    /// <summary>Returns whether an object is a tensor.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.is_tensor.html">torch.is_tensor</see>.</remarks>
    /// <param name="obj">The object.</param>
    public static bool is_tensor(object obj) => obj is Tensor;

    /// <summary>Returns whether an object is the storage of a tensor.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.is_storage.html">torch.is_storage</see>.</remarks>
    /// <param name="obj">The object.</param>
    public static bool is_storage(object obj) => obj is Storage;

    /// <summary>Gets the version of the running torch, such as <c>2.13.0</c>.</summary>
    public static string __version__ => Bridge.Torch.Runtime.LibtorchVersion;

    /// <summary>Returns the element type of the result of arithmetic with two tensors.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.result_type.html">torch.result_type</see>.
    /// </remarks>
    /// <param name="tensor1">The first tensor.</param>
    /// <param name="tensor2">The second tensor.</param>
    public static ScalarType result_type(Tensor tensor1, Tensor tensor2) => (ScalarType)ResultType(tensor1, tensor2);

    /// <summary>Returns the smallest element type that holds the numbers of two types.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.promote_types.html">torch.promote_types</see>.
    /// </remarks>
    /// <param name="type1">The one type.</param>
    /// <param name="type2">The other type.</param>
    public static ScalarType promote_types(ScalarType type1, ScalarType type2) => (ScalarType)PromoteTypes(type1, type2);

    /// <summary>Returns the number of threads of an operator on the CPU.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.get_num_threads.html">torch.get_num_threads</see>.
    /// </remarks>
    public static int get_num_threads() => (int)NumThreads();

    /// <summary>Sets the number of threads of an operator on the CPU.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_num_threads.html">torch.set_num_threads</see>.
    /// </remarks>
    /// <param name="num">The number of threads.</param>
    public static void set_num_threads(int num) => SetNumThreads(num);

    /// <summary>Returns the number of threads that run operators beside each other.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.get_num_interop_threads.html">torch.get_num_interop_threads</see>.
    /// </remarks>
    public static int get_num_interop_threads() => (int)NumInteropThreads();

    /// <summary>Sets, once in a process, the number of threads that run operators beside each other.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.set_num_interop_threads.html">torch.set_num_interop_threads</see>.
    /// </remarks>
    /// <param name="num">The number of threads.</param>
    public static void set_num_interop_threads(int num) => SetNumInteropThreads(num);

    /// <summary>Returns the LU decomposition of each matrix in compact form.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.lu.html">torch.lu</see>.</remarks>
    /// <param name="A">The matrices, of shape (*, m, n).</param>
    /// <param name="pivot">Whether to exchange rows; without it, only on CUDA.</param>
    /// <param name="get_infos">Whether to return where the decomposition failed.</param>
    /// <returns>The decomposition, its pivots, and if requested numbers that are 0 where it succeeded.</returns>
    public static (Tensor A_LU, Tensor? pivots, Tensor? infos) lu(Tensor A, bool pivot = true, bool get_infos = false)
    {
        var (decomposed, pivots, infos) = LuWithInfo(A, pivot);
        if (get_infos) return (decomposed, pivots, infos);
        infos.Dispose();
        return (decomposed, pivots, null);
    }

    /// <summary>Returns views of tensors that repeat their elements to fill their common shape.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.broadcast_tensors.html">torch.broadcast_tensors</see>.
    /// </remarks>
    /// <param name="tensors">The tensors.</param>
    /// <exception cref="ArgumentException">There are no tensors.</exception>
    public static IList<Tensor> broadcast_tensors(params Tensor[] tensors) =>
        tensors.Length > 0 ? Broadcast(tensors)
            : throw new ArgumentException("broadcast_tensors takes at least one tensor.", nameof(tensors));

    /// <summary>Returns the shape to which the given shapes broadcast.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.broadcast_shapes.html">torch.broadcast_shapes</see>.
    /// </remarks>
    /// <param name="shapes">The shapes.</param>
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
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.cdist.html">torch.cdist</see>.</remarks>
    /// <param name="x1">The first tensor, of shape (*, p, m).</param>
    /// <param name="x2">The second tensor, of shape (*, r, m).</param>
    /// <param name="p">The order of the norm.</param>
    /// <param name="compute_mode">The cases in which distances of order 2 are computed by a matrix product.</param>
    /// <returns>The distances, of shape (*, p, r).</returns>
    /// <exception cref="ArgumentException"><paramref name="p"/> is negative.</exception>
    public static Tensor cdist(Tensor x1, Tensor x2, double p = 2,
        compute_mode compute_mode = compute_mode.use_mm_for_euclid_dist_if_necessary) =>
        p >= 0 ? Cdist(x1, x2, p, (long)compute_mode) : throw new ArgumentException("p must be non-negative", nameof(p));

    /// <summary>Counts the elements in intervals of equal width.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.histogram.html">torch.histogram</see>.</remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="bins">The number of intervals.</param>
    /// <param name="range">The boundaries of the first and the last interval; by default the smallest and the largest element.</param>
    /// <param name="weight">The weight of each element; by default 1.</param>
    /// <param name="density">Whether to return densities instead of counts.</param>
    /// <returns>The counts and the boundaries.</returns>
    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, long bins, (double min, double max)? range = null,
        Tensor? weight = null, bool density = false) =>
        Histogram(input, bins, range is var (min, max) ? [min, max] : null, weight, density);

    /// <summary>Counts the elements in intervals.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.histogram.html">torch.histogram</see>.</remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="bins">The boundaries of the intervals, in ascending order.</param>
    /// <param name="out_tensor">The returned tensors.</param>
    /// <returns>The counts and the boundaries.</returns>
    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, Tensor bins, out (Tensor hist, Tensor bin_edges) out_tensor) =>
        out_tensor = histogram(input, bins);

    /// <summary>Counts the elements in intervals.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.histogram.html">torch.histogram</see>.</remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="bins">The boundaries of the intervals, in ascending order.</param>
    /// <param name="weight">The weight of each element; by default 1.</param>
    /// <param name="density">Whether to return densities instead of counts.</param>
    /// <param name="out_tensor">The returned tensors.</param>
    /// <returns>The counts and the boundaries.</returns>
    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, Tensor bins, Tensor? weight, bool density,
        out (Tensor hist, Tensor bin_edges) out_tensor) =>
        out_tensor = histogram(input, bins, weight, density);

    /// <summary>Counts the elements in intervals of equal width.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.histogram.html">torch.histogram</see>.</remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="bins">The number of intervals.</param>
    /// <param name="out_tensor">The returned tensors.</param>
    /// <returns>The counts and the boundaries.</returns>
    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, long bins, out (Tensor hist, Tensor bin_edges) out_tensor) =>
        out_tensor = histogram(input, bins);

    /// <summary>Counts the elements in intervals of equal width.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.histogram.html">torch.histogram</see>.</remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="bins">The number of intervals.</param>
    /// <param name="range">The boundaries of the first and the last interval; by default the smallest and the largest element.</param>
    /// <param name="out_tensor">The returned tensors.</param>
    /// <returns>The counts and the boundaries.</returns>
    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, long bins, (double min, double max)? range,
        out (Tensor hist, Tensor bin_edges) out_tensor) =>
        out_tensor = histogram(input, bins, range);

    /// <summary>Counts the elements in intervals of equal width.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.histogram.html">torch.histogram</see>.</remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="bins">The number of intervals.</param>
    /// <param name="range">The boundaries of the first and the last interval; by default the smallest and the largest element.</param>
    /// <param name="weight">The weight of each element; by default 1.</param>
    /// <param name="density">Whether to return densities instead of counts.</param>
    /// <param name="out_tensor">The returned tensors.</param>
    /// <returns>The counts and the boundaries.</returns>
    public static (Tensor hist, Tensor bin_edges) histogram(Tensor input, long bins, (double min, double max)? range, Tensor? weight,
        bool density, out (Tensor hist, Tensor bin_edges) out_tensor) =>
        out_tensor = histogram(input, bins, range, weight, density);

    /// <summary>Returns the two to four numbers of a version, without a fourth number 0, and its first suffix, after a <c>-</c>.</summary>
    /// <param name="versionString">The version; a suffix begins with <c>-</c> or <c>+</c>, as in TorchSharp.</param>
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

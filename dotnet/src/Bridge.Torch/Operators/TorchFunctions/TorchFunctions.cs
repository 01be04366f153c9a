using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

// Functions of torch that call the member of the same name on their first argument, factories, and others, such as tensordot,
// stft and those of cuda.
public static partial class torch
{
    /// <summary>Returns the lower triangular Cholesky factor of each matrix of a tensor.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.cholesky.html">torch.cholesky</see>.</remarks>
    /// <param name="input">The tensor.</param>
    [Obsolete("Use torch.linalg.cholesky.")] public static Tensor cholesky(Tensor input) => input.cholesky();

    /// <summary>Returns a view of the real parts of a complex tensor; a real tensor itself.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.real.html">torch.real</see>.</remarks>
    /// <param name="input">The tensor.</param>
    public static Tensor real(Tensor input) => input.real;

    /// <summary>Returns a view of the imaginary parts of a complex tensor.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.imag.html">torch.imag</see>.</remarks>
    /// <param name="input">The tensor.</param>
    public static Tensor imag(Tensor input) => input.imag;

    /// <summary>Returns the Cholesky factor of each matrix of a tensor.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.cholesky.html">torch.cholesky</see>.</remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="upper">Whether the factor is an upper triangle.</param>
    [Obsolete("Use torch.linalg.cholesky.")]
    public static Tensor cholesky(Tensor input, bool upper) => input.cholesky(upper);

    /// <summary>Writes a random permutation of the integers from 0 to <paramref name="n"/> - 1 into a given tensor.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.randperm.html">torch.randperm</see>.</remarks>
    /// <param name="input">The tensor to which the integers are written.</param>
    /// <param name="n">The number of integers.</param>
    /// <returns>The given tensor.</returns>
    [Obsolete("PyTorch has torch.randperm only.")]
    public static Tensor randperm_out(Tensor input, long n) => input.randperm_out(n);

    /// <summary>Solves linear equations whose coefficients are an LU decomposition, with the right-hand sides first.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.lu_solve.html">torch.lu_solve</see>.</remarks>
    /// <param name="b">The right-hand sides.</param>
    /// <param name="LU_data">The decomposition, in compact form.</param>
    /// <param name="LU_pivots">The pivots of the decomposition.</param>
    [Aten("aten::lu_solve", "self=b, LU_data, LU_pivots"), Obsolete("Use torch.linalg.lu_solve(LU, pivots, B).")]
    public static partial Tensor lu_solve(Tensor b, Tensor LU_data, Tensor LU_pivots);

    /// <summary>Returns the sum of all elements of a tensor.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.sum.html">torch.sum</see>.</remarks>
    /// <param name="input">The tensor.</param>
    public static Tensor sum(Tensor input) => input.sum();

    /// <summary>Joins all dimensions of a tensor into one.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.flatten.html">torch.flatten</see>.</remarks>
    /// <param name="input">The tensor.</param>
    public static Tensor flatten(Tensor input) => input.flatten();

    /// <summary>Sums products of two tensors over the last dimensions of the first and the first of the second.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.tensordot.html">torch.tensordot</see>.</remarks>
    /// <param name="a">The first tensor.</param>
    /// <param name="b">The second tensor.</param>
    /// <param name="dims">The number of dimensions.</param>
    public static Tensor tensordot(Tensor a, Tensor b, long dims = 2) => tensordot(a, b, Last(a.dim(), dims), Last(dims, dims));

    /// <summary>Sums products of two tensors over pairs of dimensions.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.tensordot.html">torch.tensordot</see>.</remarks>
    /// <param name="a">The first tensor.</param>
    /// <param name="b">The second tensor.</param>
    /// <param name="dims">Pairs of a dimension of the first tensor and one of the second.</param>
    public static Tensor tensordot(Tensor a, Tensor b, (long, long)[] dims) =>
        tensordot(a, b, [.. dims.Select(pair => pair.Item1)], [.. dims.Select(pair => pair.Item2)]);

    /// <summary>Converts the elements of a tensor to 64-bit integers.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.</remarks>
    /// <param name="t">The tensor.</param>
    public static Tensor LongTensor(Tensor t) => t.to(ScalarType.Int64);

    /// <summary>Converts the elements of a tensor to 32-bit integers.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.</remarks>
    /// <param name="t">The tensor.</param>
    public static Tensor IntTensor(Tensor t) => t.to(ScalarType.Int32);

    /// <summary>Converts the elements of a tensor to 16-bit integers.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.</remarks>
    /// <param name="t">The tensor.</param>
    public static Tensor ShortTensor(Tensor t) => t.to(ScalarType.Int16);

    /// <summary>Converts the elements of a tensor to unsigned bytes.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.</remarks>
    /// <param name="t">The tensor.</param>
    public static Tensor ByteTensor(Tensor t) => t.to(ScalarType.Byte);

    /// <summary>Converts the elements of a tensor to truth values.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.</remarks>
    /// <param name="t">The tensor.</param>
    public static Tensor BoolTensor(Tensor t) => t.to(ScalarType.Bool);

    /// <summary>Converts the elements of a tensor to 32-bit floating-point numbers.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.</remarks>
    /// <param name="t">The tensor.</param>
    public static Tensor FloatTensor(Tensor t) => t.to(ScalarType.Float32);

    /// <summary>Converts the elements of a tensor to 64-bit floating-point numbers.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.</remarks>
    /// <param name="t">The tensor.</param>
    public static Tensor DoubleTensor(Tensor t) => t.to(ScalarType.Float64);

    /// <summary>Computes the logarithm of the softmax of a tensor along a dimension.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.log_softmax.html">log_softmax</see>.
    /// </remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="dim">The dimension.</param>
    /// <param name="dtype">The type of the result; by default that of the tensor.</param>
    public static Tensor log_softmax(Tensor input, long dim, ScalarType? dtype = null) => input.log_softmax(dim, dtype);

    /// <summary>Returns a copy of a tensor in which the elements where a mask is true are one number.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.masked_fill.html">torch.Tensor.masked_fill</see>.
    /// </remarks>
    /// <param name="input">The tensor.</param>
    /// <param name="mask">The mask of the elements to replace: a boolean tensor, which is broadcast.</param>
    /// <param name="value">The number.</param>
    public static Tensor masked_fill(Tensor input, Tensor mask, Scalar value) => input.masked_fill(mask, value);

    /// <summary>Returns evenly spaced numbers in the range [start, stop).</summary>
    /// <remarks>
    /// For a complex type, which libtorch refuses, converts a real range, as in TorchSharp. PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.arange.html">torch.arange</see>.
    /// </remarks>
    /// <param name="start">The first number.</param>
    /// <param name="stop">The end, which is not included.</param>
    /// <param name="step">The distance between neighbors.</param>
    /// <param name="dtype">The element type; by default Int64 for integers, otherwise the default one.</param>
    /// <param name="device">The device; by default the default one.</param>
    /// <param name="requires_grad">Whether the result records operators for its gradient.</param>
    public static Tensor arange(Scalar start, Scalar stop, Scalar step, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false)
    {
        // For a range from 0 in steps of 1, runs the overload that PyTorch runs for arange(stop): a traced graph shows the overload.
        if (TorchFunctionMode.IsActive && RealDtype(dtype) is null && start is { IsReal: false, Integer: 0 }
            && step is { IsReal: false, Integer: 1 })
            return Arange(stop, DtypeOrDefault(dtype, start, stop, step), device, requires_grad);
        if (RealDtype(dtype) is not { } part) return Arange(start, stop, step, dtype, device, requires_grad);
        using var real = Arange(start, stop, step, part, device);
        return real.to_type(dtype!.Value).Marked(requires_grad);
    }

    /// <summary>Creates a tensor of random integers in [low, high).</summary>
    /// <remarks>
    /// For a complex type, which libtorch refuses, both parts are such integers, as in TorchSharp. PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.randint.html">torch.randint</see>.
    /// </remarks>
    /// <param name="low">The lower bound.</param>
    /// <param name="high">The upper bound, which is not included.</param>
    /// <param name="size">The shape.</param>
    /// <param name="dtype">The element type; by default Int64.</param>
    /// <param name="device">The device; by default the default one.</param>
    /// <param name="requires_grad">Whether the result records operators for its gradient.</param>
    /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
    /// <param name="names">Names of dimensions, which PyTorch no longer supports: null.</param>
    public static Tensor randint(long low, long high, long[] size, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, Generator? generator = null, string[]? names = null)
    {
        if (RealDtype(dtype) is not { } part) return Randint(low, high, size, dtype, device, requires_grad, generator, names);
        using var parts = Randint(low, high, [.. size, 2], part, device, generator: generator, names: names);
        using var joined = parts.view_as_complex();
        return joined.clone().Marked(requires_grad);
    }

    /// <summary>Returns the numbers 0, 1 and so on below a limit.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.arange.html">torch.arange</see>.</remarks>
    /// <param name="stop">The end, which is not included.</param>
    /// <param name="dtype">The element type; by default Int64 for an integer, otherwise the default one.</param>
    /// <param name="device">The device; by default the default one.</param>
    /// <param name="requires_grad">Whether the result records operators for its gradient.</param>
    public static Tensor arange(Scalar stop, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        arange(0, stop, 1, dtype, device, requires_grad);

    /// <summary>Returns numbers from a start, in steps of 1, below a limit.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.arange.html">torch.arange</see>.</remarks>
    /// <param name="start">The first number.</param>
    /// <param name="stop">The end, which is not included.</param>
    /// <param name="dtype">The element type; by default Int64 for integers, otherwise the default one.</param>
    /// <param name="device">The device; by default the default one.</param>
    /// <param name="requires_grad">Whether the result records operators for its gradient.</param>
    public static Tensor arange(Scalar start, Scalar stop, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        arange(start, stop, 1, dtype, device, requires_grad);

    /// <summary>Creates a matrix with ones on the diagonal and zeros elsewhere.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.eye.html">torch.eye</see>.</remarks>
    /// <param name="rows">The number of rows.</param>
    /// <param name="columns">The number of columns; if negative, the matrix is square.</param>
    /// <param name="dtype">The element type; by default the default one.</param>
    /// <param name="device">The device; by default the default one.</param>
    /// <param name="requires_grad">Whether the result records operators for its gradient.</param>
    /// <param name="names">Names of dimensions, which PyTorch no longer supports: null.</param>
    public static Tensor eye(long rows, long columns = -1, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Eye(rows, columns < 0 ? rows : columns, dtype, device, requires_grad, names);

    /// <summary>Creates a tensor of random integers in [0, high).</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.randint.html">torch.randint</see>.</remarks>
    /// <param name="high">The upper bound, which is not included.</param>
    /// <param name="size">The shape.</param>
    /// <param name="dtype">The element type; by default Int64.</param>
    /// <param name="device">The device; by default the default one.</param>
    /// <param name="requires_grad">Whether the result records operators for its gradient.</param>
    /// <param name="generator">The source of randomness; by default PyTorch's own.</param>
    /// <param name="names">Names of dimensions, which PyTorch no longer supports: null.</param>
    public static Tensor randint(long high, long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(0, high, size, dtype, device, requires_grad, generator, names);

    /// <inheritdoc cref="randint(long, long, long[], ScalarType?, Device?, bool, Generator?, string[])"/>
    public static Tensor randint(long low, long high, Size size, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, Generator? generator = null, string[]? names = null) =>
        randint(low, high, size.Shape, dtype, device, requires_grad, generator, names);

    /// <inheritdoc cref="randint(long, long[], ScalarType?, Device?, bool, Generator?, string[])"/>
    public static Tensor randint(long high, Size size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(0, high, size.Shape, dtype, device, requires_grad, generator, names);

    /// <inheritdoc cref="randint(long, long, long[], ScalarType?, Device?, bool, Generator?, string[])"/>
    public static Tensor randint(int low, int high, int[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(low, high, new Size(size), dtype, device, requires_grad, generator, names);

    /// <inheritdoc cref="randint(long, long[], ScalarType?, Device?, bool, Generator?, string[])"/>
    public static Tensor randint(int high, int[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(0, high, new Size(size), dtype, device, requires_grad, generator, names);

    /// <summary>Computes the Fourier transform of overlapping windows of a signal.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.stft.html">torch.stft</see>.</remarks>
    /// <param name="input">The signal, of shape (length) or (N, length).</param>
    /// <param name="n_fft">The length of the Fourier transforms.</param>
    /// <param name="hop_length">The distance between neighboring windows; if negative, a quarter of <c>n_fft</c>.</param>
    /// <param name="win_length">The length of the windows; if negative, <c>n_fft</c>.</param>
    /// <param name="window">The window, of length <c>win_length</c>; by default ones.</param>
    /// <param name="center">Whether the windows are centered at their positions, with padding at both ends of the signal.</param>
    /// <param name="pad_mode">How a centered signal is padded.</param>
    /// <param name="normalized">Whether the transforms are divided by the square root of their length.</param>
    /// <param name="onesided">Whether to return only one half of each transform; by default, for a real signal and window.</param>
    /// <param name="return_complex">Whether the result is complex; by default, if the signal is.</param>
    /// <returns>
    /// The transform, of shape (..., frequencies, windows); if it is not complex, with a last dimension for real and imaginary part.
    /// </returns>
    public static Tensor stft(Tensor input, long n_fft, long hop_length = -1, long win_length = -1, Tensor? window = null,
        bool center = true, PaddingModes pad_mode = PaddingModes.Reflect, bool normalized = false, bool? onesided = null,
        bool? return_complex = null) =>
        Stft(input, n_fft, NullIfNegative(hop_length), NullIfNegative(win_length), window, center, pad_mode == PaddingModes.Zeros
            ? "constant" : pad_mode.ToString().ToLowerInvariant(), normalized, onesided, return_complex ?? is_complex(input.dtype));

    /// <summary>Returns whether PyTorch can use a CUDA device, as <see cref="cuda.is_available"/> does.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.cuda.is_available.html">torch.cuda.is_available</see>.
    /// </remarks>
    public static bool cuda_is_available() => cuda.is_available();

    /// <summary>Returns the indices of the last <paramref name="count"/> dimensions.</summary>
    private static long[] Last(long of, long count) => [.. Enumerable.Range(0, (int)count).Select(at => of - count + at)];

    private static long? NullIfNegative(long value) => value < 0 ? null : value;

    /// <summary>Functions of CUDA devices.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/cuda.html">torch.cuda</see>.</remarks>
    public static partial class cuda
    {
        /// <summary>Returns whether PyTorch can use a CUDA device.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.cuda.is_available.html">torch.cuda.is_available</see>.
        /// </remarks>
        public static bool is_available() => DeviceCount() > 0;

        /// <summary>Returns whether PyTorch can use cuDNN.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/backends.html#module-torch.backends.cudnn">is_available</see>.
        /// </remarks>
        public static bool is_cudnn_available() => CudnnIsAvailable();

        /// <summary>Returns the number of CUDA devices.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.cuda.device_count.html">torch.cuda.device_count</see>.
        /// </remarks>
        public static int device_count() => (int)DeviceCount();

        /// <summary>Waits until a CUDA device has finished its work.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.cuda.synchronize.html">torch.cuda.synchronize</see>.
        /// </remarks>
        /// <param name="device">The device; by default the current one.</param>
        public static void synchronize(Device? device = null) => Synchronize(device);

        /// <summary>Seeds the generators of all devices, not only that of the current CUDA device.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.cuda.manual_seed.html">torch.cuda.manual_seed</see>.
        /// </remarks>
        /// <param name="seed">The seed.</param>
        public static void manual_seed(long seed) => Seed(seed);

        /// <summary>Seeds the generators of all devices, those of CUDA devices among them.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.cuda.manual_seed_all.html">torch.cuda.manual_seed_all</see>.
        /// </remarks>
        /// <param name="seed">The seed.</param>
        public static void manual_seed_all(long seed) => Seed(seed);
    }
}

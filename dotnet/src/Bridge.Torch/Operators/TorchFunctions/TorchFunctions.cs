using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

/// <summary>
/// Functions of <c>torch</c> that call the member of the same name on their first argument, factories, and others, such as those that
/// concatenate tensors and those of <c>cuda</c>.
/// </summary>
public static partial class torch
{
    [Obsolete("Use torch.linalg.cholesky.")] public static Tensor cholesky(Tensor input) => input.cholesky();
    public static Tensor real(Tensor input) => input.real;
    public static Tensor imag(Tensor input) => input.imag;
    [Obsolete("Use torch.linalg.cholesky.")]
    public static Tensor cholesky(Tensor input, bool upper) => input.cholesky(upper);
    [Obsolete("PyTorch has torch.randperm only.")]
    public static Tensor randperm_out(Tensor input, long n) => input.randperm_out(n);
    [Aten("aten::lu_solve", "self=b, LU_data, LU_pivots"), Obsolete("Use torch.linalg.lu_solve(LU, pivots, B).")]
    public static partial Tensor lu_solve(Tensor b, Tensor LU_data, Tensor LU_pivots);
    public static Tensor sum(Tensor input) => input.sum();
    public static Tensor flatten(Tensor input) => input.flatten();
    public static Tensor tensordot(Tensor a, Tensor b, long dims = 2) => tensordot(a, b, Last(a.dim(), dims), Last(dims, dims));
    public static Tensor tensordot(Tensor a, Tensor b, (long, long)[] dims) =>
        tensordot(a, b, [.. dims.Select(pair => pair.Item1)], [.. dims.Select(pair => pair.Item2)]);
    public static Tensor LongTensor(Tensor t) => t.to(ScalarType.Int64);
    public static Tensor IntTensor(Tensor t) => t.to(ScalarType.Int32);
    public static Tensor ShortTensor(Tensor t) => t.to(ScalarType.Int16);
    public static Tensor ByteTensor(Tensor t) => t.to(ScalarType.Byte);
    public static Tensor BoolTensor(Tensor t) => t.to(ScalarType.Bool);
    public static Tensor FloatTensor(Tensor t) => t.to(ScalarType.Float32);
    public static Tensor DoubleTensor(Tensor t) => t.to(ScalarType.Float64);
    public static Tensor log_softmax(Tensor input, long dim, ScalarType? dtype = null) => input.log_softmax(dim, dtype);
    public static Tensor masked_fill(Tensor input, Tensor mask, Scalar value) => input.masked_fill(mask, value);
    /// <summary>
    /// Returns the range [start, stop). For a complex type, which libtorch refuses, converts a real range, as in TorchSharp.
    /// </summary>
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

    /// <summary>
    /// Returns random integers in [low, high). For a complex type, which libtorch refuses, both parts are such integers, as in TorchSharp.
    /// </summary>
    public static Tensor randint(long low, long high, long[] size, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, Generator? generator = null, string[]? names = null)
    {
        if (RealDtype(dtype) is not { } part) return Randint(low, high, size, dtype, device, requires_grad, generator, names);
        using var parts = Randint(low, high, [.. size, 2], part, device, generator: generator, names: names);
        using var joined = parts.view_as_complex();
        return joined.clone().Marked(requires_grad);
    }

    public static Tensor arange(Scalar stop, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        arange(0, stop, 1, dtype, device, requires_grad);
    public static Tensor arange(Scalar start, Scalar stop, ScalarType? dtype = null, Device? device = null, bool requires_grad = false) =>
        arange(start, stop, 1, dtype, device, requires_grad);
    public static Tensor eye(long rows, long columns = -1, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null) =>
        Eye(rows, columns < 0 ? rows : columns, dtype, device, requires_grad, names);
    public static Tensor randint(long high, long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(0, high, size, dtype, device, requires_grad, generator, names);
    public static Tensor randint(long low, long high, Size size, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, Generator? generator = null, string[]? names = null) =>
        randint(low, high, size.Shape, dtype, device, requires_grad, generator, names);
    public static Tensor randint(long high, Size size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(0, high, size.Shape, dtype, device, requires_grad, generator, names);
    public static Tensor randint(int low, int high, int[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(low, high, new Size(size), dtype, device, requires_grad, generator, names);
    public static Tensor randint(int high, int[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null) =>
        randint(0, high, new Size(size), dtype, device, requires_grad, generator, names);
    public static Tensor stft(Tensor input, long n_fft, long hop_length = -1, long win_length = -1, Tensor? window = null,
        bool center = true, PaddingModes pad_mode = PaddingModes.Reflect, bool normalized = false, bool? onesided = null,
        bool? return_complex = null) =>
        Stft(input, n_fft, NullIfNegative(hop_length), NullIfNegative(win_length), window, center, pad_mode == PaddingModes.Zeros
            ? "constant" : pad_mode.ToString().ToLowerInvariant(), normalized, onesided, return_complex ?? is_complex(input.dtype));
    public static bool cuda_is_available() => cuda.is_available();

    /// <summary>Returns the indices of the last <paramref name="count"/> dimensions.</summary>
    private static long[] Last(long of, long count) => [.. Enumerable.Range(0, (int)count).Select(at => of - count + at)];

    private static long? NullIfNegative(long value) => value < 0 ? null : value;

    public static partial class cuda
    {
        public static bool is_available() => DeviceCount() > 0;

        public static bool is_cudnn_available() => CudnnIsAvailable();

        public static int device_count() => (int)DeviceCount();

        /// <summary>Waits until the device has finished its work.</summary>
        public static void synchronize(Device? device = null) => Synchronize(device);

        public static void manual_seed(long seed) => Seed(seed);

        public static void manual_seed_all(long seed) => Seed(seed);
    }
}

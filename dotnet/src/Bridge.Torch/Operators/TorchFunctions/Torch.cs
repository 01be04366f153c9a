using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Factories and other functions of <c>torch</c>: methods that each call one operator (<see cref="AtenAttribute"/>), and methods that call
/// those.
/// </summary>
public static partial class torch
{
    [Aten("aten::empty.memory_format", "size, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)", Sizes = true)]
    public static partial Tensor empty(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null);
    [Aten("aten::zeros", "size, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)", Sizes = true)]
    public static partial Tensor zeros(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null);
    [Aten("aten::ones", "size, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)", Sizes = true)]
    public static partial Tensor ones(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        string[]? names = null);
    [Aten("aten::rand.generator", "size, generator, dtype=RandomDtype(dtype), device=DeviceOrDefault(device)", Sizes = true)]
    public static partial Tensor rand(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null);
    [Aten("aten::randn.generator", "size, generator, dtype=RandomDtype(dtype), device=DeviceOrDefault(device)", Sizes = true)]
    public static partial Tensor randn(long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null, string[]? names = null);
    [Aten("aten::full", "size, fill_value=value, dtype=FillDtype(dtype, value), device=DeviceOrDefault(device)", Sizes = true)]
    public static partial Tensor full(long[] size, Scalar value, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, string[]? names = null);
    [Aten("aten::arange", "end=stop, dtype, device=DeviceOrDefault(device)")]
    private static partial Tensor Arange(Scalar stop, ScalarType? dtype, Device? device, bool requires_grad);
    [Aten("aten::arange.start_step",
        "start, end=stop, step, dtype=DtypeOrDefault(dtype, start, stop, step), device=DeviceOrDefault(device)")]
    private static partial Tensor Arange(Scalar start, Scalar stop, Scalar step, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false);
    [Aten("aten::linspace", "start, end, steps, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)")]
    private static partial Tensor Linspace(Scalar start, Scalar end, long steps, ScalarType? dtype, Device? device, bool requires_grad);
    [Aten("aten::logspace", "start, end, steps, base=@base, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)")]
    private static partial Tensor Logspace(Scalar start, Scalar end, long steps, double @base, ScalarType? dtype, Device? device,
        bool requires_grad);
    [Aten("aten::eye.m", "n=rows, m=columns, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)")]
    private static partial Tensor Eye(long rows, long columns, ScalarType? dtype, Device? device, bool requires_grad, string[]? names);
    [Aten("aten::randint.low_generator", "low, high, size, generator, dtype=dtype ?? ScalarType.Int64, device=DeviceOrDefault(device)")]
    private static partial Tensor Randint(long low, long high, long[] size, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, Generator? generator = null, string[]? names = null);
    [Aten("aten::randperm.generator", "n, generator, dtype=dtype ?? ScalarType.Int64, device=DeviceOrDefault(device)")]
    public static partial Tensor randperm(long n, ScalarType? dtype = null, Device? device = null, bool requires_grad = false,
        Generator? generator = null);
    [Aten("aten::normal.float_float", "mean, std, size, generator, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)")]
    private static partial Tensor Normal(double mean, double std, long[] size, ScalarType? dtype, Device? device, bool requires_grad,
        Generator? generator, string[]? names);
    [Aten("aten::_dirichlet_grad", "x, alpha, total")] internal static partial Tensor DirichletGrad(Tensor x, Tensor alpha, Tensor total);
    [Aten("aten::hann_window.periodic", "window_length=len, periodic, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)")]
    public static partial Tensor hann_window(long len, bool periodic = true, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false);
    [Aten("aten::blackman_window.periodic", "window_length=len, periodic, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)")]
    public static partial Tensor blackman_window(long len, bool periodic = true, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false);
    [Aten("aten::bartlett_window.periodic", "window_length=len, periodic, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)")]
    public static partial Tensor bartlett_window(long len, bool periodic = true, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false);
    [Aten("aten::hamming_window.periodic_alpha_beta",
        "window_length=len, periodic, alpha, beta, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)")]
    public static partial Tensor hamming_window(long len, bool periodic = true, float alpha = 0.54f, float beta = 0.46f,
        ScalarType? dtype = null, Device? device = null, bool requires_grad = false);
    [Aten("aten::kaiser_window.beta", "window_length=len, periodic, beta, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)")]
    public static partial Tensor kaiser_window(long len, bool periodic = true, float beta = 12, ScalarType? dtype = null,
        Device? device = null, bool requires_grad = false);
    [Aten("aten::stft.center",
        "self=input, n_fft, hop_length=hop_length, win_length=win_length, window, center, pad_mode, normalized, onesided, return_complex")]
    private static partial Tensor Stft(Tensor input, long n_fft, long? hop_length, long? win_length, Tensor? window, bool center,
        string pad_mode, bool normalized, bool? onesided, bool? return_complex);
    [Aten("aten::istft", "self=input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex")]
    private static partial Tensor Istft(Tensor input, long n_fft, long? hop_length, long? win_length, Tensor? window, bool center,
        bool normalized, bool? onesided, long? length, bool return_complex);

    public static Tensor stack(Tensor[] tensors, long dim = 0) => stack(tensors.AsEnumerable(), dim);
    [Aten("bridge::manual_seed", "seed")] private static partial void Seed(long seed);
    [Aten("bridge::device_count", "")] private static partial long DeviceCount();
    [Aten("bridge::synchronize", "device")] private static partial void Synchronize(Device? device);
    [Aten("bridge::cudnn_is_available", "")] private static partial bool CudnnIsAvailable();
    [Aten("bridge::mps_is_available", "")] public static partial bool mps_is_available();
    [Aten("bridge::initial_seed", "")] private static partial long InitialSeed();
    [Aten("bridge::rng_state", "")] private static partial Tensor RngState();
    [Aten("bridge::set_rng_state", "state")] private static partial void SetRngState(Tensor state);
    [Aten("bridge::seeded", "seed, device")] private static partial Tensor Seeded(long seed, Device device);
    [Aten("bridge::seed_of", "state, device")] private static partial long SeedOf(Tensor state, Device device);
    [Aten("bridge::enter_inference_mode", "mode")] private static partial void EnterInferenceMode(bool mode);
    [Aten("bridge::leave_inference_mode", "")] private static partial void LeaveInferenceMode();
    [Aten("bridge::is_inference_mode", "")] private static partial bool IsInferenceMode();
}

using Bridge.Torch;

namespace TorchSharp;

// Factories and other functions of torch: methods that each call one operator ([Aten]), and methods that call those.

/// <summary>The functions, types and settings of PyTorch's package <c>torch</c>, with TorchSharp's names and signatures.</summary>
/// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/torch.html">torch</see>.</remarks>
public static partial class torch
{
    [Aten("aten::full", "size, fill_value=value, dtype=FillDtype(dtype, value), device=DeviceOrDefault(device)")]
    private static partial Tensor Full(long[] size, Scalar value, ScalarType? dtype, Device? device, bool requires_grad, string[]? names);
    [Aten("aten::arange", "end=stop, dtype, device=DeviceOrDefault(device)")]
    private static partial Tensor Arange(Scalar stop, ScalarType? dtype, Device? device, bool requires_grad);
    [Aten("aten::arange.start_step",
        "start, end=stop, step, dtype=DtypeOrDefault(dtype, start, stop, step), device=DeviceOrDefault(device)")]
    private static partial Tensor Arange(Scalar start, Scalar stop, Scalar step, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false);
    [Aten("aten::eye.m", "n=rows, m=columns, dtype=DtypeOrDefault(dtype), device=DeviceOrDefault(device)")]
    private static partial Tensor Eye(long rows, long columns, ScalarType? dtype, Device? device, bool requires_grad, string[]? names);
    [Aten("aten::randint.low_generator", "low, high, size, generator, dtype=dtype ?? ScalarType.Int64, device=DeviceOrDefault(device)")]
    private static partial Tensor Randint(long low, long high, long[] size, ScalarType? dtype = null, Device? device = null,
        bool requires_grad = false, Generator? generator = null, string[]? names = null);
    [Aten("aten::_dirichlet_grad", "x, alpha, total")] internal static partial Tensor DirichletGrad(Tensor x, Tensor alpha, Tensor total);
    [Aten("aten::stft.center",
        "self=input, n_fft, hop_length=hop_length, win_length=win_length, window, center, pad_mode, normalized, onesided, return_complex")]
    private static partial Tensor Stft(Tensor input, long n_fft, long? hop_length, long? win_length, Tensor? window, bool center,
        string pad_mode, bool normalized, bool? onesided, bool? return_complex);

    /// <summary>Joins tensors along a new dimension.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.stack.html">torch.stack</see>.</remarks>
    /// <param name="tensors">The tensors, of equal shape.</param>
    /// <param name="dim">The index of the new dimension.</param>
    public static Tensor stack(Tensor[] tensors, long dim = 0) => stack(tensors.AsEnumerable(), dim);
    [Aten("bridge::manual_seed", "seed")] private static partial void Seed(long seed);
    [Aten("bridge::device_count", "")] private static partial long DeviceCount();
    [Aten("bridge::synchronize", "device")] private static partial void Synchronize(Device? device);
    [Aten("bridge::cudnn_is_available", "")] private static partial bool CudnnIsAvailable();

    /// <summary>Returns whether this machine has a GPU that PyTorch uses by Apple's Metal.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/backends.html#torch.backends.mps.is_available">is_available</see>.
    /// </remarks>
    [Aten("bridge::mps_is_available", "")] public static partial bool mps_is_available();
    [Aten("bridge::initial_seed", "")] private static partial long InitialSeed();
    [Aten("bridge::rng_state", "")] private static partial Tensor RngState();
    [Aten("bridge::set_rng_state", "state")] private static partial void SetRngState(Tensor state);
    [Aten("bridge::seeded", "seed, device")] private static partial Tensor Seeded(long seed, Device device);
    [Aten("bridge::seed_of", "state, device")] private static partial long SeedOf(Tensor state, Device device);
    [Aten("bridge::enter_inference_mode", "mode")] private static partial void EnterInferenceMode(bool mode);
    [Aten("bridge::leave_inference_mode", "")] private static partial void LeaveInferenceMode();
    [Aten("bridge::is_inference_mode", "")] private static partial bool IsInferenceMode();
    [Aten("bridge::enter_autocast", "device_type, dtype, enabled, cache_enabled")]
    private static partial void EnterAutocast(string device_type, ScalarType? dtype, bool enabled, bool? cache_enabled);
    [Aten("bridge::leave_autocast", "")] private static partial void LeaveAutocast();
    [Aten("bridge::is_autocast_enabled", "device_type")] private static partial bool IsAutocast(string device_type);
    [Aten("bridge::autocast_dtype", "device_type")] private static partial Tensor AutocastDtype(string device_type);
    [Aten("aten::_amp_foreach_non_finite_check_and_unscale_", "self, found_inf, inv_scale")]
    internal static partial void UnscaleGradients(Tensor[] self, Tensor found_inf, Tensor inv_scale);
    [Aten("aten::_amp_update_scale_",
        "self, growth_tracker, found_inf, scale_growth_factor, scale_backoff_factor, growth_interval")]
    internal static partial Tensor UpdateScale(Tensor self, Tensor growth_tracker, Tensor found_inf, double scale_growth_factor,
        double scale_backoff_factor, long growth_interval);
}

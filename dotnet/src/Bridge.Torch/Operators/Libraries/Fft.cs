using Bridge.Torch;

namespace TorchSharp;

/// <summary>The direction of a Fourier transform that divides by n. With Ortho, both directions divide by the square root of n.</summary>
public enum FFTNormType
{
    Backward = 0,
    Forward = 1,
    Ortho = 2,
}

public static partial class torch
{
    /// <summary>Fourier transforms: methods that each call one operator (<see cref="AtenAttribute"/>).</summary>
    public static partial class fft
    {
        [Aten("aten::fft_fftshift", "self=input, dim")] public static partial Tensor fftshift(Tensor input, long[]? dim = null);
        [Aten("aten::fft_ifftshift", "self=input, dim")] public static partial Tensor ifftshift(Tensor input, long[]? dim = null);
        [Aten("aten::fft_fftfreq", "n, d, dtype, device")]
        public static partial Tensor fftfreq(long n, double d = 1, ScalarType? dtype = null, Device? device = null,
            bool requires_grad = false);
        [Aten("aten::fft_rfftfreq", "n, d, dtype, device")]
        public static partial Tensor rfftfreq(long n, double d = 1, ScalarType? dtype = null, Device? device = null,
            bool requires_grad = false);
        [Aten("aten::fft_fft", "self=input, n=NullIfNegative(n), dim, norm=Word(norm)")]
        public static partial Tensor fft_(Tensor input, long n = -1, long dim = -1, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_ifft", "self=input, n=NullIfNegative(n), dim, norm=Word(norm)")]
        public static partial Tensor ifft(Tensor input, long n = -1, long dim = -1, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_rfft", "self=input, n=NullIfNegative(n), dim, norm=Word(norm)")]
        public static partial Tensor rfft(Tensor input, long n = -1, long dim = -1, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_irfft", "self=input, n=NullIfNegative(n), dim, norm=Word(norm)")]
        public static partial Tensor irfft(Tensor input, long n = -1, long dim = -1, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_hfft", "self=input, n=NullIfNegative(n), dim, norm=Word(norm)")]
        public static partial Tensor hfft(Tensor input, long n = -1, long dim = -1, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_ihfft", "self=input, n=NullIfNegative(n), dim, norm=Word(norm)")]
        public static partial Tensor ihfft(Tensor input, long n = -1, long dim = -1, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_fft2", "self=input, s, dim=dim ?? [-2, -1], norm=Word(norm)")]
        public static partial Tensor fft2(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_fftn", "self=input, s, dim, norm=Word(norm)")]
        public static partial Tensor fftn(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_ifft2", "self=input, s, dim=dim ?? [-2, -1], norm=Word(norm)")]
        public static partial Tensor ifft2(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_ifftn", "self=input, s, dim, norm=Word(norm)")]
        public static partial Tensor ifftn(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_rfft2", "self=input, s, dim=dim ?? [-2, -1], norm=Word(norm)")]
        public static partial Tensor rfft2(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_rfftn", "self=input, s, dim, norm=Word(norm)")]
        public static partial Tensor rfftn(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_irfft2", "self=input, s, dim=dim ?? [-2, -1], norm=Word(norm)")]
        public static partial Tensor irfft2(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_irfftn", "self=input, s, dim, norm=Word(norm)")]
        public static partial Tensor irfftn(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_hfft2", "self=input, s, dim=dim ?? [-2, -1], norm=Word(norm)")]
        public static partial Tensor hfft2(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_hfftn", "self=input, s, dim, norm=Word(norm)")]
        public static partial Tensor hfftn(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_ihfft2", "self=input, s, dim=dim ?? [-2, -1], norm=Word(norm)")]
        public static partial Tensor ihfft2(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);
        [Aten("aten::fft_ihfftn", "self=input, s, dim, norm=Word(norm)")]
        public static partial Tensor ihfftn(Tensor input, long[]? s = null, long[]? dim = null, FFTNormType norm = FFTNormType.Backward);

        private static string Word(FFTNormType norm) => norm.ToString().ToLowerInvariant();
    }
}

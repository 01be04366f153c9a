using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>
    /// Special functions: methods that each call one operator (<see cref="AtenAttribute"/>), and methods that call those.
    /// </summary>
    public static partial class special
    {
        [Aten("aten::special_airy_ai", "x=input")] public static partial Tensor airy_ai(Tensor input, Tensor? @out = null);
        [Aten("aten::special_bessel_j0", "self=input")] public static partial Tensor bessel_j0(Tensor input, Tensor? @out = null);
        [Aten("aten::special_bessel_j1", "self=input")] public static partial Tensor bessel_j1(Tensor input, Tensor? @out = null);
        [Aten("aten::special_bessel_y0", "self=input")] public static partial Tensor bessel_y0(Tensor input, Tensor? @out = null);
        [Aten("aten::special_bessel_y1", "self=input")] public static partial Tensor bessel_y1(Tensor input, Tensor? @out = null);
        [Aten("aten::special_modified_bessel_i0", "self=input")]
        public static partial Tensor modified_bessel_i0(Tensor input, Tensor? @out = null);
        [Aten("aten::special_modified_bessel_i1", "self=input")]
        public static partial Tensor modified_bessel_i1(Tensor input, Tensor? @out = null);
        [Aten("aten::special_modified_bessel_k0", "self=input")]
        public static partial Tensor modified_bessel_k0(Tensor input, Tensor? @out = null);
        [Aten("aten::special_modified_bessel_k1", "self=input")]
        public static partial Tensor modified_bessel_k1(Tensor input, Tensor? @out = null);
        [Aten("aten::special_scaled_modified_bessel_k0", "x=input")]
        public static partial Tensor scaled_modified_bessel_k0(Tensor input, Tensor? @out = null);
        [Aten("aten::special_scaled_modified_bessel_k1", "x=input")]
        public static partial Tensor scaled_modified_bessel_k1(Tensor input, Tensor? @out = null);
        [Aten("aten::special_spherical_bessel_j0", "x=input")]
        public static partial Tensor spherical_bessel_j0(Tensor input, Tensor? @out = null);
        [Aten("aten::special_chebyshev_polynomial_t", "x, n")]
        public static partial Tensor chebyshev_polynomial_t(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_chebyshev_polynomial_u", "x, n")]
        public static partial Tensor chebyshev_polynomial_u(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_chebyshev_polynomial_v", "x, n")]
        public static partial Tensor chebyshev_polynomial_v(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_chebyshev_polynomial_w", "x, n")]
        public static partial Tensor chebyshev_polynomial_w(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_shifted_chebyshev_polynomial_t", "x, n")]
        public static partial Tensor shifted_chebyshev_polynomial_t(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_shifted_chebyshev_polynomial_u", "x, n")]
        public static partial Tensor shifted_chebyshev_polynomial_u(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_shifted_chebyshev_polynomial_v", "x, n")]
        public static partial Tensor shifted_chebyshev_polynomial_v(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_shifted_chebyshev_polynomial_w", "x, n")]
        public static partial Tensor shifted_chebyshev_polynomial_w(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_hermite_polynomial_h", "x, n")]
        public static partial Tensor hermite_polynomial_h(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_hermite_polynomial_he", "x, n")]
        public static partial Tensor hermite_polynomial_he(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_laguerre_polynomial_l", "x, n")]
        public static partial Tensor laguerre_polynomial_l(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_legendre_polynomial_p", "x, n")]
        public static partial Tensor legendre_polynomial_p(Tensor x, Tensor n, Tensor? @out = null);
        [Aten("aten::special_entr", "self=input")] public static partial Tensor entr(Tensor input);
        public static Tensor erf(Tensor input) => input.erf();
        public static Tensor erfc(Tensor input) => input.erfc();
        [Aten("aten::special_erfcx", "self=input")] public static partial Tensor erfcx(Tensor input);
        public static Tensor erfinv(Tensor input) => input.erfinv();
        [Aten("aten::special_expit", "self=input")] public static partial Tensor expit(Tensor input);
        public static Tensor expm1(Tensor input) => input.expm1();
        public static Tensor exp2(Tensor input) => input.exp2();
        [Aten("aten::special_gammaln", "self=input")] public static partial Tensor gammaln(Tensor input);
        [Aten("aten::special_gammainc", "self=input, other")] public static partial Tensor gammainc(Tensor input, Tensor other);
        [Aten("aten::special_gammaincc", "self=input, other")] public static partial Tensor gammaincc(Tensor input, Tensor other);
        [Aten("aten::special_polygamma", "n, self=input")] public static partial Tensor polygamma(long n, Tensor input);
        [Aten("aten::special_multigammaln", "self=input, p")] public static partial Tensor multigammaln(Tensor input, long p);
        public static Tensor digamma(Tensor input) => input.digamma();
        [Aten("aten::special_psi", "self=input")] public static partial Tensor psi(Tensor input);
        [Aten("aten::special_i0e", "self=input")] public static partial Tensor i0e(Tensor input);
        [Aten("aten::special_i1", "self=input")] public static partial Tensor i1(Tensor input);
        [Aten("aten::special_i1e", "self=input")] public static partial Tensor i1e(Tensor input);
        public static Tensor logit(Tensor input) => input.logit();
        public static Tensor log_softmax(Tensor input, long dim, ScalarType? dtype = null) => input.log_softmax(dim, dtype);
        [Aten("aten::special_ndtr", "self=input")] public static partial Tensor ndtr(Tensor input);
        [Aten("aten::special_ndtri", "self=input")] public static partial Tensor ndtri(Tensor input);
        public static Tensor sinc(Tensor input) => input.sinc();
        public static Tensor sigmoid(Tensor input) => input.sigmoid();
        public static Tensor sigmoid_(Tensor input) => input.sigmoid_();
        public static Tensor softmax(Tensor input, long dim, ScalarType? dtype = null) => input.softmax(dim, dtype);
        [Aten("aten::special_xlog1py", "self=input, other")] public static partial Tensor xlog1py(Tensor input, Tensor other);
        [Aten("aten::special_zeta", "self=x, other=q")] public static partial Tensor zeta(Tensor x, Tensor q);
    }
}

using Bridge.Torch;

namespace TorchSharp;

/// <summary>
/// Elementwise and in-place members of Tensor: methods that each call one operator (<see cref="AtenAttribute"/>), and methods that call
/// those.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::asin", "self")] public partial Tensor asin();
        [Aten("aten::asin_", "self")] public partial Tensor asin_();
        [Aten("aten::acos", "self")] public partial Tensor acos();
        [Aten("aten::acos_", "self")] public partial Tensor acos_();
        [Aten("aten::atan", "self")] public partial Tensor atan();
        [Aten("aten::atan_", "self")] public partial Tensor atan_();
        [Aten("aten::sinc", "self")] public partial Tensor sinc();
        [Aten("aten::sinc_", "self")] public partial Tensor sinc_();
        [Aten("aten::sinh", "self")] public partial Tensor sinh();
        [Aten("aten::sinh_", "self")] public partial Tensor sinh_();
        [Aten("aten::cosh", "self")] public partial Tensor cosh();
        [Aten("aten::cosh_", "self")] public partial Tensor cosh_();
        [Aten("aten::asinh", "self")] public partial Tensor asinh();
        [Aten("aten::asinh_", "self")] public partial Tensor asinh_();
        [Aten("aten::acosh", "self")] public partial Tensor acosh();
        [Aten("aten::acosh_", "self")] public partial Tensor acosh_();
        [Aten("aten::atanh", "self")] public partial Tensor atanh();
        [Aten("aten::atanh_", "self")] public partial Tensor atanh_();
        [Aten("aten::deg2rad", "self")] public partial Tensor deg2rad();
        [Aten("aten::deg2rad_", "self")] public partial Tensor deg2rad_();
        [Aten("aten::rad2deg", "self")] public partial Tensor rad2deg();
        [Aten("aten::rad2deg_", "self")] public partial Tensor rad2deg_();
        [Aten("aten::digamma", "self")] public partial Tensor digamma();
        [Aten("aten::digamma_", "self")] public partial Tensor digamma_();
        [Aten("aten::lgamma", "self")] public partial Tensor lgamma();
        [Aten("aten::lgamma_", "self")] public partial Tensor lgamma_();
        [Aten("aten::i0", "self")] public partial Tensor i0();
        [Aten("aten::i0_", "self")] public partial Tensor i0_();
        [Aten("aten::erfc", "self")] public partial Tensor erfc();
        [Aten("aten::erfc_", "self")] public partial Tensor erfc_();
        [Aten("aten::erfinv", "self")] public partial Tensor erfinv();
        [Aten("aten::erfinv_", "self")] public partial Tensor erfinv_();
        [Aten("aten::cos_", "self")] public partial Tensor cos_();
        [Aten("aten::sin_", "self")] public partial Tensor sin_();
        [Aten("aten::tan_", "self")] public partial Tensor tan_();
        [Aten("aten::tanh_", "self")] public partial Tensor tanh_();
        [Aten("aten::erf_", "self")] public partial Tensor erf_();
        [Aten("aten::exp_", "self")] public partial Tensor exp_();
        [Aten("aten::exp2_", "self")] public partial Tensor exp2_();
        [Aten("aten::expm1_", "self")] public partial Tensor expm1_();
        [Aten("aten::log_", "self")] public partial Tensor log_();
        [Aten("aten::log10_", "self")] public partial Tensor log10_();
        [Aten("aten::log1p_", "self")] public partial Tensor log1p_();
        [Aten("aten::log2_", "self")] public partial Tensor log2_();
        [Aten("aten::rsqrt_", "self")] public partial Tensor rsqrt_();
        [Aten("aten::sqrt_", "self")] public partial Tensor sqrt_();
        [Aten("aten::reciprocal_", "self")] public partial Tensor reciprocal_();
        [Aten("aten::neg_", "self")] public partial Tensor neg_();
        [Aten("aten::abs_", "self")] public partial Tensor abs_();
        [Aten("aten::floor_", "self")] public partial Tensor floor_();
        [Aten("aten::ceil_", "self")] public partial Tensor ceil_();
        [Aten("aten::sign_", "self")] public partial Tensor sign_();
        [Aten("aten::frac", "self")] public partial Tensor frac();
        [Aten("aten::frac_", "self")] public partial Tensor frac_();
        [Aten("aten::trunc", "self")] public partial Tensor trunc();
        [Aten("aten::trunc_", "self")] public partial Tensor trunc_();
        [Aten("aten::sgn", "self")] public partial Tensor sgn();
        [Aten("aten::sgn_", "self")] public partial Tensor sgn_();
        [Aten("aten::positive", "self")] private partial Tensor Plus();
        [Aten("aten::angle", "self")] public partial Tensor angle();
        [Aten("aten::conj", "self")] public partial Tensor conj();
        [Aten("aten::conj_physical", "self")] public partial Tensor conj_physical();
        [Aten("aten::conj_physical_", "self")] public partial Tensor conj_physical_();
        [Aten("aten::signbit", "self")] public partial Tensor signbit();
        [Aten("aten::isposinf", "self")] public partial Tensor isposinf();
        [Aten("aten::isneginf", "self")] public partial Tensor isneginf();
        [Aten("aten::isreal", "self")] public partial Tensor isreal();
        [Aten("aten::logical_not_", "self")] public partial Tensor logical_not_();
        [Aten("aten::bitwise_not_", "self")] public partial Tensor bitwise_not_();
        [Aten("aten::atan2_", "self, other")] public partial Tensor atan2_(Tensor other);
        [Aten("aten::copysign.Tensor", "self, other")] public partial Tensor copysign(Tensor other);
        [Aten("aten::copysign_.Tensor", "self, other")] public partial Tensor copysign_(Tensor other);
        [Aten("aten::hypot", "self, other")] public partial Tensor hypot(Tensor other);
        [Aten("aten::logaddexp", "self, other")] public partial Tensor logaddexp(Tensor other);
        [Aten("aten::logaddexp2", "self, other")] public partial Tensor logaddexp2(Tensor other);
        [Aten("aten::fmod.Tensor", "self, other=target")] public partial Tensor fmod(Tensor target);
        [Aten("aten::fmod_.Tensor", "self, other=target")] public partial Tensor fmod_(Tensor target);
        [Aten("aten::remainder_.Tensor", "self, other=target")] public partial Tensor remainder_(Tensor target);
        [Aten("aten::fmax", "self, other")] public partial Tensor fmax(Tensor other);
        [Aten("aten::fmin", "self, other")] public partial Tensor fmin(Tensor other);
        [Aten("aten::ldexp.Tensor", "self, other")] public partial Tensor ldexp(Tensor other);
        [Aten("aten::ldexp_", "self, other")] public partial Tensor ldexp_(Tensor other);
        [Aten("aten::xlogy.Tensor", "self, other=y")] public partial Tensor xlogy(Tensor y);
        [Aten("aten::xlogy_.Tensor", "self, other=y")] public partial Tensor xlogy_(Tensor y);
        [Aten("aten::float_power.Tensor_Tensor", "self, exponent=target")] public partial Tensor float_power(Tensor target);
        [Aten("aten::pow_.Tensor", "self, exponent")] public partial Tensor pow_(Tensor exponent);
        [Aten("aten::heaviside", "self, values=other")] public partial Tensor heaviside(Tensor other);
        [Aten("aten::heaviside_", "self, values=other")] public partial Tensor heaviside_(Tensor other);
        [Aten("aten::nextafter", "self, other")] public partial Tensor nextafter(Tensor other);
        [Aten("aten::nextafter_", "self, other")] public partial Tensor nextafter_(Tensor other);
        [Aten("aten::igamma", "self, other")] public partial Tensor igamma(Tensor other);
        [Aten("aten::igammac", "self, other")] public partial Tensor igammac(Tensor other);
        [Aten("aten::logical_and_", "self, other")] public partial Tensor logical_and_(Tensor other);
        [Aten("aten::logical_or_", "self, other")] public partial Tensor logical_or_(Tensor other);
        [Aten("aten::logical_xor", "self, other")] public partial Tensor logical_xor(Tensor other);
        [Aten("aten::logical_xor_", "self, other")] public partial Tensor logical_xor_(Tensor other);
        [Aten("aten::eq_.Tensor", "self, other=target")] public partial Tensor eq_(Tensor target);
        [Aten("aten::ne_.Tensor", "self, other=target")] public partial Tensor ne_(Tensor target);
        [Aten("aten::ge_.Tensor", "self, other=target")] public partial Tensor ge_(Tensor target);
        [Aten("aten::gt_.Tensor", "self, other=target")] public partial Tensor gt_(Tensor target);
        [Aten("aten::le_.Tensor", "self, other=target")] public partial Tensor le_(Tensor target);
        [Aten("aten::lt_.Tensor", "self, other=target")] public partial Tensor lt_(Tensor target);
        [Aten("aten::lcm", "self, other")] public partial Tensor lcm(Tensor other);
        [Aten("aten::lcm_", "self, other")] public partial Tensor lcm_(Tensor other);
        [Aten("aten::gcd", "self, other")] public partial Tensor gcd(Tensor other);
        [Aten("aten::gcd_", "self, other")] public partial Tensor gcd_(Tensor other);
        [Aten("aten::bitwise_and_.Tensor", "self, other")] public partial Tensor bitwise_and_(Tensor other);
        [Aten("aten::bitwise_or_.Tensor", "self, other")] public partial Tensor bitwise_or_(Tensor other);
        [Aten("aten::bitwise_xor_.Tensor", "self, other")] public partial Tensor bitwise_xor_(Tensor other);
        [Aten("aten::bitwise_left_shift.Tensor", "self, other")] public partial Tensor bitwise_left_shift(Tensor other);
        [Aten("aten::bitwise_left_shift_.Tensor", "self, other")] public partial Tensor bitwise_left_shift_(Tensor other);
        [Aten("aten::bitwise_right_shift.Tensor", "self, other")] public partial Tensor bitwise_right_shift(Tensor other);
        [Aten("aten::bitwise_right_shift_.Tensor", "self, other")] public partial Tensor bitwise_right_shift_(Tensor other);
        [Aten("aten::eq_.Scalar", "self, other=target")] public partial Tensor eq_(Scalar target);
        [Aten("aten::ne_.Scalar", "self, other=target")] public partial Tensor ne_(Scalar target);
        [Aten("aten::ge_.Scalar", "self, other=target")] public partial Tensor ge_(Scalar target);
        [Aten("aten::gt_.Scalar", "self, other=target")] public partial Tensor gt_(Scalar target);
        [Aten("aten::le_.Scalar", "self, other=target")] public partial Tensor le_(Scalar target);
        [Aten("aten::lt_.Scalar", "self, other=target")] public partial Tensor lt_(Scalar target);
        [Aten("aten::fmod.Scalar", "self, other=scalar")] public partial Tensor fmod(Scalar scalar);
        [Aten("aten::fmod_.Scalar", "self, other=scalar")] public partial Tensor fmod_(Scalar scalar);
        [Aten("aten::remainder_.Scalar", "self, other=scalar")] public partial Tensor remainder_(Scalar scalar);
        [Aten("aten::xlogy.Scalar_Other", "self, other=y")] public partial Tensor xlogy(Scalar y);
        [Aten("aten::xlogy_.Scalar_Other", "self, other=y")] public partial Tensor xlogy_(Scalar y);
        [Aten("aten::div_.Tensor_mode", "self, other=target, rounding_mode")]
        private partial Tensor DivideBy_(Tensor target, string? rounding_mode);
        [Aten("aten::floor_divide", "self, other")] public partial Tensor floor_divide(Tensor other);
        [Aten("aten::floor_divide_.Tensor", "self, other")] public partial Tensor floor_divide_(Tensor other);
        [Aten("aten::round_.decimals", "self, decimals")] private partial Tensor RoundTo_(long decimals);
        [Aten("aten::logit", "self, eps")] public partial Tensor logit(double? eps = null);
        [Aten("aten::logit_", "self, eps")] public partial Tensor logit_(double? eps = null);
        [Aten("aten::mvlgamma", "self, p")] public partial Tensor mvlgamma(long p);
        [Aten("aten::mvlgamma_", "self, p")] public partial Tensor mvlgamma_(long p);
        [Aten("aten::polygamma", "n=p, self")] public partial Tensor polygamma(long p);
        [Aten("aten::polygamma_", "self, n=p")] public partial Tensor polygamma_(long p);
        [Aten("aten::nan_to_num_", "self, nan, posinf, neginf")]
        public partial Tensor nan_to_num_(double nan = 0d, double? posinf = null, double? neginf = null);
        [Aten("aten::isclose", "self, other, rtol, atol, equal_nan=nanEqual")]
        public partial Tensor isclose(Tensor other, double rtol = 1e-05, double atol = 1e-08, bool nanEqual = false);
        [Aten("aten::isin.Tensor_Tensor", "elements=self, test_elements, assume_unique=assumeUnique, invert")]
        public partial Tensor isin(Tensor test_elements, bool assumeUnique = false, bool invert = false);
        [Aten("aten::lerp_.Scalar", "self, end, weight")] internal partial Tensor Lerp_(Tensor end, Scalar weight);
        [Aten("aten::lerp_.Tensor", "self, end, weight")] public partial Tensor lerp_(Tensor end, Tensor weight);
        [Aten("aten::clamp_.Tensor", "self, min, max")] public partial Tensor clamp_(Tensor? min = null, Tensor? max = null);
        [Aten("aten::clamp_max_", "self, max")] public partial Tensor clamp_max_(Scalar max);
        [Aten("aten::clamp_min_", "self, min")] public partial Tensor clamp_min_(Scalar min);
        [Aten("aten::frexp.Tensor", "self")] public partial (Tensor Mantissa, Tensor Exponent) frexp();
        [Aten("aten::bucketize.Tensor", "self, boundaries, out_int32, right")]
        private partial Tensor Bucketed(Tensor boundaries, bool out_int32, bool right);

        /// <exception cref="ArgumentException">The tensor is boolean.</exception>
        public Tensor positive() =>
            dtype == ScalarType.Bool ? throw new ArgumentException("The `+` operator, on a bool tensor is not supported.") : Plus();
        public Tensor arcsin() => asin();

        public Tensor arcsin_() => asin_();

        public Tensor arccos() => acos();

        public Tensor arccos_() => acos_();

        public Tensor arctan() => atan();

        public Tensor arctan_() => atan_();

        public Tensor arcsinh() => asinh();

        public Tensor arcsinh_() => asinh_();

        public Tensor arccosh() => acosh();

        public Tensor arccosh_() => acosh_();

        public Tensor arctanh() => atanh();

        public Tensor arctanh_() => atanh_();

        public Tensor absolute() => abs();

        public Tensor absolute_() => abs_();

        public Tensor fix() => trunc();

        public Tensor fix_() => trunc_();

        public Tensor negative() => neg();

        public Tensor arctan(Tensor other) => atan2(other);

        public Tensor arctan_(Tensor other) => atan2_(other);

        public Tensor arctan2(Tensor other) => atan2(other);

        public Tensor arctan2_(Tensor other) => atan2_(other);

        public Tensor greater_equal(Tensor target) => ge(target);

        public Tensor greater(Tensor target) => gt(target);

        public Tensor less_equal(Tensor target) => le(target);

        public Tensor less(Tensor target) => lt(target);

        public Tensor not_equal(Tensor target) => ne(target);

        public Tensor less_equal_(Tensor target) => le_(target);

        public Tensor not_equal_(Tensor target) => ne_(target);

        public Tensor multiply(Tensor target) => mul(target);

        public Tensor true_divide(Tensor other) => div(other);

        public Tensor true_divide_(Tensor other) => div_(other);

        public Tensor subtract(Tensor target) => sub(target);

        public Tensor subtract_(Tensor target) => sub_(target);

        public Tensor multiply(Scalar target) => mul(target);

        public Tensor true_divide(Scalar other) => div(other);

        public Tensor true_divide_(Scalar other) => div_(other);

        public Tensor subtract(Scalar target) => sub(target);

        public Tensor subtract_(Scalar target) => sub_(target);

        public Tensor floor_divide(Scalar other)
        {
            using var number = Number(other);
            return floor_divide(number);
        }

        public Tensor floor_divide_(Scalar other)
        {
            using var number = NumberBeside(other);
            return floor_divide_(number);
        }

        public Tensor div_(Tensor target, RoundingMode rounding_mode = RoundingMode.None) => DivideBy_(target, Word(rounding_mode));

        public Tensor div_(Scalar target, RoundingMode rounding_mode = RoundingMode.None)
        {
            using var number = NumberBeside(target);
            return DivideBy_(number, Word(rounding_mode));
        }

        public Tensor divide(Tensor target, RoundingMode rounding_mode = RoundingMode.None) =>
            rounding_mode == RoundingMode.None ? div(target) : div(target, rounding_mode);

        public Tensor divide(Scalar target, RoundingMode rounding_mode = RoundingMode.None) =>
            rounding_mode == RoundingMode.None ? div(target) : div(target, rounding_mode);

        public Tensor divide_(Tensor target, RoundingMode rounding_mode = RoundingMode.None) =>
            rounding_mode == RoundingMode.None ? div_(target) : div_(target, rounding_mode);

        public Tensor divide_(Scalar target, RoundingMode rounding_mode = RoundingMode.None) =>
            rounding_mode == RoundingMode.None ? div_(target) : div_(target, rounding_mode);

        public Tensor round_(long decimals = 0) => RoundTo_(decimals);

        public Tensor bucketize(Tensor boundaries, bool outInt32 = false, bool right = false) => Bucketed(boundaries, outInt32, right);
    }
}

using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

/// <summary>
/// Arithmetic and elementwise members of Tensor, matrix products, and some others: methods that each call one operator
/// (<see cref="AtenAttribute"/>), and methods that call those.
/// </summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::add.Tensor", "self, other, alpha")] private partial Tensor Add(Tensor other, Scalar alpha);
        [Aten("aten::add.Scalar", "self, other, alpha")] private partial Tensor Add(Scalar other, Scalar alpha);
        [Aten("aten::sub.Tensor", "self, other, alpha")] private partial Tensor Sub(Tensor other, Scalar alpha);
        [Aten("aten::sub.Scalar", "self, other, alpha")] private partial Tensor Sub(Scalar other, Scalar alpha);
        [Aten("aten::mul.Scalar", "self, other=target")] private partial Tensor Mul(Scalar target);
        [Aten("aten::div.Scalar", "self, other=target")] private partial Tensor Div(Scalar target);
        [Aten("aten::eq.Scalar", "self, other=target")] private partial Tensor Eq(Scalar target);
        [Aten("aten::ne.Scalar", "self, other=target")] private partial Tensor Ne(Scalar target);
        [Aten("aten::gt.Scalar", "self, other=target")] private partial Tensor Gt(Scalar target);
        [Aten("aten::ge.Scalar", "self, other=target")] private partial Tensor Ge(Scalar target);
        [Aten("aten::lt.Scalar", "self, other=target")] private partial Tensor Lt(Scalar target);
        [Aten("aten::le.Scalar", "self, other=target")] private partial Tensor Le(Scalar target);
        [Aten("aten::add_.Tensor", "self, other=target, alpha")] private partial Tensor Add_(Tensor target, Scalar alpha);
        [Aten("aten::add_.Scalar", "self, other=value, alpha")] private partial Tensor Add_(Scalar value, Scalar alpha);
        [Aten("aten::sub_.Tensor", "self, other=target, alpha")] private partial Tensor Sub_(Tensor target, Scalar alpha);
        [Aten("aten::sub_.Scalar", "self, other=value")] private partial Tensor Sub_(Scalar value);
        [Aten("aten::mul_.Scalar", "self, other=target")] private partial Tensor Mul_(Scalar target);
        [Aten("aten::div_.Scalar", "self, other=target")] private partial Tensor Div_(Scalar target);
        [Aten("aten::div_.Tensor", "self, other=target")] public partial Tensor div_(Tensor target);
        [Aten("aten::div.Tensor_mode", "self, other=target, rounding_mode=Word(rounding_mode)")]
        public partial Tensor div(Tensor target, RoundingMode rounding_mode = RoundingMode.None);
        [Aten("aten::pow.Tensor_Tensor", "self, exponent")] public partial Tensor pow(Tensor exponent);
        [Aten("aten::pow.Tensor_Scalar", "self, exponent")] public partial Tensor pow(Scalar exponent);
        [Aten("aten::pow_.Scalar", "self, exponent")] public partial Tensor pow_(Scalar exponent);
        [Aten("aten::remainder.Tensor", "self, other=target")] public partial Tensor remainder(Tensor target);
        [Aten("aten::remainder.Scalar", "self, other=scalar")] public partial Tensor remainder(Scalar scalar);
        [Aten("aten::clamp", "self, min, max")] public partial Tensor clamp(Scalar? min = null, Scalar? max = null);
        [Aten("aten::clamp.Tensor", "self, min, max")] public partial Tensor clamp(Tensor? min = null, Tensor? max = null);
        [Aten("aten::clamp_", "self, min, max")] public partial Tensor clamp_(Scalar? min = null, Scalar? max = null);
        [Aten("aten::clamp_min", "self, min")] public partial Tensor clamp_min(Scalar min);
        [Aten("aten::clamp_max", "self, max")] public partial Tensor clamp_max(Scalar max);
        [Aten("aten::maximum", "self, other")] public partial Tensor maximum(Tensor other);
        [Aten("aten::minimum", "self, other")] public partial Tensor minimum(Tensor other);
        [Aten("aten::rsqrt", "self")] public partial Tensor rsqrt();
        [Aten("aten::square", "self")] public partial Tensor square();
        [Aten("aten::log", "self")] public partial Tensor log();
        [Aten("aten::log2", "self")] public partial Tensor log2();
        [Aten("aten::log10", "self")] public partial Tensor log10();
        [Aten("aten::log1p", "self")] public partial Tensor log1p();
        [Aten("aten::exp2", "self")] public partial Tensor exp2();
        [Aten("aten::expm1", "self")] public partial Tensor expm1();
        [Aten("aten::erf", "self")] public partial Tensor erf();
        [Aten("aten::sin", "self")] public partial Tensor sin();
        [Aten("aten::cos", "self")] public partial Tensor cos();
        [Aten("aten::tan", "self")] public partial Tensor tan();
        [Aten("aten::atan2", "self, other")] public partial Tensor atan2(Tensor other);
        [Aten("aten::floor", "self")] public partial Tensor floor();
        [Aten("aten::ceil", "self")] public partial Tensor ceil();
        [Aten("aten::round.decimals", "self, decimals")] private partial Tensor RoundTo(long decimals);
        [Aten("aten::round", "self")] private partial Tensor Round();
        [Aten("aten::sign", "self")] public partial Tensor sign();
        [Aten("aten::silu", "self")] public partial Tensor silu();
        [Aten("aten::celu", "self, alpha")] public partial Tensor celu(Scalar alpha);
        [Aten("aten::celu_", "self, alpha")] public partial Tensor celu_(Scalar alpha);
        [Aten("aten::sigmoid_", "self")] public partial Tensor sigmoid_();
        [Aten("aten::log_softmax.int", "self, dim, dtype")] public partial Tensor log_softmax(long dim, ScalarType? dtype = null);
        [Aten("aten::nan_to_num", "self, nan, posinf, neginf")]
        public partial Tensor nan_to_num(double nan = 0d, double? posinf = null, double? neginf = null);
        [Aten("aten::lerp.Tensor", "self, end, weight")] public partial Tensor lerp(Tensor end, Tensor weight);

        [Aten("aten::mm", "self, mat2=target")] public partial Tensor mm(Tensor target);
        [Aten("aten::bmm", "self, mat2=batch2")] public partial Tensor bmm(Tensor batch2);
        [Aten("aten::dot", "self, tensor=target")] public partial Tensor dot(Tensor target);
        [Aten("aten::outer", "self, vec2")] public partial Tensor outer(Tensor vec2);

        [Aten("aten::ne.Tensor", "self, other=target")] public partial Tensor ne(Tensor target);
        [Aten("aten::ge.Tensor", "self, other=target")] public partial Tensor ge(Tensor target);
        [Aten("aten::le.Tensor", "self, other=target")] public partial Tensor le(Tensor target);
        [Aten("aten::isnan", "self")] public partial Tensor isnan();
        [Aten("aten::isinf", "self")] public partial Tensor isinf();
        [Aten("aten::isfinite", "self")] public partial Tensor isfinite();
        [Aten("aten::logical_not", "self")] public partial Tensor logical_not();
        [Aten("aten::logical_and", "self, other")] public partial Tensor logical_and(Tensor other);
        [Aten("aten::logical_or", "self, other")] public partial Tensor logical_or(Tensor other);
        [Aten("aten::bitwise_not", "self")] public partial Tensor bitwise_not();
        [Aten("aten::bitwise_and.Tensor", "self, other")] public partial Tensor bitwise_and(Tensor other);
        [Aten("aten::bitwise_or.Tensor", "self, other")] public partial Tensor bitwise_or(Tensor other);
        [Aten("aten::bitwise_xor.Tensor", "self, other")] public partial Tensor bitwise_xor(Tensor other);

        [Aten("aten::allclose", "self, other=target, rtol, atol, equal_nan")]
        public partial bool allclose(Tensor target, double rtol = 1e-05, double atol = 1e-08, bool equal_nan = false);

        public Tensor add_(Tensor target) => Add_(target, 1);

        public Tensor add_(Tensor target, Scalar alpha) => Add_(target, alpha);

        public Tensor add_(Scalar scalar) => add_(scalar, 1);

        public Tensor add_(Scalar scalar, Scalar alpha)
        {
            if (TorchFunctionMode.IsActive && !scalar.IsComplex) return Add_(scalar, alpha);
            using var number = Number(scalar);
            return Add_(number, alpha);
        }

        public Tensor mul_(Scalar target) => With_(target, mul_, Mul_);

        public Tensor div_(Scalar target) => With_(target.IsComplex ? target : target.Real, div_, Div_);

        /// <summary>
        /// Runs an in-place operator on this tensor and a number, as <see cref="With"/> does out of place.
        /// </summary>
        private Tensor With_(Scalar value, Func<Tensor, Tensor> ofTensor, Func<Scalar, Tensor> ofScalar)
        {
            if (TorchFunctionMode.IsActive && !value.IsComplex) return ofScalar(value);
            using var number = NumberBeside(value);
            return ofTensor(number);
        }

        // An in-place operator never changes the tensor's type, so the number may have a wider type. As in PyTorch, a tensor of a half type
        // is multiplied or divided by the unrounded number, whereas a number that is added or subtracted is rounded first.
        private Tensor NumberBeside(Scalar value) => WrappedNumber.IsKnown || !is_floating_point() || value.IsComplex ? Number(value)
            : tensor(value.Real, dim() == 0 && dtype != ScalarType.Float64 ? ScalarType.Float32 : ScalarType.Float64);

        public Tensor sub_(Tensor target) => Sub_(target, 1);

        public Tensor sub_(Scalar target)
        {
            RefuseBool(target.IsBool);
            if (TorchFunctionMode.IsActive && !target.IsComplex) return Sub_(target);
            using var number = Number(target);
            return Sub_(number, 1);
        }

        public Tensor div(Scalar target, RoundingMode rounding_mode = RoundingMode.None)
        {
            using var number = Number(target);
            return div(number, rounding_mode);
        }

        public Tensor celu() => celu(1);

        public Tensor celu_() => celu_(1);

        public Tensor clip(Scalar? min = null, Scalar? max = null) => clamp(min, max);

        public Tensor round(long decimals = 0) => decimals == 0 ? Round() : RoundTo(decimals);

        /// <summary>Compares element by element; <see cref="Equals(Tensor)"/> compares entire tensors.</summary>
        public Tensor equal(Tensor target) => eq(target);

        private static string? Word(RoundingMode mode) =>
            mode switch { RoundingMode.trunc => "trunc", RoundingMode.floor => "floor", _ => null };
    }
}

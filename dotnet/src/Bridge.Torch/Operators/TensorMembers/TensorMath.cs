using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

// Arithmetic members of Tensor that take numbers, and the operators behind them.
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
        [Aten("aten::add_.Scalar", "self, other=value, alpha")] private partial Tensor Add_(Scalar value, Scalar alpha);
        [Aten("aten::sub_.Scalar", "self, other=value")] private partial Tensor Sub_(Scalar value);
        [Aten("aten::mul_.Scalar", "self, other=target")] private partial Tensor Mul_(Scalar target);
        [Aten("aten::div_.Scalar", "self, other=target")] private partial Tensor Div_(Scalar target);

        /// <summary>Divides this tensor by another in place, without rounding.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.div_.html">torch.Tensor.div_</see>.
        /// </remarks>
        /// <param name="target">The other operand, which is broadcast.</param>
        /// <returns>This tensor.</returns>
        [Aten("aten::div_.Tensor", "self, other=target")] public partial Tensor div_(Tensor target);
        [Aten("aten::round.decimals", "self, decimals")] private partial Tensor RoundTo(long decimals);
        [Aten("aten::round", "self")] private partial Tensor Round();

        // Written by hand to stand before the overloads for numbers: in another order, Microsoft's apicompat ends with an exception.
        /// <summary>Adds another tensor to this one, in place.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.add_.html">torch.Tensor.add_</see>.
        /// </remarks>
        /// <param name="target">The other tensor, which is broadcast.</param>
        /// <returns>This tensor.</returns>
        public Tensor add_(Tensor target) => add_(target, 1);

        /// <summary>Adds a multiple of another tensor to this one, in place.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.add_.html">torch.Tensor.add_</see>.
        /// </remarks>
        /// <param name="target">The other tensor, which is broadcast.</param>
        /// <param name="alpha">The factor of the other tensor.</param>
        /// <returns>This tensor.</returns>
        [Aten("aten::add_.Tensor", "self, other=target, alpha")] public partial Tensor add_(Tensor target, Scalar alpha);

        /// <summary>Adds a number to this tensor, in place.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.add_.html">torch.Tensor.add_</see>.
        /// </remarks>
        /// <param name="scalar">The number.</param>
        /// <returns>This tensor.</returns>
        public Tensor add_(Scalar scalar) => add_(scalar, 1);

        /// <summary>Adds a multiple of a number to this tensor, in place.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.add_.html">torch.Tensor.add_</see>.
        /// </remarks>
        /// <param name="scalar">The number.</param>
        /// <param name="alpha">The factor of the number.</param>
        /// <returns>This tensor.</returns>
        public Tensor add_(Scalar scalar, Scalar alpha)
        {
            if (TorchFunctionMode.IsActive && !scalar.IsComplex) return Add_(scalar, alpha);
            using var number = Number(scalar);
            return add_(number, alpha);
        }

        /// <summary>Multiplies this tensor by a number, in place.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.mul_.html">torch.Tensor.mul_</see>.
        /// </remarks>
        /// <param name="target">The number.</param>
        /// <returns>This tensor.</returns>
        public Tensor mul_(Scalar target) => With_(target, mul_, Mul_);

        /// <summary>Divides this tensor by a number in place, without rounding.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.div_.html">torch.Tensor.div_</see>.
        /// </remarks>
        /// <param name="target">The divisor.</param>
        /// <returns>This tensor.</returns>
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

        /// <summary>Subtracts a number from this tensor, in place.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.sub_.html">torch.Tensor.sub_</see>.
        /// </remarks>
        /// <param name="target">The number.</param>
        /// <returns>This tensor.</returns>
        public Tensor sub_(Scalar target)
        {
            RefuseBool(target.IsBool);
            if (TorchFunctionMode.IsActive && !target.IsComplex) return Sub_(target);
            using var number = Number(target);
            return sub_(number);
        }

        /// <summary>Rounds each element of this tensor to a number of decimals, halves to even.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.round.html">torch.Tensor.round</see>.
        /// </remarks>
        /// <param name="decimals">The number of decimals; if negative, places before the decimal point.</param>
        public Tensor round(long decimals = 0) => decimals == 0 ? Round() : RoundTo(decimals);
    }
}

using Bridge.Torch;

namespace TorchSharp;

/// <summary>Elementwise members of Tensor that check or convert what they are given.</summary>
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::positive", "self")] private partial Tensor Plus();
        [Aten("aten::div.Tensor_mode", "self, other=target, rounding_mode")]
        private partial Tensor DivideBy(Tensor target, RoundingMode rounding_mode);
        [Aten("aten::div_.Tensor_mode", "self, other=target, rounding_mode")]
        private partial Tensor DivideBy_(Tensor target, RoundingMode rounding_mode);
        [Aten("aten::lerp_.Scalar", "self, end, weight")] internal partial Tensor Lerp_(Tensor end, Scalar weight);

        /// <summary>Returns this tensor, which must not be boolean.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.positive.html">torch.Tensor.positive</see>.
        /// </remarks>
        /// <exception cref="ArgumentException">The tensor is boolean.</exception>
        public Tensor positive() =>
            dtype == ScalarType.Bool ? throw new ArgumentException("The `+` operator, on a bool tensor is not supported.") : Plus();

        /// <summary>Divides this tensor by a number, and rounds the quotient down.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.floor_divide.html">floor_divide</see>.
        /// </remarks>
        /// <param name="other">The divisor.</param>
        public Tensor floor_divide(Scalar other)
        {
            using var number = Number(other);
            return floor_divide(number);
        }

        /// <summary>Divides this tensor by a number, and rounds the quotient down, in place.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.floor_divide_.html">floor_divide_</see>.
        /// </remarks>
        /// <param name="other">The divisor.</param>
        /// <returns>This tensor.</returns>
        public Tensor floor_divide_(Scalar other)
        {
            using var number = NumberBeside(other);
            return floor_divide_(number);
        }

        /// <summary>Divides this tensor by a tensor or a number, and rounds the quotient if requested.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.div.html">div</see>.</remarks>
        /// <param name="target">The divisor, which is broadcast.</param>
        /// <param name="rounding_mode">How the quotient is rounded; by default it is not.</param>
        public Tensor div(Tensor target, RoundingMode rounding_mode = RoundingMode.None) =>
            rounding_mode == RoundingMode.None ? div(target) : DivideBy(target, rounding_mode);

        /// <inheritdoc cref="div(Tensor, RoundingMode)"/>
        public Tensor div(Scalar target, RoundingMode rounding_mode = RoundingMode.None)
        {
            if (rounding_mode == RoundingMode.None) return div(target);
            using var number = Number(target);
            return DivideBy(number, rounding_mode);
        }

        /// <summary>Divides this tensor by a tensor or a number in place, and rounds the quotient if requested.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.div_.html">div_</see>.</remarks>
        /// <param name="target">The divisor, which is broadcast.</param>
        /// <param name="rounding_mode">How the quotient is rounded; by default it is not.</param>
        /// <returns>This tensor.</returns>
        public Tensor div_(Tensor target, RoundingMode rounding_mode = RoundingMode.None) =>
            rounding_mode == RoundingMode.None ? div_(target) : DivideBy_(target, rounding_mode);

        /// <inheritdoc cref="div_(Tensor, RoundingMode)"/>
        public Tensor div_(Scalar target, RoundingMode rounding_mode = RoundingMode.None)
        {
            if (rounding_mode == RoundingMode.None) return div_(target);
            using var number = NumberBeside(target);
            return DivideBy_(number, rounding_mode);
        }
    }
}

using Bridge.Torch;

namespace TorchSharp;

// Elementwise members of Tensor that check or convert their arguments.
public static partial class torch
{
    public partial class Tensor
    {
        [Aten("aten::positive", "self")] private partial Tensor Plus();
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

        /// <inheritdoc cref="div(Tensor, RoundingMode)"/>
        public Tensor div(Scalar target, RoundingMode rounding_mode = RoundingMode.None)
        {
            using var number = Number(target);
            return div(number, rounding_mode);
        }

        /// <inheritdoc cref="div_(Tensor, RoundingMode)"/>
        public Tensor div_(Scalar target, RoundingMode rounding_mode = RoundingMode.None)
        {
            using var number = NumberBeside(target);
            return div_(number, rounding_mode);
        }

        // Without rounding, the functions run the same operator as Python's functions, an overload without a rounding mode.
        internal Tensor Divided(Tensor target, RoundingMode rounding) =>
            rounding == RoundingMode.None ? div(target) : div(target, rounding);

        internal Tensor Divided(Scalar target, RoundingMode rounding) =>
            rounding == RoundingMode.None ? div(target) : div(target, rounding);

        internal Tensor Divided_(Tensor target, RoundingMode rounding) =>
            rounding == RoundingMode.None ? div_(target) : div_(target, rounding);

        internal Tensor Divided_(Scalar target, RoundingMode rounding) =>
            rounding == RoundingMode.None ? div_(target) : div_(target, rounding);
    }
}

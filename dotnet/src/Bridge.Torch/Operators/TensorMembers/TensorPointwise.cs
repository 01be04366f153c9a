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
        [Aten("aten::positive", "self")] private partial Tensor Plus();
        [Aten("aten::div_.Tensor_mode", "self, other=target, rounding_mode")]
        private partial Tensor DivideBy_(Tensor target, string? rounding_mode);
        [Aten("aten::lerp_.Scalar", "self, end, weight")] internal partial Tensor Lerp_(Tensor end, Scalar weight);

        /// <exception cref="ArgumentException">The tensor is boolean.</exception>
        public Tensor positive() =>
            dtype == ScalarType.Bool ? throw new ArgumentException("The `+` operator, on a bool tensor is not supported.") : Plus();

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
    }
}

using Bridge.Torch.Native;

namespace TorchSharp;

/// <summary>A number given to an operator: whole, real or a truth value.</summary>
public readonly struct Scalar
{
    internal readonly double Real;
    internal readonly long Whole;
    internal readonly bool IsReal;

    private Scalar(double real) => (Real, IsReal) = (real, true);

    private Scalar(long whole) => (Whole, Real) = (whole, whole);

    public static implicit operator Scalar(int value) => new((long)value);

    public static implicit operator Scalar(long value) => new(value);

    public static implicit operator Scalar(float value) => new((double)value);

    public static implicit operator Scalar(double value) => new(value);

    public static implicit operator Scalar(bool value) => new(value ? 1L : 0L);
}

public static partial class torch
{
    public unsafe partial class Tensor
    {
        public Tensor add(Tensor target) => Subtract(this, target, -1);

        public Tensor add(Tensor target, Scalar alpha) => Subtract(this, target, -alpha.Real);

        public Tensor add(Scalar value) => Subtract(this, Number(value), -1);

        public Tensor sub(Tensor target) => Subtract(this, target, 1);

        public Tensor sub(Scalar value) => Subtract(this, Number(value), 1);

        public Tensor mul(Scalar target)
        {
            using var number = Number(target);
            return mul(number);
        }

        public Tensor div(Scalar target)
        {
            using var number = Number(target);
            return div(number);
        }

        public static Tensor operator +(Tensor left, Tensor right) => left.add(right);

        public static Tensor operator +(Tensor left, Scalar right) => left.add(right);

        public static Tensor operator +(Scalar left, Tensor right) => right.add(left);

        public static Tensor operator -(Tensor left, Tensor right) => left.sub(right);

        public static Tensor operator -(Tensor left, Scalar right) => left.sub(right);

        public static Tensor operator -(Tensor tensor) => tensor.neg();

        public static Tensor operator *(Tensor left, Tensor right) => left.mul(right);

        public static Tensor operator *(Tensor left, Scalar right) => left.mul(right);

        public static Tensor operator *(Scalar left, Tensor right) => right.mul(left);

        public static Tensor operator /(Tensor left, Tensor right) => left.div(right);

        public static Tensor operator /(Tensor left, Scalar right) => left.div(right);

        /// <summary>
        /// Addition and subtraction take a Scalar, which the ABI cannot carry; this shim is the one way, and it runs the kernel of
        /// <c>add</c> (the graph shows SubBackward0). It refuses two integer tensors.
        /// </summary>
        private static Tensor Subtract(Tensor left, Tensor right, double alpha)
        {
            IntPtr result;
            if (!IsInexact(left.dtype) && !IsInexact(right.dtype))
                throw new NotSupportedException($"adding or subtracting two integer tensors ({left.dtype}, {right.dtype}) is not yet carried to libtorch; convert one with to_type(float32).");
            Abi.Check(Abi.subtract(left.Handle, right.Handle, alpha, &result), "aten::sub.Tensor");
            GC.KeepAlive(left);
            GC.KeepAlive(right);
            return Own(result);
        }

        /// <summary>
        /// A 0-dim CPU tensor that promotes as a number would: float64 beside a dimensioned floating tensor (it does not change the result's
        /// type), otherwise the other operand's own type or the type that the number has.
        /// </summary>
        private Tensor Number(Scalar value)
        {
            IntPtr handle;
            var type = dtype;
            if (value.IsReal || IsInexact(type)) Abi.Check(Abi.scalar_float64(value.Real, &handle), "scalar_to_tensor");
            else Abi.Check(Abi.scalar_int64(value.Whole, &handle), "scalar_to_tensor");
            var number = Own(handle);
            ScalarType? wanted = IsInexact(type)
                ? (dim() > 0 && type < ScalarType.ComplexFloat32 ? null : type)
                : value.IsReal ? ScalarType.Float32 : type == ScalarType.Bool ? null : type;
            if (wanted is not { } exact) return number;
            using (number) return number.to_type(exact);
        }

        private static bool IsInexact(ScalarType type) => type is >= ScalarType.Float16 and <= ScalarType.ComplexFloat64 or ScalarType.BFloat16;
    }
}

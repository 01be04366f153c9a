using Bridge.Torch.Native;

namespace TorchSharp;

/// <summary>A number given to an operator: an integer, a float, a complex number or a boolean.</summary>
public sealed class Scalar : IDisposable
{
    internal readonly double Real;
    internal readonly long Integer;
    internal readonly bool IsReal;
    internal readonly bool IsBool;
    internal readonly bool IsComplex;
    internal readonly double Imaginary;

    private Scalar(double real) => (Real, IsReal) = (real, true);

    private Scalar(System.Numerics.Complex value) => (Real, Imaginary, IsReal, IsComplex) = (value.Real, value.Imaginary, true, true);

    private Scalar(long integer, bool isBool = false) => (Integer, Real, IsBool) = (integer, integer, isBool);

    internal System.Numerics.Complex Complex => new(Real, Imaginary);

    /// <summary>Gets the widest element type for this kind of number: Int64, Float64, ComplexFloat64 or Bool.</summary>
    public torch.ScalarType Type =>
        IsBool ? torch.ScalarType.Bool : IsComplex
            ? torch.ScalarType.ComplexFloat64 : IsReal ? torch.ScalarType.Float64 : torch.ScalarType.Int64;

    /// <summary>Does nothing. The method exists because programs written for TorchSharp dispose scalars.</summary>
    public void Dispose()
    {
    }

    /// <summary>Converts a byte to a Scalar.</summary>
    /// <param name="value">The integer.</param>
    /// <returns>A Scalar that holds an integer.</returns>
    public static implicit operator Scalar(byte value) => new((long)value);

    /// <summary>Converts an sbyte to a Scalar.</summary>
    /// <param name="value">The integer.</param>
    /// <returns>A Scalar that holds an integer.</returns>
    public static implicit operator Scalar(sbyte value) => new((long)value);

    /// <summary>Converts a short to a Scalar.</summary>
    /// <param name="value">The integer.</param>
    /// <returns>A Scalar that holds an integer.</returns>
    public static implicit operator Scalar(short value) => new((long)value);

    /// <summary>Converts an int to a Scalar.</summary>
    /// <param name="value">The integer.</param>
    /// <returns>A Scalar that holds an integer.</returns>
    public static implicit operator Scalar(int value) => new((long)value);

    /// <summary>Converts a long to a Scalar.</summary>
    /// <param name="value">The integer.</param>
    /// <returns>A Scalar that holds an integer.</returns>
    public static implicit operator Scalar(long value) => new(value);

    /// <summary>Converts a Half to a Scalar.</summary>
    /// <param name="value">The number.</param>
    /// <returns>A Scalar that holds a floating-point number.</returns>
    public static implicit operator Scalar(Half value) => new((double)value);

    /// <summary>Converts a BFloat16 to a Scalar.</summary>
    /// <param name="value">The number.</param>
    /// <returns>A Scalar that holds a floating-point number.</returns>
    public static implicit operator Scalar(BFloat16 value) => new((double)value);

    /// <summary>Converts a float to a Scalar.</summary>
    /// <param name="value">The number.</param>
    /// <returns>A Scalar that holds a floating-point number.</returns>
    public static implicit operator Scalar(float value) => new((double)value);

    /// <summary>Converts a double to a Scalar.</summary>
    /// <param name="value">The number.</param>
    /// <returns>A Scalar that holds a floating-point number.</returns>
    public static implicit operator Scalar(double value) => new(value);

    /// <summary>Converts a pair of floats to a Scalar.</summary>
    /// <param name="value">The real and the imaginary part.</param>
    /// <returns>A Scalar that holds a complex number.</returns>
    public static implicit operator Scalar((float, float) value) => new(new System.Numerics.Complex(value.Item1, value.Item2));

    /// <summary>Converts a complex number to a Scalar.</summary>
    /// <param name="value">The number.</param>
    /// <returns>A Scalar that holds a complex number.</returns>
    public static implicit operator Scalar(System.Numerics.Complex value) => new(value);

    /// <summary>Converts a bool to a Scalar.</summary>
    /// <param name="value">The boolean.</param>
    /// <returns>A Scalar that holds a boolean.</returns>
    public static implicit operator Scalar(bool value) => new(value ? 1L : 0L, isBool: true);
}

public static partial class torch
{
    public unsafe partial class Tensor
    {
        /// <summary>Adds a number or another tensor to this tensor, if requested a multiple of it.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.add.html">torch.Tensor.add</see>.
        /// </remarks>
        /// <param name="target">The other tensor, which is broadcast.</param>
        /// <returns>The result.</returns>
        public Tensor add(Tensor target) => Plus(this, target, 1);

        /// <summary>Adds a number or another tensor to this tensor, if requested a multiple of it.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.add.html">torch.Tensor.add</see>.
        /// </remarks>
        /// <param name="target">The other tensor, which is broadcast.</param>
        /// <param name="alpha">The factor of the other tensor.</param>
        /// <returns>The result.</returns>
        /// <exception cref="ArgumentException">
        /// <paramref name="alpha"/> is not an integer, but both operands are integers or booleans; or it is complex, but no operand is.
        /// </exception>
        public Tensor add(Tensor target, Scalar alpha) => Plus(this, target, alpha);

        /// <summary>Adds a number or another tensor to this tensor, if requested a multiple of it.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.add.html">torch.Tensor.add</see>.
        /// </remarks>
        /// <param name="scalar">The number.</param>
        /// <returns>The result.</returns>
        public Tensor add(Scalar scalar) => add(scalar, 1);

        /// <summary>Adds a number or another tensor to this tensor, if requested a multiple of it.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.add.html">torch.Tensor.add</see>.
        /// </remarks>
        /// <param name="scalar">The number.</param>
        /// <param name="alpha">The factor of the number.</param>
        /// <returns>The result.</returns>
        /// <exception cref="ArgumentException">
        /// <paramref name="alpha"/> is not an integer, but both operands are integers or booleans; or it is complex, but no operand is.
        /// </exception>
        public Tensor add(Scalar scalar, Scalar alpha)
        {
            if (TorchFunctionMode.IsActive && !scalar.IsComplex && !alpha.IsComplex) return Add(scalar, alpha);
            using var number = Number(scalar);
            return Plus(this, number, alpha);
        }

        /// <summary>Subtracts a number or a tensor from this tensor.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.sub.html">torch.Tensor.sub</see>.
        /// </remarks>
        /// <param name="target">The other tensor, which is broadcast.</param>
        /// <returns>The result.</returns>
        /// <exception cref="ArgumentException">
        /// A tensor is boolean, and neither is floating-point or complex: booleans cannot be subtracted.
        /// </exception>
        public Tensor sub(Tensor target) => Subtract(this, target, 1);

        /// <summary>Subtracts a number or a tensor from this tensor.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.sub.html">torch.Tensor.sub</see>.
        /// </remarks>
        /// <param name="target">The number.</param>
        /// <returns>The result.</returns>
        /// <exception cref="ArgumentException">
        /// The number is boolean, or the tensor is and the number is an integer: booleans cannot be subtracted.
        /// </exception>
        public Tensor sub(Scalar target)
        {
            RefuseBool(target.IsBool);
            if (TorchFunctionMode.IsActive && !target.IsComplex) return Sub(target, 1);
            using var number = Number(target);
            return Subtract(this, number, 1);
        }

        /// <summary>Multiplies this tensor by a number or a tensor.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.mul.html">torch.Tensor.mul</see>.
        /// </remarks>
        /// <param name="target">The number.</param>
        /// <returns>The result.</returns>
        public Tensor mul(Scalar target) => With(target, mul, Mul);

        /// <summary>Divides this tensor by a number; integers give a floating-point result.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.div.html">torch.Tensor.div</see>.
        /// </remarks>
        /// <param name="target">The number.</param>
        /// <returns>The result.</returns>
        public Tensor div(Scalar target) => With(target.IsComplex ? target : target.Real, div, Div);

        /// <summary>Compares the elements of this tensor with others for equality.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.eq.html">torch.Tensor.eq</see>.
        /// </remarks>
        /// <param name="target">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public Tensor eq(Scalar target) => With(target, eq, Eq);

        /// <summary>Tests which elements of this tensor differ from others.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.ne.html">torch.Tensor.ne</see>.
        /// </remarks>
        /// <param name="target">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public Tensor ne(Scalar target) => With(target, ne, Ne);

        /// <summary>Tests which elements of this tensor are greater than others.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.gt.html">torch.Tensor.gt</see>.
        /// </remarks>
        /// <param name="target">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public Tensor gt(Scalar target) => With(target, gt, Gt);

        /// <summary>Tests which elements of this tensor are greater than or equal to others.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.ge.html">torch.Tensor.ge</see>.
        /// </remarks>
        /// <param name="target">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public Tensor ge(Scalar target) => With(target, ge, Ge);

        /// <summary>Tests which elements of this tensor are less than others.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.lt.html">torch.Tensor.lt</see>.
        /// </remarks>
        /// <param name="target">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public Tensor lt(Scalar target) => With(target, lt, Lt);

        /// <summary>Tests which elements of this tensor are less than or equal to others.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.le.html">torch.Tensor.le</see>.
        /// </remarks>
        /// <param name="target">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public Tensor le(Scalar target) => With(target, le, Le);

        /// <summary>
        /// Runs an operator on this tensor and a number. If a torch function mode is active and the number is not complex, runs the
        /// overload for a Scalar, as the mode expects. Otherwise runs the overload for a tensor.
        /// </summary>
        private Tensor With(Scalar value, Func<Tensor, Tensor> ofTensor, Func<Scalar, Tensor> ofScalar)
        {
            if (TorchFunctionMode.IsActive && !value.IsComplex) return ofScalar(value);
            using var number = Number(value);
            return ofTensor(number);
        }

        // Returns left + alpha * right, and ends the use of both (TensorMethods.OfOperator).
        private static Tensor Plus(Tensor left, Tensor right, Scalar alpha) => EndUses(left, right, alpha, Sum);

        // Returns left - alpha * right, and ends the use of both.
        private static Tensor Subtract(Tensor left, Tensor right, Scalar alpha) => EndUses(left, right, alpha, Difference);

        private static Tensor EndUses(Tensor left, Tensor right, Scalar alpha, Func<Tensor, Tensor, Scalar, Tensor> compute)
        {
            var scopes = DisposeScopeManager.ForThread;
            var frame = scopes.Frame;
            scopes.Frame = null; // the computation may use a tensor more than once
            var result = compute(left, right, alpha);
            scopes.Frame = frame;
            left.EndUse(frame);
            right.EndUse(frame);
            return result;
        }

        private static Tensor Sum(Tensor left, Tensor right, Scalar alpha)
        {
            if (alpha.IsComplex && (left.is_complex() || right.is_complex()))
            {
                // libtorch's C function takes alpha as a double. The type is converted first, so that alpha does not change the result's.
                using var scope = NewDisposeScope();
                return Plus(left, right.to_type(result_type(left, right)).mul(alpha), 1).MoveToOuterDisposeScope();
            }

            if (TorchFunctionMode.IsActive) return left.Add(right, alpha);
            var (leftType, rightType) = (left.dtype, right.dtype);
            if (!IsInexact(leftType) && !IsInexact(rightType)) return Exact(left, right, alpha, add: true);
            if (alpha.IsComplex)
                throw new ArgumentException("For non-complex input tensors, argument alpha must not be a complex number.", nameof(alpha));
            // Subtraction refuses bool tensors. The result has the other operand's type, so any integer type can replace bool.
            using var first = leftType == ScalarType.Bool ? left.to_type(ScalarType.Byte) : null;
            using var second = rightType == ScalarType.Bool ? right.to_type(ScalarType.Byte) : null;
            return Inexact(first ?? left, second ?? right, -alpha.Real, "aten::add.Tensor");
        }

        private static Tensor Difference(Tensor left, Tensor right, Scalar alpha) =>
            TorchFunctionMode.IsActive ? left.Sub(right, alpha)
            : IsInexact(left.dtype) || IsInexact(right.dtype)
                ? Inexact(left, right, alpha.Real, "aten::sub.Tensor") : Exact(left, right, alpha, add: false);

        /// <summary>
        /// Computes left - alpha * right by libtorch's C function for <c>sub</c>, which takes alpha as a double: the stable ABI's general
        /// call of an operator cannot pass a Scalar. So an addition appears in the graph as SubBackward0. At least one tensor must be
        /// floating-point or complex. <paramref name="name"/> is the operator's name in error messages.
        /// </summary>
        private static Tensor Inexact(Tensor left, Tensor right, double alpha, string name)
        {
            IntPtr result;
            if (LargeTensors.AreDue) LargeTensors.Reclaim();
            using var first = left.Lease();
            using var second = right.Lease();
            Abi.Check(Abi.subtract(first.Handle, second.Handle, alpha, &result), name);
            return Own(result);
        }

        /// <summary>
        /// Returns left + alpha * right or left - alpha * right for tensors of integers or booleans. As in PyTorch, integers wrap on
        /// overflow. The result is computed by <c>diff</c> along a new dimension, since <c>diff</c> needs no Scalar.
        /// </summary>
        private static Tensor Exact(Tensor left, Tensor right, Scalar alpha, bool add)
        {
            if (alpha.IsReal) throw new ArgumentException("alpha must be an integer for integer and bool tensors.", nameof(alpha));
            if (!add) RefuseBool(left.dtype == ScalarType.Bool || right.dtype == ScalarType.Bool);
            using var scope = NewDisposeScope();
            var like = left.mul(right); // has the type, shape and strides of the result
            var (type, shape) = (like.dtype, like.Sizes);
            var number = type == ScalarType.Bool ? ScalarType.Int64 : type;
            // A 0-dim tensor may be on the CPU while the other tensor is on another device.
            var (first, second) = (left.to(number, like.device).expand(shape), right.to(number, like.device).expand(shape));
            if (alpha.Integer != 1) second = second.mul(alpha);
            if (add) second = second.neg();
            return like.copy_(first.unsqueeze(0).diff(1, 0, second.unsqueeze(0)).select(0, 0)).MoveToOuterDisposeScope();
        }

        /// <summary>Returns a 0-dim CPU tensor of a number, for an operator on this tensor and the number.</summary>
        private Tensor Number(Scalar value) => WrappedNumber.IsKnown ? WrappedNumber.Mark(Widest(value)) : Promoting(value);

        private static Tensor Widest(Scalar value)
        {
            if (value.IsComplex) return tensor(value.Complex, ScalarType.ComplexFloat64);
            var number = OfNumber(value, value.IsReal);
            if (!value.IsBool) return number;
            using (number) return number.to_type(ScalarType.Bool);
        }

        /// <summary>
        /// Returns a 0-dim CPU tensor of a number. Its element type is chosen so that an operator on this tensor and the number returns the
        /// right type. If this tensor is floating-point and has dimensions, and the number is not complex, the element type is float64,
        /// which does not change the result's type. Otherwise the element type is that of this tensor, or a type of the number's kind if
        /// that kind is higher.
        /// </summary>
        private Tensor Promoting(Scalar value)
        {
            var type = dtype;
            if (value.IsComplex)
                return tensor(value.Complex, is_complex()
                    ? type : type == ScalarType.Float64 ? ScalarType.ComplexFloat64 : ScalarType.ComplexFloat32);
            var number = OfNumber(value, value.IsReal || IsInexact(type));
            ScalarType? wanted = IsInexact(type)
                ? (dim() > 0 && type is not (ScalarType.ComplexFloat32 or ScalarType.ComplexFloat64) ? null : type)
                : value.IsReal ? ScalarType.Float32 : type != ScalarType.Bool || value.IsBool ? type : null;
            if (wanted is not { } exact) return number;
            using (number) return number.to_type(exact);
        }

        private static Tensor OfNumber(Scalar value, bool real)
        {
            IntPtr handle;
            Abi.Check(real ? Abi.scalar_float64(value.Real, &handle) : Abi.scalar_int64(value.Integer, &handle), "scalar_to_tensor");
            return Own(handle);
        }

        private static void RefuseBool(bool isBool)
        {
            if (isBool)
                throw new ArgumentException(
                    "Subtraction of booleans is not supported, as in PyTorch; convert them to a number type first.");
        }

        private static bool IsInexact(ScalarType type) =>
            type is >= ScalarType.Float16 and <= ScalarType.ComplexFloat64 or ScalarType.BFloat16;
    }
}

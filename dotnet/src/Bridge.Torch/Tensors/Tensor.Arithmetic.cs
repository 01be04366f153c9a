using System.Runtime.CompilerServices;

namespace TorchSharp;

public static partial class torch
{
    // The C# operators.
    public partial class Tensor
    {
        /// <summary>Adds the elements of two tensors.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.add.html">torch.add</see>.</remarks>
        /// <param name="left">The first operand.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">A tensor is null.</exception>
        public static Tensor operator +(Tensor left, Tensor right) => Operand(left).add(Operand(right));

        /// <summary>Adds a number to each element of a tensor.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.add.html">torch.add</see>.</remarks>
        /// <param name="left">The tensor.</param>
        /// <param name="right">The number.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">The tensor is null.</exception>
        public static Tensor operator +(Tensor left, Scalar right) => Operand(left).add(right);

        /// <summary>Adds each element of a tensor to a number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.add.html">torch.add</see>.</remarks>
        /// <param name="left">The number.</param>
        /// <param name="right">The tensor.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">The tensor is null.</exception>
        public static Tensor operator +(Scalar left, Tensor right) => Operand(right).add(left);

        /// <summary>Subtracts the elements of one tensor from those of another.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.sub.html">torch.sub</see>.</remarks>
        /// <param name="left">The first operand.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">A tensor is null.</exception>
        /// <exception cref="ArgumentException">
        /// A tensor is boolean, and neither is floating-point or complex: booleans cannot be subtracted.
        /// </exception>
        public static Tensor operator -(Tensor left, Tensor right) => Operand(left).sub(Operand(right));

        /// <summary>Subtracts a number from each element of a tensor.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.sub.html">torch.sub</see>.</remarks>
        /// <param name="left">The tensor.</param>
        /// <param name="right">The number.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">The tensor is null.</exception>
        /// <exception cref="ArgumentException">
        /// The number is boolean, or the tensor is and the number is an integer: booleans cannot be subtracted.
        /// </exception>
        public static Tensor operator -(Tensor left, Scalar right) => Operand(left).sub(right);

        /// <summary>Subtracts each element of a tensor from a number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.sub.html">torch.sub</see>.</remarks>
        /// <param name="left">The number.</param>
        /// <param name="right">The tensor.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">The tensor is null.</exception>
        /// <exception cref="ArgumentException">
        /// The number is boolean, or the tensor is and the number is an integer: booleans cannot be subtracted.
        /// </exception>
        public static Tensor operator -(Scalar left, Tensor right)
        {
            RefuseBool(left.IsBool);
            using var number = Operand(right).Number(left);
            return Subtract(number, right, 1);
        }

        /// <summary>Negates each element of a tensor.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.neg.html">torch.neg</see>.</remarks>
        /// <param name="tensor">The tensor.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">The tensor is null.</exception>
        public static Tensor operator -(Tensor tensor) => Operand(tensor).neg();

        /// <summary>Multiplies the elements of two tensors.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.mul.html">torch.mul</see>.</remarks>
        /// <param name="left">The first operand.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">A tensor is null.</exception>
        public static Tensor operator *(Tensor left, Tensor right) => Operand(left).mul(Operand(right));

        /// <summary>Multiplies each element of a tensor by a number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.mul.html">torch.mul</see>.</remarks>
        /// <param name="left">The tensor.</param>
        /// <param name="right">The number.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">The tensor is null.</exception>
        public static Tensor operator *(Tensor left, Scalar right) => Operand(left).mul(right);

        /// <summary>Multiplies a number by each element of a tensor.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.mul.html">torch.mul</see>.</remarks>
        /// <param name="left">The number.</param>
        /// <param name="right">The tensor.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">The tensor is null.</exception>
        public static Tensor operator *(Scalar left, Tensor right) => Operand(right).mul(left);

        /// <summary>Divides the elements of one tensor by those of another; integers give a floating-point result.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.div.html">torch.div</see>.</remarks>
        /// <param name="left">The first operand.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">A tensor is null.</exception>
        public static Tensor operator /(Tensor left, Tensor right) => Operand(left).div(Operand(right));

        /// <summary>Divides each element of a tensor by a number; integers give a floating-point result.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.div.html">torch.div</see>.</remarks>
        /// <param name="left">The tensor.</param>
        /// <param name="right">The number.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">The tensor is null.</exception>
        public static Tensor operator /(Tensor left, Scalar right) => Operand(left).div(right);

        /// <summary>Divides a number by each element of a tensor: as in PyTorch, multiplies the reciprocals by the number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.div.html">torch.div</see>.</remarks>
        /// <param name="left">The number.</param>
        /// <param name="right">The tensor.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">The tensor is null.</exception>
        public static Tensor operator /(Scalar left, Tensor right)
        {
            using var reciprocal = Operand(right).reciprocal();
            return reciprocal.mul(left);
        }

        /// <summary>Tests which elements of two tensors are equal; test a tensor for null with <c>is null</c>.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.eq.html">torch.eq</see>.</remarks>
        /// <param name="left">The first operand.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator ==(Tensor left, Tensor right) => left.eq(right);

        /// <summary>Tests which elements of a tensor equal a number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.eq.html">torch.eq</see>.</remarks>
        /// <param name="left">The tensor.</param>
        /// <param name="right">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator ==(Tensor left, Scalar right) => left.eq(right);

        /// <summary>Tests which elements of a tensor equal a number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.eq.html">torch.eq</see>.</remarks>
        /// <param name="left">The number.</param>
        /// <param name="right">The tensor.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator ==(Scalar left, Tensor right) => right.eq(left);

        /// <summary>Tests which elements of two tensors differ.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.ne.html">torch.ne</see>.</remarks>
        /// <param name="left">The first operand.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator !=(Tensor left, Tensor right) => left.ne(right);

        /// <summary>Tests which elements of a tensor differ from a number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.ne.html">torch.ne</see>.</remarks>
        /// <param name="left">The tensor.</param>
        /// <param name="right">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator !=(Tensor left, Scalar right) => left.ne(right);

        /// <summary>Tests which elements of a tensor differ from a number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.ne.html">torch.ne</see>.</remarks>
        /// <param name="left">The number.</param>
        /// <param name="right">The tensor.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator !=(Scalar left, Tensor right) => right.ne(left);

        /// <summary>Tests which elements of one tensor are less than those of another.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.lt.html">torch.lt</see>.</remarks>
        /// <param name="left">The first operand.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator <(Tensor left, Tensor right) => left.lt(right);

        /// <summary>Tests which elements of a tensor are less than a number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.lt.html">torch.lt</see>.</remarks>
        /// <param name="left">The tensor.</param>
        /// <param name="right">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator <(Tensor left, Scalar right) => left.lt(right);

        /// <summary>Tests which elements of a tensor a number is less than.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.lt.html">torch.lt</see>.</remarks>
        /// <param name="left">The number.</param>
        /// <param name="right">The tensor.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator <(Scalar left, Tensor right) => right.gt(left);

        /// <summary>Tests which elements of one tensor are at most those of another.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.le.html">torch.le</see>.</remarks>
        /// <param name="left">The first operand.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator <=(Tensor left, Tensor right) => left.le(right);

        /// <summary>Tests which elements of a tensor are at most a number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.le.html">torch.le</see>.</remarks>
        /// <param name="left">The tensor.</param>
        /// <param name="right">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator <=(Tensor left, Scalar right) => left.le(right);

        /// <summary>Tests which elements of a tensor a number is at most equal to.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.le.html">torch.le</see>.</remarks>
        /// <param name="left">The number.</param>
        /// <param name="right">The tensor.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator <=(Scalar left, Tensor right) => right.ge(left);

        /// <summary>Tests which elements of one tensor are greater than those of another.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.gt.html">torch.gt</see>.</remarks>
        /// <param name="left">The first operand.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator >(Tensor left, Tensor right) => left.gt(right);

        /// <summary>Tests which elements of a tensor are greater than a number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.gt.html">torch.gt</see>.</remarks>
        /// <param name="left">The tensor.</param>
        /// <param name="right">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator >(Tensor left, Scalar right) => left.gt(right);

        /// <summary>Tests which elements of a tensor a number is greater than.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.gt.html">torch.gt</see>.</remarks>
        /// <param name="left">The number.</param>
        /// <param name="right">The tensor.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator >(Scalar left, Tensor right) => right.lt(left);

        /// <summary>Tests which elements of one tensor are at least those of another.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.ge.html">torch.ge</see>.</remarks>
        /// <param name="left">The first operand.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator >=(Tensor left, Tensor right) => left.ge(right);

        /// <summary>Tests which elements of a tensor are at least a number.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.ge.html">torch.ge</see>.</remarks>
        /// <param name="left">The tensor.</param>
        /// <param name="right">The number.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator >=(Tensor left, Scalar right) => left.ge(right);

        /// <summary>Tests which elements of a tensor a number is at least equal to.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.ge.html">torch.ge</see>.</remarks>
        /// <param name="left">The number.</param>
        /// <param name="right">The tensor.</param>
        /// <returns>A tensor of booleans.</returns>
        public static Tensor operator >=(Scalar left, Tensor right) => right.le(left);

        /// <summary>Combines the bits of two tensors by AND.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.bitwise_and.html">torch.bitwise_and</see>.
        /// </remarks>
        /// <param name="left">The first operand, of integers or booleans.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A new tensor.</returns>
        public static Tensor operator &(Tensor left, Tensor right) => left.bitwise_and(right);

        /// <summary>Combines the bits of two tensors by OR.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.bitwise_or.html">torch.bitwise_or</see>.
        /// </remarks>
        /// <param name="left">The first operand, of integers or booleans.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A new tensor.</returns>
        public static Tensor operator |(Tensor left, Tensor right) => left.bitwise_or(right);

        /// <summary>Combines the bits of two tensors by exclusive OR.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.bitwise_xor.html">torch.bitwise_xor</see>.
        /// </remarks>
        /// <param name="left">The first operand, of integers or booleans.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A new tensor.</returns>
        public static Tensor operator ^(Tensor left, Tensor right) => left.bitwise_xor(right);

        /// <summary>Inverts each bit of a tensor; booleans are negated.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.bitwise_not.html">torch.bitwise_not</see>.
        /// </remarks>
        /// <param name="left">The tensor, of integers or booleans.</param>
        /// <returns>A new tensor.</returns>
        public static Tensor operator ~(Tensor left) => left.bitwise_not();

        /// <summary>Computes the remainders, with the signs of the divisors, of dividing one tensor by another.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.remainder.html">torch.remainder</see>.
        /// </remarks>
        /// <param name="left">The first operand.</param>
        /// <param name="right">The second operand, which is broadcast.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">A tensor is null.</exception>
        public static Tensor operator %(Tensor left, Tensor right) => Operand(left).remainder(Operand(right));

        /// <summary>Computes the remainders, with the sign of the divisor, of dividing a tensor by a number.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.remainder.html">torch.remainder</see>.
        /// </remarks>
        /// <param name="left">The tensor.</param>
        /// <param name="right">The number.</param>
        /// <returns>A new tensor.</returns>
        /// <exception cref="ArgumentNullException">The tensor is null.</exception>
        public static Tensor operator %(Tensor left, Scalar right) => Operand(left).remainder(right);

        private static Tensor Operand(Tensor? operand, [CallerArgumentExpression(nameof(operand))] string? name = null) =>
            operand ?? throw new ArgumentNullException(name, "The operand is null; a Tensor is needed.");

        /// <summary>Returns whether the object is a tensor of the same shape and elements.</summary>
        /// <param name="obj">The other object.</param>
        /// <returns>Whether <see cref="Equals(Tensor)"/> is true.</returns>
        public override bool Equals(object? obj) => obj is Tensor other && Equals(other);

        /// <summary>Returns a hash code of this object, not of the tensor's elements.</summary>
        /// <returns>The hash code.</returns>
        public override int GetHashCode() => RuntimeHelpers.GetHashCode(this);
    }
}

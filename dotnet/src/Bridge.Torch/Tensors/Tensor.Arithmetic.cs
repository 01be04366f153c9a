using System.Runtime.CompilerServices;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>The C# operators. <c>==</c> returns a bool tensor, so test a tensor for null with <c>is null</c>.</summary>
    public partial class Tensor
    {
        public static Tensor operator +(Tensor left, Tensor right) => Operand(left).add(Operand(right));

        public static Tensor operator +(Tensor left, Scalar right) => Operand(left).add(right);

        public static Tensor operator +(Scalar left, Tensor right) => Operand(right).add(left);

        public static Tensor operator -(Tensor left, Tensor right) => Operand(left).sub(Operand(right));

        public static Tensor operator -(Tensor left, Scalar right) => Operand(left).sub(right);

        public static Tensor operator -(Scalar left, Tensor right)
        {
            RefuseBool(left.IsBool);
            using var number = Operand(right).Number(left);
            return Subtract(number, right, 1);
        }

        public static Tensor operator -(Tensor tensor) => Operand(tensor).neg();

        public static Tensor operator *(Tensor left, Tensor right) => Operand(left).mul(Operand(right));

        public static Tensor operator *(Tensor left, Scalar right) => Operand(left).mul(right);

        public static Tensor operator *(Scalar left, Tensor right) => Operand(right).mul(left);

        public static Tensor operator /(Tensor left, Tensor right) => Operand(left).div(Operand(right));

        public static Tensor operator /(Tensor left, Scalar right) => Operand(left).div(right);

        /// <summary>Divides a number by each element. As in PyTorch, the result is the tensor's reciprocal times the number.</summary>
        public static Tensor operator /(Scalar left, Tensor right)
        {
            using var reciprocal = Operand(right).reciprocal();
            return reciprocal.mul(left);
        }

        public static Tensor operator ==(Tensor left, Tensor right) => left.eq(right);

        public static Tensor operator ==(Tensor left, Scalar right) => left.eq(right);

        public static Tensor operator ==(Scalar left, Tensor right) => right.eq(left);

        public static Tensor operator !=(Tensor left, Tensor right) => left.ne(right);

        public static Tensor operator !=(Tensor left, Scalar right) => left.ne(right);

        public static Tensor operator !=(Scalar left, Tensor right) => right.ne(left);

        public static Tensor operator <(Tensor left, Tensor right) => left.lt(right);

        public static Tensor operator <(Tensor left, Scalar right) => left.lt(right);

        public static Tensor operator <(Scalar left, Tensor right) => right.gt(left);

        public static Tensor operator <=(Tensor left, Tensor right) => left.le(right);

        public static Tensor operator <=(Tensor left, Scalar right) => left.le(right);

        public static Tensor operator <=(Scalar left, Tensor right) => right.ge(left);

        public static Tensor operator >(Tensor left, Tensor right) => left.gt(right);

        public static Tensor operator >(Tensor left, Scalar right) => left.gt(right);

        public static Tensor operator >(Scalar left, Tensor right) => right.lt(left);

        public static Tensor operator >=(Tensor left, Tensor right) => left.ge(right);

        public static Tensor operator >=(Tensor left, Scalar right) => left.ge(right);

        public static Tensor operator >=(Scalar left, Tensor right) => right.le(left);

        public static Tensor operator &(Tensor left, Tensor right) => left.bitwise_and(right);

        public static Tensor operator |(Tensor left, Tensor right) => left.bitwise_or(right);

        public static Tensor operator ^(Tensor left, Tensor right) => left.bitwise_xor(right);

        public static Tensor operator ~(Tensor left) => left.bitwise_not();

        public static Tensor operator %(Tensor left, Tensor right) => Operand(left).remainder(Operand(right));

        public static Tensor operator %(Tensor left, Scalar right) => Operand(left).remainder(right);

        private static Tensor Operand(Tensor? operand, [CallerArgumentExpression(nameof(operand))] string? name = null) =>
            operand ?? throw new ArgumentNullException(name, "The operand is null; a Tensor is needed.");

        public override bool Equals(object? obj) => obj is Tensor other && Equals(other);

        public override int GetHashCode() => RuntimeHelpers.GetHashCode(this);
    }
}

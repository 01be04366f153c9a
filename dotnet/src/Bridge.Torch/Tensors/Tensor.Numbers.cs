namespace TorchSharp;

public static partial class torch
{
    /// <summary>The operators with .NET's numbers. A compiled program is bound to the overload of each number's type, so there is one for each.</summary>
    public partial class Tensor
    {
        public static Tensor operator +(Tensor left, int right) => left + (Scalar)right;

        public static Tensor operator -(Tensor left, int right) => left - (Scalar)right;

        public static Tensor operator *(Tensor left, int right) => left * (Scalar)right;

        public static Tensor operator /(Tensor left, int right) => left / (Scalar)right;

        public static Tensor operator %(Tensor left, int right) => left % (Scalar)right;

        public static Tensor operator +(int left, Tensor right) => (Scalar)left + right;

        public static Tensor operator -(int left, Tensor right) => (Scalar)left - right;

        public static Tensor operator *(int left, Tensor right) => (Scalar)left * right;

        public static Tensor operator /(int left, Tensor right) => (Scalar)left / right;

        public static Tensor operator +(Tensor left, long right) => left + (Scalar)right;

        public static Tensor operator -(Tensor left, long right) => left - (Scalar)right;

        public static Tensor operator *(Tensor left, long right) => left * (Scalar)right;

        public static Tensor operator /(Tensor left, long right) => left / (Scalar)right;

        public static Tensor operator %(Tensor left, long right) => left % (Scalar)right;

        public static Tensor operator +(long left, Tensor right) => (Scalar)left + right;

        public static Tensor operator -(long left, Tensor right) => (Scalar)left - right;

        public static Tensor operator *(long left, Tensor right) => (Scalar)left * right;

        public static Tensor operator /(long left, Tensor right) => (Scalar)left / right;

        public static Tensor operator +(Tensor left, float right) => left + (Scalar)right;

        public static Tensor operator -(Tensor left, float right) => left - (Scalar)right;

        public static Tensor operator *(Tensor left, float right) => left * (Scalar)right;

        public static Tensor operator /(Tensor left, float right) => left / (Scalar)right;

        public static Tensor operator %(Tensor left, float right) => left % (Scalar)right;

        public static Tensor operator +(float left, Tensor right) => (Scalar)left + right;

        public static Tensor operator -(float left, Tensor right) => (Scalar)left - right;

        public static Tensor operator *(float left, Tensor right) => (Scalar)left * right;

        public static Tensor operator /(float left, Tensor right) => (Scalar)left / right;

        public static Tensor operator +(Tensor left, double right) => left + (Scalar)right;

        public static Tensor operator -(Tensor left, double right) => left - (Scalar)right;

        public static Tensor operator *(Tensor left, double right) => left * (Scalar)right;

        public static Tensor operator /(Tensor left, double right) => left / (Scalar)right;

        public static Tensor operator %(Tensor left, double right) => left % (Scalar)right;

        public static Tensor operator +(double left, Tensor right) => (Scalar)left + right;

        public static Tensor operator -(double left, Tensor right) => (Scalar)left - right;

        public static Tensor operator *(double left, Tensor right) => (Scalar)left * right;

        public static Tensor operator /(double left, Tensor right) => (Scalar)left / right;
    }
}

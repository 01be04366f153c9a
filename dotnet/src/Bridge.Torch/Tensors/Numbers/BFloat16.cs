using System.Runtime.InteropServices;

namespace TorchSharp;

/// <summary>A bfloat16 number: the upper half of a float32, rounded to nearest, ties to even, as in libtorch.</summary>
[StructLayout(LayoutKind.Sequential)]
public readonly struct BFloat16 : IComparable<BFloat16>, IEquatable<BFloat16>, IComparable, IFormattable
{
    /// <summary>The number 0.</summary>
    public static readonly BFloat16 Zero = FromRawValue(0x0000);

    /// <summary>The number 1.</summary>
    public static readonly BFloat16 One = FromRawValue(0x3F80);

    /// <summary>A value that is not a number.</summary>
    public static readonly BFloat16 NaN = FromRawValue(0x7FC0);

    /// <summary>Infinity.</summary>
    public static readonly BFloat16 PositiveInfinity = FromRawValue(0x7F80);

    /// <summary>Minus infinity.</summary>
    public static readonly BFloat16 NegativeInfinity = FromRawValue(0xFF80);

    /// <summary>The largest finite number, about 3.39e38.</summary>
    public static readonly BFloat16 MaxValue = FromRawValue(0x7F7F);

    /// <summary>The lowest finite number, about -3.39e38.</summary>
    public static readonly BFloat16 MinValue = FromRawValue(0xFF7F);

    /// <summary>The smallest positive number, about 9.2e-41.</summary>
    public static readonly BFloat16 SmallestSubnormal = FromRawValue(0x0001);

    /// <summary>The smallest positive number, as <see cref="SmallestSubnormal"/>; not the distance between 1 and the next number.</summary>
    public static readonly BFloat16 Epsilon = FromRawValue(0x0001);

    /// <summary>The smallest positive number with full precision, about 1.18e-38.</summary>
    public static readonly BFloat16 MinNormal = FromRawValue(0x0080);

    private readonly ushort _bits;

    private BFloat16(ushort bits, bool _) => _bits = bits;

    /// <summary>Creates the number that is nearest to a float.</summary>
    /// <param name="f">The float.</param>
    public BFloat16(float f)
    {
        var bits = BitConverter.SingleToUInt32Bits(f);
        _bits = (ushort)(float.IsNaN(f) ? bits >> 16 | 0x40 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }

    /// <summary>Creates the number that has the given bits.</summary>
    /// <param name="rawValue">The upper half of the bits of a float.</param>
    /// <returns>The number.</returns>
    public static BFloat16 FromRawValue(ushort rawValue) => new(rawValue, false);

    /// <summary>Returns this number as a float, which is exact.</summary>
    public float ToSingle() => BitConverter.UInt32BitsToSingle((uint)_bits << 16);

    /// <summary>Converts a BFloat16 to a float, which is exact.</summary>
    /// <param name="bf">The number.</param>
    /// <returns>The float.</returns>
    public static explicit operator float(BFloat16 bf) => bf.ToSingle();

    /// <summary>Converts a BFloat16 to a double, which is exact.</summary>
    /// <param name="bf">The number.</param>
    /// <returns>The double.</returns>
    public static explicit operator double(BFloat16 bf) => bf.ToSingle();

    /// <summary>Converts a float to the nearest BFloat16.</summary>
    /// <param name="f">The float.</param>
    /// <returns>The nearest number.</returns>
    public static explicit operator BFloat16(float f) => new(f);

    /// <summary>Converts a double to a float, and the float to the nearest BFloat16.</summary>
    /// <param name="d">The double.</param>
    /// <returns>The number.</returns>
    public static explicit operator BFloat16(double d) => new((float)d);

    /// <summary>Adds two bfloat16 numbers.</summary>
    /// <param name="a">The first operand.</param>
    /// <param name="b">The second operand.</param>
    /// <returns>The rounded sum.</returns>
    public static BFloat16 operator +(BFloat16 a, BFloat16 b) => new(a.ToSingle() + b.ToSingle());

    /// <summary>Subtracts a bfloat16 number from another.</summary>
    /// <param name="a">The first operand.</param>
    /// <param name="b">The second operand.</param>
    /// <returns>The rounded difference.</returns>
    public static BFloat16 operator -(BFloat16 a, BFloat16 b) => new(a.ToSingle() - b.ToSingle());

    /// <summary>Multiplies two bfloat16 numbers.</summary>
    /// <param name="a">The first operand.</param>
    /// <param name="b">The second operand.</param>
    /// <returns>The rounded product.</returns>
    public static BFloat16 operator *(BFloat16 a, BFloat16 b) => new(a.ToSingle() * b.ToSingle());

    /// <summary>Divides a bfloat16 number by another.</summary>
    /// <param name="a">The first operand.</param>
    /// <param name="b">The second operand.</param>
    /// <returns>The rounded quotient.</returns>
    public static BFloat16 operator /(BFloat16 a, BFloat16 b) => new(a.ToSingle() / b.ToSingle());

    /// <summary>Computes the remainder, with the sign of the dividend, of a division of bfloat16 numbers.</summary>
    /// <param name="a">The first operand.</param>
    /// <param name="b">The second operand.</param>
    /// <returns>The remainder.</returns>
    public static BFloat16 operator %(BFloat16 a, BFloat16 b) => new(a.ToSingle() % b.ToSingle());

    /// <summary>Negates a bfloat16 number.</summary>
    /// <param name="a">The number.</param>
    /// <returns>The negated number.</returns>
    public static BFloat16 operator -(BFloat16 a) => new(-a.ToSingle());

    /// <summary>Returns whether two bfloat16 numbers are equal; NaN equals nothing.</summary>
    /// <param name="a">The first operand.</param>
    /// <param name="b">The second operand.</param>
    /// <returns>Whether they are.</returns>
    public static bool operator ==(BFloat16 a, BFloat16 b) => a.ToSingle() == b.ToSingle();

    /// <summary>Returns whether two bfloat16 numbers are different; NaN differs from NaN.</summary>
    /// <param name="a">The first operand.</param>
    /// <param name="b">The second operand.</param>
    /// <returns>Whether they are.</returns>
    public static bool operator !=(BFloat16 a, BFloat16 b) => a.ToSingle() != b.ToSingle();

    /// <summary>Returns whether a bfloat16 number is less than another; false for NaN.</summary>
    /// <param name="a">The first operand.</param>
    /// <param name="b">The second operand.</param>
    /// <returns>Whether it is.</returns>
    public static bool operator <(BFloat16 a, BFloat16 b) => a.ToSingle() < b.ToSingle();

    /// <summary>Returns whether a bfloat16 number is greater than another; false for NaN.</summary>
    /// <param name="a">The first operand.</param>
    /// <param name="b">The second operand.</param>
    /// <returns>Whether it is.</returns>
    public static bool operator >(BFloat16 a, BFloat16 b) => a.ToSingle() > b.ToSingle();

    /// <summary>Returns whether a bfloat16 number is at most another; false for NaN.</summary>
    /// <param name="a">The first operand.</param>
    /// <param name="b">The second operand.</param>
    /// <returns>Whether it is.</returns>
    public static bool operator <=(BFloat16 a, BFloat16 b) => a.ToSingle() <= b.ToSingle();

    /// <summary>Returns whether a bfloat16 number is at least another; false for NaN.</summary>
    /// <param name="a">The first operand.</param>
    /// <param name="b">The second operand.</param>
    /// <returns>Whether it is.</returns>
    public static bool operator >=(BFloat16 a, BFloat16 b) => a.ToSingle() >= b.ToSingle();

    /// <summary>Returns whether another bfloat16 number is equal to this one; NaN equals nothing.</summary>
    /// <param name="other">The other number.</param>
    /// <returns>Whether they are equal.</returns>
    public bool Equals(BFloat16 other) => ToSingle() == other.ToSingle();

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is BFloat16 other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => ToSingle().GetHashCode();

    /// <inheritdoc/>
    public int CompareTo(BFloat16 other) => ToSingle().CompareTo(other.ToSingle());

    /// <inheritdoc/>
    public int CompareTo(object? obj) =>
        obj is null ? 1 : obj is BFloat16 other
            ? CompareTo(other) : throw new ArgumentException("Object must be of type BFloat16.", nameof(obj));

    /// <inheritdoc/>
    public override string ToString() => ToSingle().ToString(System.Globalization.CultureInfo.CurrentCulture);

    /// <inheritdoc/>
    public string ToString(string? format, IFormatProvider? formatProvider) => ToSingle().ToString(format, formatProvider);

    /// <summary>Returns whether a bfloat16 number is NaN.</summary>
    /// <param name="bf">The number.</param>
    /// <returns>Whether it is.</returns>
    public static bool IsNaN(BFloat16 bf) => float.IsNaN(bf.ToSingle());

    /// <summary>Returns whether a bfloat16 number is infinity or minus infinity.</summary>
    /// <param name="bf">The number.</param>
    /// <returns>Whether it is.</returns>
    public static bool IsInfinity(BFloat16 bf) => float.IsInfinity(bf.ToSingle());

    /// <summary>Returns whether a bfloat16 number is infinity.</summary>
    /// <param name="bf">The number.</param>
    /// <returns>Whether it is.</returns>
    public static bool IsPositiveInfinity(BFloat16 bf) => float.IsPositiveInfinity(bf.ToSingle());

    /// <summary>Returns whether a bfloat16 number is minus infinity.</summary>
    /// <param name="bf">The number.</param>
    /// <returns>Whether it is.</returns>
    public static bool IsNegativeInfinity(BFloat16 bf) => float.IsNegativeInfinity(bf.ToSingle());

    /// <summary>Returns whether a bfloat16 number is finite: neither infinite nor NaN.</summary>
    /// <param name="bf">The number.</param>
    /// <returns>Whether it is.</returns>
    public static bool IsFinite(BFloat16 bf) => float.IsFinite(bf.ToSingle());
}

using System.Runtime.InteropServices;

namespace TorchSharp;

/// <summary>A bfloat16 number: the upper half of a float32, rounded to nearest, ties to even, as in libtorch.</summary>
[StructLayout(LayoutKind.Sequential)]
public readonly struct BFloat16 : IComparable<BFloat16>, IEquatable<BFloat16>, IComparable, IFormattable
{
    public static readonly BFloat16 Zero = FromRawValue(0x0000);
    public static readonly BFloat16 One = FromRawValue(0x3F80);
    public static readonly BFloat16 NaN = FromRawValue(0x7FC0);
    public static readonly BFloat16 PositiveInfinity = FromRawValue(0x7F80);
    public static readonly BFloat16 NegativeInfinity = FromRawValue(0xFF80);
    public static readonly BFloat16 MaxValue = FromRawValue(0x7F7F);
    public static readonly BFloat16 MinValue = FromRawValue(0xFF7F);
    public static readonly BFloat16 SmallestSubnormal = FromRawValue(0x0001);
    public static readonly BFloat16 Epsilon = FromRawValue(0x0001);
    public static readonly BFloat16 MinNormal = FromRawValue(0x0080);

    private readonly ushort _bits;

    private BFloat16(ushort bits, bool _) => _bits = bits;

    public BFloat16(float f)
    {
        var bits = BitConverter.SingleToUInt32Bits(f);
        _bits = (ushort)(float.IsNaN(f) ? bits >> 16 | 0x40 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }

    public static BFloat16 FromRawValue(ushort rawValue) => new(rawValue, false);

    public float ToSingle() => BitConverter.UInt32BitsToSingle((uint)_bits << 16);

    public static explicit operator float(BFloat16 bf) => bf.ToSingle();

    public static explicit operator double(BFloat16 bf) => bf.ToSingle();

    public static explicit operator BFloat16(float f) => new(f);

    public static explicit operator BFloat16(double d) => new((float)d);

    public static BFloat16 operator +(BFloat16 a, BFloat16 b) => new(a.ToSingle() + b.ToSingle());

    public static BFloat16 operator -(BFloat16 a, BFloat16 b) => new(a.ToSingle() - b.ToSingle());

    public static BFloat16 operator *(BFloat16 a, BFloat16 b) => new(a.ToSingle() * b.ToSingle());

    public static BFloat16 operator /(BFloat16 a, BFloat16 b) => new(a.ToSingle() / b.ToSingle());

    public static BFloat16 operator %(BFloat16 a, BFloat16 b) => new(a.ToSingle() % b.ToSingle());

    public static BFloat16 operator -(BFloat16 a) => new(-a.ToSingle());

    public static bool operator ==(BFloat16 a, BFloat16 b) => a.ToSingle() == b.ToSingle();

    public static bool operator !=(BFloat16 a, BFloat16 b) => a.ToSingle() != b.ToSingle();

    public static bool operator <(BFloat16 a, BFloat16 b) => a.ToSingle() < b.ToSingle();

    public static bool operator >(BFloat16 a, BFloat16 b) => a.ToSingle() > b.ToSingle();

    public static bool operator <=(BFloat16 a, BFloat16 b) => a.ToSingle() <= b.ToSingle();

    public static bool operator >=(BFloat16 a, BFloat16 b) => a.ToSingle() >= b.ToSingle();

    public bool Equals(BFloat16 other) => ToSingle() == other.ToSingle();

    public override bool Equals(object? obj) => obj is BFloat16 other && Equals(other);

    public override int GetHashCode() => ToSingle().GetHashCode();

    public int CompareTo(BFloat16 other) => ToSingle().CompareTo(other.ToSingle());

    public int CompareTo(object? obj) =>
        obj is null ? 1 : obj is BFloat16 other
            ? CompareTo(other) : throw new ArgumentException("Object must be of type BFloat16.", nameof(obj));

    public override string ToString() => ToSingle().ToString(System.Globalization.CultureInfo.CurrentCulture);

    public string ToString(string? format, IFormatProvider? formatProvider) => ToSingle().ToString(format, formatProvider);

    public static bool IsNaN(BFloat16 bf) => float.IsNaN(bf.ToSingle());

    public static bool IsInfinity(BFloat16 bf) => float.IsInfinity(bf.ToSingle());

    public static bool IsPositiveInfinity(BFloat16 bf) => float.IsPositiveInfinity(bf.ToSingle());

    public static bool IsNegativeInfinity(BFloat16 bf) => float.IsNegativeInfinity(bf.ToSingle());

    public static bool IsFinite(BFloat16 bf) => float.IsFinite(bf.ToSingle());
}

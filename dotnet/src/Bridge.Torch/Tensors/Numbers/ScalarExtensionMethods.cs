using System.Numerics;

namespace TorchSharp;

/// <summary>Conversions between .NET's numbers and <see cref="Scalar"/>, by the rules of libtorch's <c>c10::Scalar</c>.</summary>
/// <remarks>
/// A conversion to an integer type truncates the fraction. An integer from -255 to -1 wraps when it is converted to byte. In all other
/// cases, a conversion to an integer or floating-point type throws <see cref="OverflowException"/> if the value has an imaginary part or is
/// out of the type's range. For BFloat16, the range is that of float.
/// </remarks>
public static class ScalarExtensionMethods
{
    /// <summary>Returns a Scalar that holds a byte.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this byte value) => value;

    /// <summary>Returns a Scalar that holds an sbyte.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this sbyte value) => value;

    /// <summary>Returns a Scalar that holds a short.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this short value) => value;

    /// <summary>Returns a Scalar that holds an int.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this int value) => value;

    /// <summary>Returns a Scalar that holds a long.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this long value) => value;

    /// <summary>Returns a Scalar that holds a float.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this float value) => value;

    /// <summary>Returns a Scalar that holds a double.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this double value) => value;

    /// <summary>Returns a Scalar that holds a pair of floats, the real and the imaginary part.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this (float, float) value) => value;

    /// <summary>Returns a Scalar that holds a complex number.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this Complex value) => value;

    /// <summary>Returns a Scalar that holds a bool.</summary>
    /// <param name="value">The boolean.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this bool value) => value;

    /// <summary>Returns a Scalar that holds a Half.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this Half value) => value;

    /// <summary>Returns a Scalar that holds a BFloat16.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToScalar(this BFloat16 value) => value;

    /// <summary>Returns a Scalar that holds a float rounded to bfloat16.</summary>
    /// <param name="value">The number.</param>
    /// <returns>The Scalar.</returns>
    public static Scalar ToBFloat16Scalar(this float value) => new BFloat16(value);

    /// <summary>Converts a Scalar to a Half.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The Scalar has an imaginary part, or is finite and out of range.</exception>
    public static Half ToHalf(this Scalar value) => (Half)CheckRange(value, 65504);

    /// <summary>Converts a Scalar to a BFloat16.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The Scalar has an imaginary part, or is finite and out of range.</exception>
    public static BFloat16 ToBFloat16(this Scalar value) => (BFloat16)value.ToSingle();

    /// <summary>Converts a Scalar to a float.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The Scalar has an imaginary part, or is finite and out of range.</exception>
    public static float ToSingle(this Scalar value) => (float)CheckRange(value, float.MaxValue);

    /// <summary>Converts a Scalar to a double.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The Scalar has an imaginary part.</exception>
    public static double ToDouble(this Scalar value) => CheckRange(value, double.MaxValue);

    /// <summary>Converts a Scalar to an sbyte, without the fraction.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The Scalar has an imaginary part, or is out of range.</exception>
    public static sbyte ToSByte(this Scalar value) => (sbyte)CheckInteger(value, sbyte.MinValue, sbyte.MaxValue);

    /// <summary>Converts a Scalar to a byte, without the fraction.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The Scalar has an imaginary part, or is out of range; integers from -255 to -1 wrap.</exception>
    public static byte ToByte(this Scalar value) => (byte)CheckInteger(value, byte.MinValue, byte.MaxValue);

    /// <summary>Converts a Scalar to a short, without the fraction.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The Scalar has an imaginary part, or is out of range.</exception>
    public static short ToInt16(this Scalar value) => (short)CheckInteger(value, short.MinValue, short.MaxValue);

    /// <summary>Converts a Scalar to an int, without the fraction.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The Scalar has an imaginary part, or is out of range.</exception>
    public static int ToInt32(this Scalar value) => (int)CheckInteger(value, int.MinValue, int.MaxValue);

    /// <summary>Converts a Scalar to a long, without the fraction.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>The number.</returns>
    /// <exception cref="OverflowException">The Scalar has an imaginary part, or is out of range.</exception>
    public static long ToInt64(this Scalar value) => CheckInteger(value, long.MinValue, long.MaxValue);

    /// <summary>Converts a Scalar to a bool.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>Whether the Scalar is not 0.</returns>
    public static bool ToBoolean(this Scalar value) => value.Real != 0 || value.Imaginary != 0;

    /// <summary>Converts a Scalar to a pair of floats.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>The real and the imaginary part.</returns>
    public static (float Real, float Imaginary) ToComplexFloat32(this Scalar value) => ((float)value.Real, (float)value.Imaginary);

    /// <summary>Converts a Scalar to a complex number.</summary>
    /// <param name="value">The Scalar.</param>
    /// <returns>The number.</returns>
    public static Complex ToComplexFloat64(this Scalar value) => value.Complex;

    private static double CheckRange(Scalar value, double most)
    {
        var real = value.IsComplex || value.IsReal ? value.Real : value.Integer;
        if (value.Imaginary != 0 || (double.IsFinite(real) && Math.Abs(real) > most)) throw Overflow(value);
        return real;
    }

    private static long CheckInteger(Scalar value, long least, long most)
    {
        if (!value.IsReal)
        {
            // Negative integers wrap in an unsigned type, down to minus the maximum of the type.
            if (value.Integer > most || value.Integer < (least == 0 ? -most : least)) throw Overflow(value);
            return value.Integer;
        }

        // No double equals the maximum long: the nearest double is one larger.
        if (value.Imaginary != 0 || !(value.Real >= least)
            || !(most == long.MaxValue ? value.Real < 9223372036854775808.0 : value.Real <= most))
            throw Overflow(value);
        return (long)value.Real;
    }

    private static OverflowException Overflow(Scalar value) =>
        new("value cannot be converted without overflow: "
            + $"{(value.IsComplex ? $"{value.Complex}" : value.IsReal ? $"{value.Real}" : $"{value.Integer}")}");
}

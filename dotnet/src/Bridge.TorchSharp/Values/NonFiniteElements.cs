using System.Numerics;
using System.Runtime.InteropServices;

namespace Bridge.TorchSharp;

/// <summary>Searches the elements of a tensor for a NaN or an infinity.</summary>
internal static class NonFiniteElements
{
    /// <summary>Returns the name of the first element that is not finite; null if there is none.</summary>
    /// <param name="type">libtorch's number of the element type. Types without NaN, and 8-bit types, have only finite elements.</param>
    /// <param name="bytes">The elements.</param>
    internal static string? Find(int type, ReadOnlySpan<byte> bytes)
    {
        const int half = 5, single = 6, real = 7, complexHalf = 8, complexSingle = 9, complexDouble = 10, brain = 15;
        return type switch
        {
            half or complexHalf => Find<ushort>(bytes, 0x7C00, bits => (double)BitConverter.UInt16BitsToHalf(bits)),
            brain => Find<ushort>(bytes, 0x7F80, bits => BitConverter.UInt32BitsToSingle((uint)bits << 16)),
            single or complexSingle => Find<uint>(bytes, 0x7F800000, bits => BitConverter.UInt32BitsToSingle(bits)),
            real or complexDouble => Find<ulong>(bytes, 0x7FF0000000000000, bits => BitConverter.UInt64BitsToDouble(bits)),
            _ => null,
        };
    }

    /// <summary>Returns <c>NaN</c>, <c>Infinity</c> or <c>-Infinity</c>.</summary>
    internal static string Name(double value) => double.IsNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";

    private static string? Find<T>(ReadOnlySpan<byte> bytes, T exponent, Func<T, double> value)
        where T : unmanaged, IBinaryInteger<T>
    {
        var elements = MemoryMarshal.Cast<byte, T>(bytes);
        return IndexOf(elements, exponent) is >= 0 and var index ? Name(value(elements[index])) : null;
    }

    // Returns the index of the first element whose exponent, the bits of `mask`, has all bits set; -1 if there is none.
    private static int IndexOf<T>(ReadOnlySpan<T> elements, T mask)
        where T : unmanaged, IBinaryInteger<T>
    {
        var i = 0;
        var masks = new Vector<T>(mask);
        for (; i <= elements.Length - Vector<T>.Count; i += Vector<T>.Count)
            if (Vector.EqualsAny(new Vector<T>(elements[i..]) & masks, masks)) break;
        for (; i < elements.Length; i++)
            if ((elements[i] & mask) == mask) return i;
        return -1;
    }
}

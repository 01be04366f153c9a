using System.Buffers.Binary;

namespace Bridge.Trace.Tool.Reading;

/// <summary>Names the kinds of numbers in a tensor.</summary>
internal enum ElementKind
{
    Boolean,
    Signed,
    Unsigned,
    Real,
    Complex,
}

/// <summary>Represents the elements of a tensor.</summary>
/// <param name="Kind">The kind of the numbers.</param>
/// <param name="Size">The number of bytes of an element.</param>
/// <param name="Shape">The sizes.</param>
/// <param name="Data">The elements, in C order and little-endian.</param>
internal sealed record TensorElements(ElementKind Kind, int Size, long[] Shape, byte[] Data)
{
    internal int Count => Data.Length / Size;

    internal bool IsInteger => Kind is ElementKind.Boolean or ElementKind.Signed or ElementKind.Unsigned;

    internal bool HasTypeOf(TensorElements other) => (Kind, Size) == (other.Kind, other.Size);

    /// <summary>Gets the name of NumPy's dtype, such as <c>&lt;f4</c>, which a digest includes.</summary>
    internal string NumPyName
    {
        get
        {
            var letter = Kind switch
            {
                ElementKind.Boolean => 'b',
                ElementKind.Signed => 'i',
                ElementKind.Unsigned => 'u',
                ElementKind.Real => 'f',
                _ => 'c',
            };
            return $"{(Size == 1 ? '|' : '<')}{letter}{Size}";
        }
    }

    /// <summary>Returns the element at an index. The kind must be an integer or boolean.</summary>
    internal Int128 Integer(int index)
    {
        var at = Data.AsSpan(index * Size);
        return (Kind == ElementKind.Signed, Size) switch
        {
            (true, 1) => (sbyte)at[0],
            (true, 2) => BinaryPrimitives.ReadInt16LittleEndian(at),
            (true, 4) => BinaryPrimitives.ReadInt32LittleEndian(at),
            (true, _) => BinaryPrimitives.ReadInt64LittleEndian(at),
            (_, 1) => Kind == ElementKind.Boolean ? at[0] == 0 ? 0 : 1 : at[0],
            (_, 2) => BinaryPrimitives.ReadUInt16LittleEndian(at),
            (_, 4) => BinaryPrimitives.ReadUInt32LittleEndian(at),
            _ => BinaryPrimitives.ReadUInt64LittleEndian(at),
        };
    }

    /// <summary>Returns the element at an index as a double; of a complex number, the real or the imaginary part.</summary>
    internal double Number(int index, bool imaginary = false)
    {
        if (IsInteger) return imaginary ? 0 : (double)Integer(index);
        if (Kind == ElementKind.Real) return imaginary ? 0 : Real(Data.AsSpan(index * Size, Size));
        var half = Size / 2;
        return Real(Data.AsSpan(index * Size + (imaginary ? half : 0), half));
    }

    private static double Real(ReadOnlySpan<byte> at) => at.Length switch
    {
        2 => (double)BinaryPrimitives.ReadHalfLittleEndian(at),
        4 => BinaryPrimitives.ReadSingleLittleEndian(at),
        _ => BinaryPrimitives.ReadDoubleLittleEndian(at),
    };
}

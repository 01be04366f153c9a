namespace TorchSharp.Utils;

/// <summary>A reader of numbers whose most significant byte comes first, as in the files of MNIST.</summary>
/// <param name="baseReader">The reader that the bytes come from.</param>
public class BigEndianReader(BinaryReader baseReader)
{
    /// <summary>Gets the stream that the bytes come from.</summary>
    public Stream BaseStream => baseReader.BaseStream;

    /// <summary>Reads a signed integer of four bytes, the most significant byte first.</summary>
    /// <returns>The number.</returns>
    public int ReadInt32() => BitConverter.ToInt32(ReadBigEndianBytes(4), 0);

    /// <summary>Reads bytes and returns them in reverse order.</summary>
    /// <param name="count">The number of bytes.</param>
    /// <returns>The bytes, the last one first.</returns>
    /// <exception cref="EndOfStreamException">Fewer than <paramref name="count"/> bytes are left.</exception>
    public byte[] ReadBigEndianBytes(int count)
    {
        var bytes = new byte[count];
        for (var i = count - 1; i >= 0; i--) bytes[i] = baseReader.ReadByte();
        return bytes;
    }

    /// <summary>Reads bytes and returns them in the order in which the stream has them.</summary>
    /// <param name="count">The largest number of bytes.</param>
    /// <returns>The bytes, fewer than <paramref name="count"/> at the end of the stream.</returns>
    public byte[] ReadBytes(int count) => baseReader.ReadBytes(count);

    /// <summary>Closes the reader that the bytes come from, and its stream.</summary>
    public void Close() => baseReader.Close();
}

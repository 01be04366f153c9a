namespace TorchSharp.Utils;

/// <summary>A reader of numbers whose most significant byte comes first, as in the files of MNIST.</summary>
public class BigEndianReader(BinaryReader baseReader)
{
    public Stream BaseStream => baseReader.BaseStream;

    public int ReadInt32() => BitConverter.ToInt32(ReadBigEndianBytes(4), 0);

    /// <summary>Reads bytes and returns them in reverse order.</summary>
    /// <exception cref="EndOfStreamException">Fewer than <paramref name="count"/> bytes are left.</exception>
    public byte[] ReadBigEndianBytes(int count)
    {
        var bytes = new byte[count];
        for (var i = count - 1; i >= 0; i--) bytes[i] = baseReader.ReadByte();
        return bytes;
    }

    public byte[] ReadBytes(int count) => baseReader.ReadBytes(count);

    public void Close() => baseReader.Close();
}

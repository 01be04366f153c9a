using System.Buffers.Binary;

namespace TorchSharp.Utils;

/// <summary>The CRC-32C (Castagnoli) checksum of bytes, and of integers in little-endian byte order.</summary>
public static class CRC32C
{
    private static readonly uint[] Table = [.. Enumerable.Range(0, 256).Select(TableEntry)];

    /// <summary>Computes the checksum of an array of bytes.</summary>
    /// <param name="data">The bytes.</param>
    /// <returns>The checksum.</returns>
    public static uint process(byte[] data) => Compute(data);

    /// <summary>Computes the checksum of the four bytes of an integer, the least significant byte first.</summary>
    /// <param name="data">The integer.</param>
    /// <returns>The checksum.</returns>
    public static uint process(int data)
    {
        Span<byte> bytes = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, data);
        return Compute(bytes);
    }

    /// <summary>Computes the checksum of the eight bytes of an integer, the least significant byte first.</summary>
    /// <param name="data">The integer.</param>
    /// <returns>The checksum.</returns>
    public static uint process(long data)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, data);
        return Compute(bytes);
    }

    private static uint Compute(ReadOnlySpan<byte> bytes)
    {
        var sum = uint.MaxValue;
        foreach (var value in bytes) sum = sum >> 8 ^ Table[(byte)(sum ^ value)];
        return ~sum;
    }

    private static uint TableEntry(int value)
    {
        const uint polynomial = 0x82F63B78; // bits reversed
        var rest = (uint)value;
        for (var bit = 0; bit < 8; bit++) rest = (rest & 1) != 0 ? rest >> 1 ^ polynomial : rest >> 1;
        return rest;
    }
}

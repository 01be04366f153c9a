using System.Buffers.Binary;

namespace TorchSharp.Utils;

/// <summary>CRC-32C (Castagnoli), of bytes and of integers as they lie in memory of a little-endian machine.</summary>
public static class CRC32C
{
    private static readonly uint[] Table = [.. Enumerable.Range(0, 256).Select(OfByte)];

    public static uint process(byte[] data) => Of(data);

    public static uint process(int data)
    {
        Span<byte> bytes = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, data);
        return Of(bytes);
    }

    public static uint process(long data)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, data);
        return Of(bytes);
    }

    private static uint Of(ReadOnlySpan<byte> bytes)
    {
        var sum = uint.MaxValue;
        foreach (var value in bytes) sum = sum >> 8 ^ Table[(byte)(sum ^ value)];
        return ~sum;
    }

    private static uint OfByte(int value)
    {
        const uint polynomial = 0x82F63B78; // reversed
        var rest = (uint)value;
        for (var bit = 0; bit < 8; bit++) rest = (rest & 1) != 0 ? rest >> 1 ^ polynomial : rest >> 1;
        return rest;
    }
}

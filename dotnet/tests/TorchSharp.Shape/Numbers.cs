using System.Runtime.InteropServices;
using static TorchSharp.torch;

namespace TorchSharp;

/// <summary>Numbers in the memory of an element type, and back.</summary>
internal static class Numbers
{
    internal static byte[] Write(double[] numbers, ScalarType type) => type switch
    {
        ScalarType.Float64 => Bytes<double>([.. numbers]),
        ScalarType.Int64 => Bytes<long>([.. numbers.Select(x => (long)x)]),
        ScalarType.Bool => [.. numbers.Select(x => (byte)(x == 0 ? 0 : 1))],
        ScalarType.BFloat16 => Bytes<ushort>([.. numbers.Select(x => (ushort)(BitConverter.SingleToUInt32Bits((float)x) >> 16))]),
        // Also what nobody computes with here.
        _ => Bytes<float>([.. numbers.Select(x => (float)x)]),
    };

    internal static double[] Read(byte[] bytes, ScalarType type) => type switch
    {
        ScalarType.Float64 => MemoryMarshal.Cast<byte, double>(bytes).ToArray(),
        ScalarType.Int64 => [.. MemoryMarshal.Cast<byte, long>(bytes).ToArray().Select(x => (double)x)],
        ScalarType.Bool => [.. bytes.Select(x => (double)x)],
        ScalarType.BFloat16 => [.. MemoryMarshal.Cast<byte, ushort>(bytes).ToArray().Select(x => (double)BitConverter.UInt32BitsToSingle((uint)x << 16))],
        _ => [.. MemoryMarshal.Cast<byte, float>(bytes).ToArray().Select(x => (double)x)],
    };

    private static byte[] Bytes<T>(T[] numbers)
        where T : unmanaged => MemoryMarshal.AsBytes(numbers.AsSpan()).ToArray();
}

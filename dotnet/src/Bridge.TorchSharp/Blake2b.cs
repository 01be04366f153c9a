using System.Buffers.Binary;
using System.Numerics;

namespace Bridge.TorchSharp;

/// <summary>BLAKE2b of 128 bits without a key (RFC 7693), which .NET lacks and Python has: the digest of elements in a trace.</summary>
internal sealed class Blake2b
{
    private const int Size = 16;
    private const int Block = 128;

    private static readonly ulong[] Start =
    [
        0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
    ];

    private static readonly byte[] Orders =
    [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
        11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
        7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
        9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
        2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
        12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
        13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
        6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
        10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
    ];

    private readonly ulong[] _state = [.. Start];
    private readonly byte[] _held = new byte[Block];
    private int _count;
    private ulong _length;

    internal Blake2b() => _state[0] ^= 0x01010000 ^ Size;

    internal void Add(ReadOnlySpan<byte> data)
    {
        while (data.Length > 0)
        {
            // The last block is another one, so that a full one waits until more comes.
            if (_count == Block) Mix(_held, last: false);
            if (_count == 0)
            {
                for (; data.Length > Block; data = data[Block..])
                {
                    _count = Block;
                    Mix(data, last: false);
                }
            }

            var taken = Math.Min(Block - _count, data.Length);
            data[..taken].CopyTo(_held.AsSpan(_count));
            _count += taken;
            data = data[taken..];
        }
    }

    /// <summary>The digest as 32 lower-case hexadecimal digits; nothing is added afterwards.</summary>
    internal string End()
    {
        _held.AsSpan(_count).Clear();
        Mix(_held, last: true);
        Span<byte> digest = stackalloc byte[Size];
        for (var i = 0; i < Size / 8; i++) BinaryPrimitives.WriteUInt64LittleEndian(digest[(8 * i)..], _state[i]);
        return Convert.ToHexString(digest).ToLowerInvariant();
    }

    private void Mix(ReadOnlySpan<byte> block, bool last)
    {
        _length += (ulong)_count;
        _count = 0;
        Span<ulong> m = stackalloc ulong[16], v = stackalloc ulong[16];
        for (var i = 0; i < 16; i++) m[i] = BinaryPrimitives.ReadUInt64LittleEndian(block[(8 * i)..]);
        _state.CopyTo(v);
        Start.CopyTo(v[8..]);
        v[12] ^= _length;
        if (last) v[14] = ~v[14];
        for (var round = 0; round < 12; round++)
        {
            var order = Orders.AsSpan(16 * round, 16);
            for (var i = 0; i < 4; i++) Mix(v, i, 4 + i, 8 + i, 12 + i, m[order[2 * i]], m[order[(2 * i) + 1]]);
            for (var i = 0; i < 4; i++) Mix(v, i, 4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4), m[order[8 + (2 * i)]], m[order[9 + (2 * i)]]);
        }

        for (var i = 0; i < 8; i++) _state[i] ^= v[i] ^ v[i + 8];
    }

    private static void Mix(Span<ulong> v, int a, int b, int c, int d, ulong x, ulong y)
    {
        v[a] += v[b] + x;
        v[d] = BitOperations.RotateRight(v[d] ^ v[a], 32);
        v[c] += v[d];
        v[b] = BitOperations.RotateRight(v[b] ^ v[c], 24);
        v[a] += v[b] + y;
        v[d] = BitOperations.RotateRight(v[d] ^ v[a], 16);
        v[c] += v[d];
        v[b] = BitOperations.RotateRight(v[b] ^ v[c], 63);
    }
}

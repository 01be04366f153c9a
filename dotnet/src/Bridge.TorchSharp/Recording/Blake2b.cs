using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Bridge.TorchSharp;

/// <summary>
/// The BLAKE2b hash with 128 bits and no key (RFC 7693), by which traces identify a tensor's elements. .NET has no BLAKE2b.
/// </summary>
/// <param name="vectors">Whether to compute four words at once if the processor has AVX2.</param>
internal sealed class Blake2b(bool vectors = true)
{
    private const int Size = 16;
    private const int Block = 128;

    private static readonly ulong[] Start =
    [
        0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
        0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
    ];

    // The order of a block's words in each round.
    private static ReadOnlySpan<byte> Orders =>
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

    private readonly bool _vectors = vectors && Avx2.IsSupported;
    private readonly ulong[] _state = [Start[0] ^ 0x01010000 ^ Size, .. Start.AsSpan(1)];
    private readonly byte[] _held = new byte[Block];
    private int _count;
    private ulong _length;

    internal void Add(ReadOnlySpan<byte> data)
    {
        while (data.Length > 0)
        {
            // The last block is mixed differently, so a full block waits until more data comes.
            if (_count == Block) Mix(_held);
            if (_count == 0 && data.Length > Block)
            {
                var whole = (data.Length - 1) / Block * Block;
                Mix(data[..whole]);
                data = data[whole..];
            }

            var taken = Math.Min(Block - _count, data.Length);
            data[..taken].CopyTo(_held.AsSpan(_count));
            _count += taken;
            data = data[taken..];
        }
    }

    /// <summary>Returns the digest as 32 lower-case hexadecimal digits. No data may be added afterwards.</summary>
    internal string End()
    {
        _held.AsSpan(_count).Clear();
        Mix(_held, last: true);
        Span<byte> digest = stackalloc byte[Size];
        for (var i = 0; i < Size / 8; i++) BinaryPrimitives.WriteUInt64LittleEndian(digest[(8 * i)..], _state[i]);
        return Convert.ToHexString(digest).ToLowerInvariant();
    }

    private void Mix(ReadOnlySpan<byte> blocks, bool last = false)
    {
        if (_vectors) MixVectors(blocks, last);
        else MixWords(blocks, last);
        _count = 0;
    }

    // Optimized from the first call on, because there may be only one tensor.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void MixWords(ReadOnlySpan<byte> blocks, bool last)
    {
        Span<ulong> m = stackalloc ulong[16], v = stackalloc ulong[16];
        for (; blocks.Length > 0; blocks = blocks[Block..])
        {
            _length += last ? (ulong)_count : Block;
            for (var i = 0; i < 16; i++) m[i] = BinaryPrimitives.ReadUInt64LittleEndian(blocks[(8 * i)..]);
            _state.CopyTo(v);
            Start.CopyTo(v[8..]);
            v[12] ^= _length;
            if (last) v[14] = ~v[14];
            for (var orders = Orders; orders.Length > 0; orders = orders[16..])
            {
                for (var i = 0; i < 4; i++) Mix(v, i, 4 + i, 8 + i, 12 + i, m[orders[2 * i]], m[orders[(2 * i) + 1]]);
                for (var i = 0; i < 4; i++)
                {
                    var (b, c, d) = (4 + ((i + 1) % 4), 8 + ((i + 2) % 4), 12 + ((i + 3) % 4));
                    Mix(v, i, b, c, d, m[orders[8 + (2 * i)]], m[orders[9 + (2 * i)]]);
                }
            }

            for (var i = 0; i < 8; i++) _state[i] ^= v[i] ^ v[i + 8];
        }
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

    // Each row of the 4 by 4 working words is a vector. For the work on the diagonals, rows a, c and d are rotated. Row b is not: Half
    // computes it last, so the next step would have to wait for its rotation.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void MixVectors(ReadOnlySpan<byte> blocks, bool last)
    {
        ref var state = ref MemoryMarshal.GetArrayDataReference(_state);
        ref var start = ref MemoryMarshal.GetArrayDataReference(Start);
        var (low, high) = (Vector256.LoadUnsafe(ref state), Vector256.LoadUnsafe(ref state, 4));
        for (; blocks.Length > 0; blocks = blocks[Block..])
        {
            _length += last ? (ulong)_count : Block;
            ref var block = ref MemoryMarshal.GetReference(blocks);
            var (a, b, c) = (low, high, Vector256.LoadUnsafe(ref start));
            var d = Vector256.LoadUnsafe(ref start, 4) ^ Vector256.Create(_length, 0, last ? ulong.MaxValue : 0, 0);
            for (var orders = Orders; orders.Length > 0; orders = orders[16..])
            {
                Half(Words(ref block, orders, 0, 2, 4, 6), Words(ref block, orders, 1, 3, 5, 7), ref a, ref b, ref c, ref d);
                (a, c, d) = (Avx2.Permute4x64(a, 0b10_01_00_11), Avx2.Permute4x64(c, 0b00_11_10_01), Avx2.Permute4x64(d, 0b01_00_11_10));
                Half(Words(ref block, orders, 14, 8, 10, 12), Words(ref block, orders, 15, 9, 11, 13), ref a, ref b, ref c, ref d);
                (a, c, d) = (Avx2.Permute4x64(a, 0b00_11_10_01), Avx2.Permute4x64(c, 0b10_01_00_11), Avx2.Permute4x64(d, 0b01_00_11_10));
            }

            (low, high) = (low ^ a ^ c, high ^ b ^ d);
        }

        low.StoreUnsafe(ref state);
        high.StoreUnsafe(ref state, 4);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Half(
        Vector256<ulong> x,
        Vector256<ulong> y,
        ref Vector256<ulong> a,
        ref Vector256<ulong> b,
        ref Vector256<ulong> c,
        ref Vector256<ulong> d)
    {
        a = a + x + b;
        d = Avx2.Shuffle((d ^ a).AsUInt32(), 0b10_11_00_01).AsUInt64();
        c += d;
        b = Avx2.Shuffle(
            (b ^ c).AsByte(),
            Vector256.Create(
                Vector128.Create((byte)3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10),
                Vector128.Create((byte)3, 4, 5, 6, 7, 0, 1, 2, 11, 12, 13, 14, 15, 8, 9, 10))).AsUInt64();
        a = a + y + b;
        d = Avx2.Shuffle(
            (d ^ a).AsByte(),
            Vector256.Create(
                Vector128.Create((byte)2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9),
                Vector128.Create((byte)2, 3, 4, 5, 6, 7, 0, 1, 10, 11, 12, 13, 14, 15, 8, 9))).AsUInt64();
        c += d;
        b ^= c;
        b = (b + b) ^ (b >>> 63);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector256<ulong> Words(ref byte block, ReadOnlySpan<byte> orders, int i, int j, int k, int l)
    {
        return Vector256.Create(
            Word(ref block, orders[i]), Word(ref block, orders[j]), Word(ref block, orders[k]), Word(ref block, orders[l]));

        static ulong Word(ref byte block, int number) => Unsafe.ReadUnaligned<ulong>(ref Unsafe.Add(ref block, 8 * number));
    }
}

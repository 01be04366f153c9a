using System.Buffers;
using System.Text;

namespace Bridge.TorchSharp;

/// <summary>
/// A cache of the digests of the last few tensors. Most tensors occur twice: as a module's result and as the next module's argument.
/// </summary>
/// <remarks>
/// Elements are compared with a copy, which takes a tenth of the time of hashing. A tensor's address and version do not tell whether its
/// elements have changed, because code can write to the memory without changing the version.
/// </remarks>
/// <param name="maxBytes">The maximum size of all copies together, in bytes. A larger tensor is hashed each time.</param>
internal sealed class DigestCache(int maxBytes = 1 << 28)
{
    private const int Capacity = 4;
    private readonly Queue<Entry> _known = new(Capacity);
    private int _bytes;

    /// <summary>Returns the digest of a tensor.</summary>
    /// <param name="form">NumPy's name of the element type, then the shape in Python's notation, such as <c>&lt;f4(2, 3)</c>.</param>
    /// <param name="elements">The elements in C order.</param>
    internal string Get(string form, ReadOnlySpan<byte> elements)
    {
        foreach (var known in _known)
        {
            if (known.Form == form && elements.SequenceEqual(known.Elements.AsSpan(0, known.Length))) return known.Digest;
        }

        var hash = new Blake2b();
        hash.Add(Encoding.ASCII.GetBytes(form));
        hash.Add(elements);
        var digest = hash.End();
        if (elements.Length > maxBytes) return digest;
        while (_known.Count == Capacity || _bytes > maxBytes - elements.Length)
        {
            var oldest = _known.Dequeue();
            _bytes -= oldest.Length;
            ArrayPool<byte>.Shared.Return(oldest.Elements);
        }

        var copy = ArrayPool<byte>.Shared.Rent(elements.Length);
        elements.CopyTo(copy);
        _bytes += elements.Length;
        _known.Enqueue(new(form, copy, elements.Length, digest));
        return digest;
    }

    private readonly record struct Entry(string Form, byte[] Elements, int Length, string Digest);
}

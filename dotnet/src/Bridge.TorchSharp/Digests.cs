using System.Buffers;
using System.Text;

namespace Bridge.TorchSharp;

/// <summary>Digests of tensors' elements. Most tensors come twice or more, as a result and as the next argument: those are hashed once.</summary>
/// <remarks>
/// The elements themselves are compared with a copy, which takes a tenth of the time. Neither a tensor's address nor its version tells whether they
/// are what they were, since code may write to that address.
/// </remarks>
/// <param name="room">How many bytes are kept at most; larger tensors are hashed each time.</param>
internal sealed class Digests(int room = 1 << 28)
{
    private const int Most = 4;
    private readonly Queue<Known> _known = new(Most);
    private int _bytes;

    /// <summary>The digest of some elements.</summary>
    /// <param name="form">Their type and shape, as Python writes them.</param>
    /// <param name="elements">The elements in C order.</param>
    internal string Of(string form, ReadOnlySpan<byte> elements)
    {
        foreach (var known in _known)
        {
            if (known.Form == form && elements.SequenceEqual(known.Elements.AsSpan(0, known.Length))) return known.Digest;
        }

        var hash = new Blake2b();
        hash.Add(Encoding.ASCII.GetBytes(form));
        hash.Add(elements);
        var digest = hash.End();
        if (elements.Length > room) return digest;
        while (_known.Count == Most || _bytes > room - elements.Length)
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

    private readonly record struct Known(string Form, byte[] Elements, int Length, string Digest);
}

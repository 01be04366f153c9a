using System.Runtime.InteropServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>
/// The tensors and other values of an event, as 64-bit words that an <see cref="EventLog"/> copies. The buffer is reused for later events.
/// </summary>
/// <param name="texts">The list to which strings and digests are added.</param>
/// <param name="digests">Whether tensors have a digest of their elements.</param>
/// <param name="elements">The store of elements; null if elements are not recorded.</param>
internal sealed class EventValues(List<string> texts, bool digests, Elements? elements = null)
{
    private long[] _words = new long[64];
    private int _used;
    private DigestCache? _digestCache;

    internal int Count { get; private set; }

    /// <inheritdoc cref="EventValues(List{string}, bool, Elements?)" path="/param[@name='digests']"/>
    internal bool HasDigests => digests;

    /// <inheritdoc cref="EventValues(List{string}, bool, Elements?)" path="/param[@name='elements']"/>
    internal Elements? Elements => elements;

    /// <summary>Gets whether tensors have, in place of a digest, the name of the first element that is not finite.</summary>
    internal bool FindsNonFinite { get; init; }

    internal DigestCache DigestCache => _digestCache ??= new();

    internal List<string> Texts => texts;

    /// <summary>
    /// Gets or sets whether a value is being read, which may run code of the model, such as an enumerator. If that code calls a module, the
    /// call's events need another buffer.
    /// </summary>
    internal bool IsReading { get; set; }

    internal ReadOnlySpan<long> Words => _words.AsSpan(0, _used);

    internal (int Count, int Used) Mark => (Count, _used);

    internal void Clear() => Truncate(default);

    /// <summary>Removes the values after a position.</summary>
    internal void Truncate((int Count, int Used) mark) => (Count, _used) = mark;

    internal void Add(ValueKind kind, long bits)
    {
        var words = Reserve(2);
        words[0] = new ValueHeader { Kind = kind }.Word;
        words[1] = bits;
        Count++;
    }

    internal void Add(string text)
    {
        Add(ValueKind.Str, texts.Count);
        texts.Add(text);
    }

    /// <summary>Adds a tensor.</summary>
    /// <param name="kind">The element type and the device.</param>
    /// <param name="sizes">The shape.</param>
    /// <param name="digest">The digest of the tensor's elements; null if there is none.</param>
    internal void AddTensor(TensorKind kind, ReadOnlySpan<long> sizes, string? digest = null)
    {
        var before = digests ? 2 : 1;
        var words = Reserve(before + sizes.Length);
        words[0] = kind.Header(sizes.Length);
        if (digests)
        {
            words[1] = digest is null ? -1 : texts.Count;
            if (digest is not null) texts.Add(digest);
        }

        for (var i = 0; i < sizes.Length; i++) words[before + i] = sizes[i];
        Count++;
    }

    /// <summary>Adds a word after the last value. It does not count as a value.</summary>
    internal void AddWord(long word) => Reserve(1)[0] = word;

    /// <summary>Adds the readings of a <see cref="CallMeter"/> after the last value. They do not count as values.</summary>
    internal void AddReading(long ticks, long bytes)
    {
        var words = Reserve(2);
        (words[0], words[1]) = (ticks, bytes);
    }

    /// <summary>Reads the first value and removes it from <paramref name="words"/>.</summary>
    /// <param name="words">The words.</param>
    /// <param name="digests">Whether tensors have a digest.</param>
    internal static EventValue ReadFirst(scoped ref ReadOnlySpan<long> words, bool digests)
    {
        var head = new ValueHeader { Word = words[0] };
        var before = head.Kind != ValueKind.Tensor || digests ? 2 : 1;
        var value = new EventValue(head, before == 2 ? words[1] : -1, words.Slice(before, head.Sizes));
        words = words[(before + head.Sizes)..];
        return value;
    }

    private Span<long> Reserve(int words)
    {
        if (words > _words.Length - _used) Array.Resize(ref _words, Math.Max(2 * _words.Length, _used + words));
        var room = _words.AsSpan(_used, words);
        _used += words;
        return room;
    }

    /// <summary>
    /// The first word of a value. For a tensor, the index of its digest follows if digests are recorded, and then its sizes. For any other
    /// value, one word follows: the index of a string, or the bits of the value.
    /// </summary>
    [StructLayout(LayoutKind.Explicit)]
    internal struct ValueHeader
    {
        [FieldOffset(0)]
        internal long Word;
        [FieldOffset(0)]
        internal ValueKind Kind;
        [FieldOffset(1)]
        internal sbyte DType;
        [FieldOffset(2)]
        internal sbyte DeviceType;
        [FieldOffset(3)]
        internal sbyte DeviceIndex;
        [FieldOffset(4)]
        internal int Sizes;
    }

    /// <summary>A value that was read from the words.</summary>
    /// <param name="head">The first word.</param>
    /// <param name="payload">The bits of a number or boolean, or the index of a string or digest; -1 for a tensor without a digest.</param>
    /// <param name="sizes">The shape of a tensor.</param>
    internal readonly ref struct EventValue(ValueHeader head, long payload, ReadOnlySpan<long> sizes)
    {
        internal ValueHeader Header => head;

        internal long Payload => payload;

        internal ReadOnlySpan<long> Sizes { get; } = sizes;
    }
}

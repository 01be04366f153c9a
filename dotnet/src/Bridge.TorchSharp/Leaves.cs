using System.Runtime.InteropServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The tensors and plain values of one event, as words that an <see cref="EventLog"/> takes over as they are. Once warm, it allocates nothing.</summary>
/// <param name="texts">Takes strings and digests.</param>
/// <param name="digests">Whether tensors are added with a digest of their elements.</param>
/// <param name="elements">Takes the elements themselves; null where they are not kept.</param>
internal sealed class Leaves(List<string> texts, bool digests, Elements? elements = null)
{
    private long[] _words = new long[64];
    private int _used;
    private Digests? _digested;

    internal int Count { get; private set; }

    /// <inheritdoc cref="Leaves(List{string}, bool, Elements?)" path="/param[@name='digests']"/>
    internal bool Digests => digests;

    /// <inheritdoc cref="Leaves(List{string}, bool, Elements?)" path="/param[@name='elements']"/>
    internal Elements? Elements => elements;

    /// <summary>Makes the digests.</summary>
    internal Digests Digested => _digested ??= new();

    /// <summary>Where strings and digests are.</summary>
    internal List<string> Texts => texts;

    /// <summary>Code of the model's runs, since a value is read that is its own: what that calls is read into others.</summary>
    internal bool IsReading { get; set; }

    /// <summary>All there is.</summary>
    internal ReadOnlySpan<long> Words => _words.AsSpan(0, _used);

    /// <summary>The place where the next value goes.</summary>
    internal (int Count, int Used) Mark => (Count, _used);

    internal void Clear() => Cut(default);

    /// <summary>Forgets what was added since.</summary>
    internal void Cut((int Count, int Used) mark) => (Count, _used) = mark;

    internal void Add(ValueKind kind, long bits)
    {
        var words = Room(2);
        words[0] = new Head { Kind = kind }.Word;
        words[1] = bits;
        Count++;
    }

    internal void Add(string text)
    {
        Add(ValueKind.Str, texts.Count);
        texts.Add(text);
    }

    /// <summary>Adds a tensor.</summary>
    /// <param name="type">Its element type by libtorch's number.</param>
    /// <param name="device">Its device's type by libtorch's number.</param>
    /// <param name="index">Which of these; -1 for none.</param>
    /// <param name="sizes">Its shape.</param>
    /// <param name="digest">Of its elements; null where none could be made.</param>
    internal void AddTensor(int type, int device, int index, ReadOnlySpan<long> sizes, string? digest = null)
    {
        var before = digests ? 2 : 1;
        var words = Room(before + sizes.Length);
        words[0] = new Head { Kind = ValueKind.Tensor, DType = (sbyte)type, DeviceType = (sbyte)device, DeviceIndex = (sbyte)index, Sizes = sizes.Length }.Word;
        if (digests)
        {
            words[1] = digest is null ? -1 : texts.Count;
            if (digest is not null) texts.Add(digest);
        }

        for (var i = 0; i < sizes.Length; i++) words[before + i] = sizes[i];
        Count++;
    }

    /// <summary>The first value of an event's words, which are those behind it then.</summary>
    /// <param name="words">The words.</param>
    /// <param name="digests">Whether tensors have a digest.</param>
    internal static Leaf Take(scoped ref ReadOnlySpan<long> words, bool digests)
    {
        var head = new Head { Word = words[0] };
        var before = head.Kind != ValueKind.Tensor || digests ? 2 : 1;
        var leaf = new Leaf(head, before == 2 ? words[1] : -1, words.Slice(before, head.Sizes));
        words = words[(before + head.Sizes)..];
        return leaf;
    }

    private Span<long> Room(int words)
    {
        if (words > _words.Length - _used) Array.Resize(ref _words, Math.Max(2 * _words.Length, _used + words));
        var room = _words.AsSpan(_used, words);
        _used += words;
        return room;
    }

    /// <summary>The first word of a value. Behind it: a number, or a text's place; a tensor's digest's place, if asked for, and its sizes.</summary>
    [StructLayout(LayoutKind.Explicit)]
    internal struct Head
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

    /// <summary>One value.</summary>
    /// <param name="head">What it is.</param>
    /// <param name="payload">A number's bits, or the place of a string or digest; -1 for a tensor without.</param>
    /// <param name="sizes">A tensor's shape.</param>
    internal readonly ref struct Leaf(Head head, long payload, ReadOnlySpan<long> sizes)
    {
        internal Head Head => head;

        internal long Payload => payload;

        internal ReadOnlySpan<long> Sizes { get; } = sizes;
    }
}

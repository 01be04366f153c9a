using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The events of a thread in order: three 64-bit words for each, followed by the words of its values.</summary>
/// <remarks>Only that thread writes. Other threads may read the events that <see cref="Written"/> counts, and their texts.</remarks>
internal sealed class EventLog
{
    /// <summary>Added to a depth: the call may go on on other threads.</summary>
    internal const int IsCaller = 1 << 30;
    /// <summary>Added to a depth: the last word is the number of the first event of the caller, on another thread.</summary>
    internal const int HasCaller = 1 << 29;
    private const int HeadWords = 3;
    private const int MinChunk = 1 << 10;
    private const int MaxChunk = 1 << 20;
    // The length of the largest array that is kept for reuse. In a short recording, allocating memory would take a sixth of the time.
    private const int MaxSpare = 1 << 16;
    private static long[]? _spare;
    private readonly Chunk _first = new([]);
    private Chunk _last;
    private long _written;

    internal EventLog() => _last = _first;

    internal long Written => Volatile.Read(ref _written);

    /// <summary>Gets the words of all events. No event is split between arrays.</summary>
    internal IEnumerable<ArraySegment<long>> Words
    {
        get
        {
            // An event after the end of the recording may have allocated a chunk and left it empty.
            for (var chunk = _first; chunk is not null; chunk = Volatile.Read(ref chunk.Next))
            {
                var used = Volatile.Read(ref chunk.Used);
                if (used > 0) yield return new(chunk.Words, 0, used);
            }
        }
    }

    /// <summary>Gets the strings and digests to which values refer.</summary>
    internal List<string> Texts { get; } = [];

    /// <summary>Writes an event.</summary>
    /// <param name="order">Assigns the event's number.</param>
    /// <param name="phase">The phase.</param>
    /// <param name="node">The module's number.</param>
    /// <param name="depth">The number of enclosing calls on the thread, with <see cref="IsCaller"/> and <see cref="HasCaller"/>.</param>
    /// <param name="eventValues">The arguments or the result.</param>
    /// <returns>The number of the event; negative if it was not written, because the recording is stopped.</returns>
    internal long Write(EventCounter order, TracePhase phase, int node, int depth, EventValues eventValues)
    {
        var values = eventValues.Words;
        var number = Begin(order, phase, node, depth, eventValues.Count, values.Length, out var words);
        if (number < 0) return number;
        // A loop costs less than a call that copies the words: the values of most events have two or three.
        for (var i = 0; i < values.Length; i++) words[i] = values[i];
        End(HeadWords + values.Length);
        return number;
    }

    /// <inheritdoc cref="Write(EventCounter, TracePhase, int, int, EventValues)"/>
    /// <summary>Writes an event with a tensor as its only value.</summary>
    internal long Write(EventCounter order, TracePhase phase, int node, int depth, TensorInfo tensor)
    {
        var sizes = tensor.Sizes;
        var number = Begin(order, phase, node, depth, 1, 1 + sizes.Length, out var words);
        if (number < 0) return number;
        words[0] = tensor.Kind.Header(sizes.Length);
        for (var i = 0; i < sizes.Length; i++) words[i + 1] = sizes[i];
        End(HeadWords + words.Length);
        return number;
    }

    /// <summary>Reads the first event and removes it from <paramref name="words"/>.</summary>
    internal static LogEntry ReadFirst(scoped ref ReadOnlySpan<long> words)
    {
        var values = (int)(words[2] >> 32);
        var found = new LogEntry
        {
            Number = words[0],
            Node = (int)words[1],
            Place = (int)(words[1] >> 32),
            Phase = (TracePhase)(words[2] & 1),
            Count = (int)((uint)words[2] >> 1),
            Values = words.Slice(HeadWords, values),
        };
        words = words[(HeadWords + values)..];
        return found;
    }

    /// <summary>Releases an array for reuse by another recording. The log must not be used afterwards.</summary>
    internal void ReleaseArray()
    {
        var reusable = Words.Select(array => array.Array!).LastOrDefault(array => array.Length is > 0 and <= MaxSpare);
        if (reusable is not null) Volatile.Write(ref _spare, reusable);
    }

    // Takes the event's number and writes its first words. The caller writes the others to `values`, and calls End.
    private long Begin(EventCounter order, TracePhase phase, int node, int depth, int count, int length, out Span<long> values)
    {
        // Everything that may fail comes before the number is taken, because a reader waits for each numbered event.
        var (chunk, needed) = (_last, HeadWords + length);
        if (needed > chunk.Words.Length - chunk.Used) chunk = Grow(needed);
        var words = chunk.Words.AsSpan(chunk.Used, needed);
        values = words[HeadWords..];
        var number = order.Next();
        if (number < 0) return number;
        words[0] = number;
        words[1] = ((long)depth << 32) | (uint)node;
        words[2] = ((long)length << 32) | (uint)(count << 1) | (uint)phase;
        return number;
    }

    private void End(int words)
    {
        Volatile.Write(ref _last.Used, _last.Used + words);
        Volatile.Write(ref _written, _written + 1);
    }

    private Chunk Grow(int needed)
    {
        var length = _last.Words.Length;
        var spare = length == 0 ? Interlocked.Exchange(ref _spare, null) : null;
        var capacity = Math.Max(needed, Math.Clamp(2 * length, MinChunk, MaxChunk));
        var next = new Chunk(spare?.Length >= needed ? spare : GC.AllocateUninitializedArray<long>(capacity));
        Volatile.Write(ref _last.Next, next);
        return _last = next;
    }

    // The chain may be read while the thread appends to it.
    private sealed class Chunk(long[] words)
    {
        internal readonly long[] Words = words;
        internal int Used;
        internal Chunk? Next;
    }

    internal readonly ref struct LogEntry
    {
        internal long Number { get; init; }

        internal int Node { get; init; }

        /// <summary>Sets the depth, with <see cref="IsCaller"/> and <see cref="HasCaller"/>.</summary>
        internal int Place { private get; init; }

        internal int Depth => Place & (EventLog.HasCaller - 1);

        internal bool IsCaller => (Place & EventLog.IsCaller) != 0;

        internal bool HasCaller => (Place & EventLog.HasCaller) != 0;

        internal TracePhase Phase { get; init; }

        internal int Count { get; init; }

        internal ReadOnlySpan<long> Values { get; init; }
    }
}

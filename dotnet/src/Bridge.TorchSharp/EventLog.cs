using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The events of one thread, in the order in which they happened: three words each, and those of its values.</summary>
/// <remarks>Only its thread writes. Others read what the count of events tells them, when no event gets a number any more.</remarks>
internal sealed class EventLog
{
    private const int HeadWords = 3;
    private const int Smallest = 1 << 10;
    private const int Largest = 1 << 20;
    // Recordings of a few calls use one array in turn: memory that the system has to find first takes a sixth of an event's time.
    private const int Kept = 1 << 16;
    private static long[]? _spare;
    private readonly Chunk _first = new([]);
    private Chunk _last;
    private long _written;

    internal EventLog() => _last = _first;

    /// <summary>How many events there are.</summary>
    internal long Written => Volatile.Read(ref _written);

    /// <summary>The words of all events; none lies in two of the arrays.</summary>
    internal IEnumerable<ArraySegment<long>> Words
    {
        get
        {
            // An event that comes too late for a number may have made a chunk for itself: that one stays empty.
            for (var chunk = _first; chunk is not null; chunk = Volatile.Read(ref chunk.Next))
            {
                if (chunk.Used > 0) yield return new(chunk.Words, 0, chunk.Used);
            }
        }
    }

    /// <summary>The strings and digests that values refer to.</summary>
    internal List<string> Texts { get; } = [];

    /// <summary>Writes an event.</summary>
    /// <param name="order">Gives it its number.</param>
    /// <param name="phase">Its phase.</param>
    /// <param name="node">The module's number.</param>
    /// <param name="depth">How many of the thread's calls the call is in.</param>
    /// <param name="leaves">The arguments or the result.</param>
    /// <returns>False when the recording has ended: nothing was written.</returns>
    internal bool Write(EventOrder order, TracePhase phase, int node, int depth, Leaves leaves)
    {
        var values = leaves.Words;
        var needed = HeadWords + values.Length;
        // All that may fail is before the number is taken: who ends the recording waits for what has one.
        var chunk = _last;
        if (needed > chunk.Words.Length - chunk.Used) chunk = Grow(needed);
        var number = order.Next();
        if (number < 0) return false;
        var words = chunk.Words.AsSpan(chunk.Used, needed);
        words[0] = number;
        words[1] = ((long)depth << 32) | (uint)node;
        words[2] = ((long)values.Length << 32) | (uint)(leaves.Count << 1) | (uint)phase;
        // A loop: most events have two words or three, and a call costs more than they do.
        for (var i = 0; i < values.Length; i++) words[HeadWords + i] = values[i];
        chunk.Used += needed;
        Volatile.Write(ref _written, _written + 1);
        return true;
    }

    /// <summary>The first event of some words, which are those behind it then.</summary>
    internal static Logged Take(scoped ref ReadOnlySpan<long> words)
    {
        var values = (int)(words[2] >> 32);
        var found = new Logged
        {
            Number = words[0],
            Node = (int)words[1],
            Depth = (int)(words[1] >> 32),
            Phase = (TracePhase)(words[2] & 1),
            Count = (int)((uint)words[2] >> 1),
            Values = words.Slice(HeadWords, values),
        };
        words = words[(HeadWords + values)..];
        return found;
    }

    /// <summary>Ends its use: the arrays may be another's from now on.</summary>
    internal void Free()
    {
        if (Words.Select(array => array.Array!).LastOrDefault(array => array.Length is > 0 and <= Kept) is { } array) Volatile.Write(ref _spare, array);
    }

    private Chunk Grow(int needed)
    {
        var length = _last.Words.Length;
        var spare = length == 0 ? Interlocked.Exchange(ref _spare, null) : null;
        var next = new Chunk(spare?.Length >= needed ? spare : GC.AllocateUninitializedArray<long>(Math.Max(needed, Math.Clamp(2 * length, Smallest, Largest))));
        Volatile.Write(ref _last.Next, next);
        return _last = next;
    }

    // Who ends the recording walks along these while a thread, whose event comes too late, may still add one.
    private sealed class Chunk(long[] words)
    {
        internal readonly long[] Words = words;
        internal int Used;
        internal Chunk? Next;
    }

    /// <summary>One event.</summary>
    internal readonly ref struct Logged
    {
        internal long Number { get; init; }

        internal int Node { get; init; }

        internal int Depth { get; init; }

        internal TracePhase Phase { get; init; }

        /// <summary>How many values there are.</summary>
        internal int Count { get; init; }

        /// <summary>The values' words.</summary>
        internal ReadOnlySpan<long> Values { get; init; }
    }
}

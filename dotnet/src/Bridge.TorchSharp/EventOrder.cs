using System.Runtime.InteropServices;

namespace Bridge.TorchSharp;

/// <summary>Numbers the events of a recording in the order in which they happen, on whichever thread, until the recording ends.</summary>
/// <remarks>Taking a number is all that threads do together, and the end is in the same word: an event either has a number or is not in the recording.</remarks>
internal sealed class EventOrder
{
    private Counter _counter;

    /// <summary>No number is given any more.</summary>
    internal bool Ended => Volatile.Read(ref _counter.Next) < 0;

    /// <summary>The next event's number, from 0 on; negative when the recording has ended.</summary>
    internal long Next() => Interlocked.Increment(ref _counter.Next) - 1;

    /// <summary>Ends it.</summary>
    /// <returns>How many numbers were given; negative where it had ended before.</returns>
    internal long End() => Interlocked.Or(ref _counter.Next, long.MinValue);

    // On a cache line of its own: what lies beside it is read by all threads at each event.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Counter
    {
        [FieldOffset(128)]
        internal long Next;
    }
}

using System.Runtime.InteropServices;

namespace Bridge.TorchSharp;

/// <summary>The counter that numbers the events of a recording across all threads, until the recording ends.</summary>
/// <remarks>
/// The sign bit of the counter marks the end: an event that gets a negative number is not in the recording. So no thread needs a lock.
/// </remarks>
internal sealed class EventCounter
{
    private Counter _counter;

    internal bool Ended => Volatile.Read(ref _counter.Next) < 0;

    /// <summary>Returns the number of the next event, from 0 on; negative if the recording has ended.</summary>
    internal long Next() => Interlocked.Increment(ref _counter.Next) - 1;

    /// <summary>Ends the recording and returns the number of events; negative if the recording had ended before.</summary>
    internal long End() => Interlocked.Or(ref _counter.Next, long.MinValue);

    // The counter has its own cache line, because all threads read the objects next to it at each event.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Counter
    {
        [FieldOffset(128)]
        internal long Next;
    }
}

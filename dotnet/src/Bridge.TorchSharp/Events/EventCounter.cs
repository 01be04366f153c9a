using System.Runtime.InteropServices;

namespace Bridge.TorchSharp;

/// <summary>The counter that numbers the events of a recording across all threads, while the recording runs.</summary>
/// <remarks>
/// The sign bit of the counter says that the recording is stopped: an event that gets a negative number is not in the recording. So no
/// thread needs a lock. The counter starts so that it overflows to a negative number after the last event that the limit allows.
/// </remarks>
internal sealed class EventCounter
{
    private readonly long _limit;
    private Counter _counter;
    private long _countAtStop = -1;

    /// <param name="limit">The maximum number of events.</param>
    internal EventCounter(long limit = long.MaxValue)
    {
        _limit = limit;
        First = long.MaxValue - limit;
        // Without a limit, the first number is 0 and the counter never overflows.
        if (limit != long.MaxValue) First++;
        _counter.Next = First;
    }

    /// <summary>Gets the number of the first event.</summary>
    internal long First { get; }

    /// <summary>Gets whether events are not recorded: the recording is paused, has ended or has reached its limit.</summary>
    internal bool Stopped => Volatile.Read(ref _counter.Next) < 0;

    /// <summary>Gets the number of events that have a number. Some may not have been written yet.</summary>
    internal long Count
    {
        get
        {
            if (_countAtStop >= 0) return _countAtStop;
            var next = Volatile.Read(ref _counter.Next);
            return next >= 0 ? next - First : _limit;
        }
    }

    /// <summary>Gets whether the recording has as many events as the limit allows.</summary>
    internal bool LimitReached => Count == _limit;

    /// <summary>Returns the number of the next event, from <see cref="First"/> on; negative if the recording is stopped.</summary>
    internal long Next() => unchecked(Interlocked.Increment(ref _counter.Next) - 1);

    /// <summary>Stops the recording and returns the number of events. This method and <see cref="Resume"/> need a lock.</summary>
    internal long Stop()
    {
        if (_countAtStop >= 0) return _countAtStop;
        var next = Interlocked.Or(ref _counter.Next, long.MinValue);
        return _countAtStop = next >= 0 ? next - First : _limit;
    }

    /// <summary>Resumes a recording that was stopped, unless it has reached its limit.</summary>
    internal void Resume()
    {
        var count = _countAtStop;
        _countAtStop = -1;
        // Events that were refused have changed the counter, too.
        if (count >= 0 && count < _limit) Interlocked.Exchange(ref _counter.Next, First + count);
    }

    // The counter has its own cache line, because all threads read the objects next to it at each event.
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct Counter
    {
        [FieldOffset(128)]
        internal long Next;
    }
}

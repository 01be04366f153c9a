using System.Diagnostics;

namespace Bridge.TorchSharp;

/// <summary>The time and the allocated managed memory of a thread, without those of the recorder itself.</summary>
internal sealed class CallMeter
{
    private long _ticks;
    private long _bytes;
    private long _ownTicks;
    private long _ownBytes;

    /// <summary>Gets the ticks of <see cref="Stopwatch"/> at the last call of <see cref="Suspend"/>.</summary>
    internal long Ticks => _ticks - _ownTicks;

    /// <summary>Gets the bytes that the thread had allocated at the last call of <see cref="Suspend"/>.</summary>
    internal long Bytes => _bytes - _ownBytes;

    /// <summary>Called when the recorder begins to work.</summary>
    internal void Suspend()
    {
        _bytes = GC.GetAllocatedBytesForCurrentThread();
        _ticks = Stopwatch.GetTimestamp();
    }

    /// <summary>Called when the recorder has finished its work.</summary>
    internal void Resume()
    {
        _ownBytes += GC.GetAllocatedBytesForCurrentThread() - _bytes;
        _ownTicks += Stopwatch.GetTimestamp() - _ticks;
    }
}

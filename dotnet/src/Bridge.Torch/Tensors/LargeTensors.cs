using System.Diagnostics;

namespace TorchSharp;

/// <summary>How much the large tensors in the scopes of a thread's calls take, and when the collector is asked which of them are in use.</summary>
/// <remarks>
/// The managed heap of a model is small: a collection of its younger generations takes some tenths of a millisecond, about as long as an operator takes to write
/// some megabytes, and one of all generations ten times that. It comes whenever what the tensors take has grown by some megabytes, or by an eighth, since the
/// last one, and however large the heap is, a thread spends a twentieth of its time on either kind at most (<see cref="Allowance"/>).
/// A device is given work faster than it does it, and half a gigabyte takes a thread no time there: then the collector runs whatever time it took before, since
/// what C# has dropped must not fill a device's memory.
/// </remarks>
internal sealed class LargeTensors
{
    /// <summary>An object that survived so many collections is examined only when all objects are.</summary>
    internal const int Old = 2;

    /// <summary>Less growth is not worth a collection.</summary>
    private const long Growth = 8L << 20;

    /// <summary>So much is worth one of the younger generations whatever time the last ones took.</summary>
    private const long Plenty = 512L << 20;

    /// <summary>And so much of what survived those, one of all.</summary>
    private const long PlentyOld = 2L << 30;

    private static int _due;

    // What a constructor has made that is in no scope.
    private readonly List<LargeTensor> _watched = [];

    private long _bytes;
    private long _least;
    private long _old;
    private long _leastOld;
    private int _isDue;
    private Allowance _some;
    private Allowance _all;

    /// <summary>Its thread has ended: what was due there is not any more.</summary>
    ~LargeTensors()
    {
        if (_isDue != 0) Interlocked.Decrement(ref _due);
    }

    /// <summary>A thread's large tensors have grown.</summary>
    internal static bool AreDue => Volatile.Read(ref _due) > 0;

    /// <summary>Frees what is not used any more, if this thread's tensors have grown. Called where the GIL may be taken.</summary>
    internal static void Reclaim()
    {
        var scopes = DisposeScopeManager.ForThread;
        if (Interlocked.Exchange(ref scopes.Large._isDue, 0) == 0) return;
        Interlocked.Decrement(ref _due);
        scopes.Large.Reclaim(scopes.Current);
    }

    /// <summary>Tensors that take so much came or went, of them so much that survived <see cref="Old"/> collections. Any thread, holding a scope's lock.</summary>
    internal void Add(long bytes, long old)
    {
        var now = Interlocked.Add(ref _bytes, bytes);
        if (old != 0) Interlocked.Add(ref _old, old);
        // Racing threads only move the next collection.
        if (bytes < 0) _least = Math.Min(_least, now);
        else if (now - _least >= Enough(_least) && Interlocked.Exchange(ref _isDue, 1) == 0) Interlocked.Increment(ref _due);
    }

    /// <summary>A tensor is in no scope, and the thread wants it freed when nothing leads to it.</summary>
    internal void Watch(torch.Tensor tensor)
    {
        tensor.Measure(LargeTensor.LeastWatched);
        if (tensor.Large is not { IsPinned: false } large) return;
        _watched.Add(large);
        Add(large.Bytes, 0);
    }

    /// <summary>What is watched is the collector's alone from now on.</summary>
    internal void Forget()
    {
        foreach (var large in _watched) Subtract(large);
        _watched.Clear();
    }

    // From behind, since what is freed may run code that makes more.
    private void ReclaimWatched()
    {
        for (var at = _watched.Count - 1; at >= 0; at = Math.Min(at, _watched.Count) - 1)
        {
            var large = _watched[at];
            var isDisposed = large.Tensor is { IsInvalid: true };
            if (!large.IsPinned && !isDisposed && !large.IsUnused) continue;
            (_watched[at], _watched[^1]) = (_watched[^1], large);
            _watched.RemoveAt(_watched.Count - 1);
            Subtract(large);
            // Of one whose address was given away nobody knows when it is needed no more: no scope's end frees it, the collector will.
            if (!large.IsPinned && !isDisposed) large.Tensor?.Reclaim();
        }
    }

    private void Subtract(LargeTensor large) => Add(-large.Bytes, large.Survived >= Old ? -large.Bytes : 0);

    /// <summary>A tensor survived its <see cref="Old"/>th collection.</summary>
    internal void Aged(long bytes) => Interlocked.Add(ref _old, bytes);

    private void Reclaim(DisposeScope? scope)
    {
        if (scope is null && _watched.Count == 0) return;
        var begin = Stopwatch.GetTimestamp();
        if (!Due(_bytes - _least, _least, Plenty, ref _some, begin)) return;
        _leastOld = Math.Min(_leastOld, _old);
        var all = Due(_old - _leastOld, _leastOld, PlentyOld, ref _all, begin);
        GC.Collect(all ? 2 : 1, GCCollectionMode.Forced, blocking: true, compacting: false);
        var took = Stopwatch.GetTimestamp() - begin;
        if (all) _all.Spend(took);
        else _some.Spend(took);
        scope?.Reclaim();
        ReclaimWatched();
        // A finalizer may have been faster.
        Bridge.Torch.GuardedHandle.DrainOrphans();
        _least = _bytes;
        if (all) _leastOld = _old;
    }

    private static bool Due(long grown, long least, long plenty, ref Allowance allowance, long now) => grown >= Enough(least) && (allowance.Has(now) || grown >= plenty);

    private static long Enough(long least) => Math.Max(Growth, least / 8);

    /// <summary>A twentieth of the time that passes, of which some milliseconds can be saved up: one slow collection, such as the first, does not put off all that follow.</summary>
    private struct Allowance
    {
        private const int Share = 20;
        private static readonly long Most = Stopwatch.Frequency / 50;

        private long _left;
        private long _at;

        internal bool Has(long now)
        {
            _left = Math.Min(Most, _left + (now - _at) / Share);
            _at = now;
            return _left > 0;
        }

        internal void Spend(long time) => _left = Math.Max(-Most, _left - time);
    }
}

using System.Diagnostics;

namespace TorchSharp;

/// <summary>
/// Counts the memory of the large tensors that a thread's calls and constructors create, and runs garbage collections to find unused
/// tensors.
/// </summary>
/// <remarks>
/// A collection is due when the tensors' memory exceeds its minimum since the last collection by at least 8 MiB and at least an eighth of
/// that minimum. A thread spends at most about a twentieth of its time on collections of the younger generations, and as much on full
/// collections (<see cref="Allowance"/>). If the memory has grown very much (<see cref="Plenty"/>), a collection runs nevertheless: on a
/// GPU, a thread allocates faster than the device computes, and unused tensors would fill the device's memory.
/// </remarks>
internal sealed class LargeTensors
{
    /// <summary>The number of survived collections after which only a full collection examines an object.</summary>
    internal const int Old = 2;

    /// <summary>The growth in bytes below which no collection runs.</summary>
    private const long Growth = 8L << 20;

    /// <summary>The growth in bytes at which the younger generations are collected, whatever time the last collections took.</summary>
    private const long Plenty = 512L << 20;

    /// <summary>
    /// The growth, in bytes, of old tensors' memory at which a due collection is full, whatever time the last full ones took.
    /// </summary>
    private const long PlentyOld = 2L << 30;

    // The number of threads whose tensors have grown enough for a collection.
    private static int _due;

    // Large tensors that constructors have created, in no scope.
    private readonly List<LargeTensor> _watched = [];

    // The memory of the tensors.
    private long _bytes;

    // The minimum of _bytes since the last collection.
    private long _least;

    // The memory of the tensors that survived `Old` collections.
    private long _old;

    // The minimum of _old since the last full collection, sampled whenever a collection is due.
    private long _leastOld;

    private int _isDue;
    private Allowance _younger;
    private Allowance _full;

    /// <summary>Withdraws a due collection of a thread that has ended.</summary>
    ~LargeTensors()
    {
        if (_isDue != 0) Interlocked.Decrement(ref _due);
    }

    /// <summary>Gets whether the large tensors of some thread have grown enough for a collection.</summary>
    internal static bool AreDue => Volatile.Read(ref _due) > 0;

    /// <summary>Frees unused tensors if this thread's tensors have grown enough for a collection. May take the GIL.</summary>
    internal static void Reclaim()
    {
        var scopes = DisposeScopeManager.ForThread;
        if (Interlocked.Exchange(ref scopes.Large._isDue, 0) == 0) return;
        Interlocked.Decrement(ref _due);
        scopes.Large.Reclaim(scopes.Current);
    }

    /// <summary>
    /// Adds to the memory of the tensors, or subtracts from it. Any thread can call this method, also under a scope's lock.
    /// </summary>
    /// <param name="bytes">The memory; negative to subtract.</param>
    /// <param name="old">The part of it in tensors that survived <see cref="Old"/> collections, with the same sign.</param>
    internal void Add(long bytes, long old)
    {
        var now = Interlocked.Add(ref _bytes, bytes);
        if (old != 0) Interlocked.Add(ref _old, old);
        // A race between threads affects only the time of the next collection.
        if (bytes < 0) _least = Math.Min(_least, now);
        else if (now - _least >= Enough(_least) && Interlocked.Exchange(ref _isDue, 1) == 0) Interlocked.Increment(ref _due);
    }

    /// <summary>
    /// Adds a tensor in no scope to the watched tensors if it is large. <see cref="Reclaim()"/> frees it when it is unreachable.
    /// </summary>
    internal void Watch(torch.Tensor tensor)
    {
        tensor.Measure(LargeTensor.LeastWatched);
        if (tensor.Large is not { IsPinned: false } large) return;
        _watched.Add(large);
        Add(large.Bytes, 0);
    }

    /// <summary>Leaves the watched tensors to the garbage collector.</summary>
    internal void Forget()
    {
        foreach (var large in _watched) Subtract(large);
        _watched.Clear();
    }

    // Iterates backwards, since freeing a tensor may run code that adds tensors to the list.
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
            // Other code may use a pinned tensor's address, so only the tensor's finalizer frees it.
            if (!large.IsPinned && !isDisposed) large.Tensor?.Reclaim();
        }
    }

    private void Subtract(LargeTensor large) => Add(-large.Bytes, large.Survived >= Old ? -large.Bytes : 0);

    /// <summary>Adds the memory of a tensor that has survived <see cref="Old"/> collections.</summary>
    internal void NoteAged(long bytes) => Interlocked.Add(ref _old, bytes);

    private void Reclaim(DisposeScope? scope)
    {
        if (scope is null && _watched.Count == 0) return;
        var begin = Stopwatch.GetTimestamp();
        if (!Due(_bytes - _least, _least, Plenty, ref _younger, begin)) return;
        _leastOld = Math.Min(_leastOld, _old);
        var all = Due(_old - _leastOld, _leastOld, PlentyOld, ref _full, begin);
        GC.Collect(all ? 2 : 1, GCCollectionMode.Forced, blocking: true, compacting: false);
        var took = Stopwatch.GetTimestamp() - begin;
        if (all) _full.Spend(took);
        else _younger.Spend(took);
        scope?.Reclaim();
        ReclaimWatched();
        // A finalizer may have enqueued a handle.
        Bridge.Torch.GuardedHandle.DrainOrphans();
        _least = _bytes;
        if (all) _leastOld = _old;
    }

    private static bool Due(long grown, long least, long plenty, ref Allowance allowance, long now) =>
        grown >= Enough(least) && (allowance.Has(now) || grown >= plenty);

    private static long Enough(long least) => Math.Max(Growth, least / 8);

    /// <summary>
    /// A time budget, between -20 and 20 milliseconds: it grows by a twentieth of the elapsed time and shrinks by the time spent. The lower
    /// limit keeps a slow collection, such as the first, from delaying later ones for long.
    /// </summary>
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

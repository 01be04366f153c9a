using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Bridge.Torch.Native;

namespace Bridge.Torch;

/// <summary>An owned tensor handle that any thread may close while others use it: the last use then frees it.</summary>
/// <remarks>
/// A count of the uses under way, with a bit that says whether more may begin. Nothing ever waits: a use may have to take the GIL, and the thread that closes
/// may hold it. A use costs two interlocked operations.
/// </remarks>
internal unsafe struct GuardedHandle
{
    // Set while the handle may be used; all bits but the next one count the uses under way.
    private const int Usable = int.MinValue;

    // Set for good when the handle is another's to free: no use and no Close does.
    private const int Lent = 1 << 30;

    private static readonly ConcurrentQueue<IntPtr> Orphans = new();

    // How many there are, or a few less: each call asks, and a queue is several words of memory that are in no cache.
    private static int _waiting;

    private IntPtr _handle;
    private int _state;

    internal GuardedHandle(IntPtr handle) => Open(handle);

    /// <summary>Counts the uses of handles that are another's to free, which sees when there are none.</summary>
    internal static GuardedHandle CreateLent() => new() { _state = Usable | Lent };

    /// <summary>Uses are under way.</summary>
    internal readonly bool IsUsed => (Volatile.Read(in _state) & ~(Usable | Lent)) != 0;

    /// <summary>Handles that wait to be freed.</summary>
    internal static int Waiting => Orphans.Count;

    internal readonly bool IsClosed => Volatile.Read(in _state) >= 0;

    /// <summary>Closed, and no use is under way: <see cref="Open"/> may be called.</summary>
    internal readonly bool IsIdle => Volatile.Read(in _state) == 0;

    /// <summary>The handle, for whom it outlives. False when it was closed, but of one that was lent it is given too.</summary>
    internal readonly bool TryPeek(out IntPtr handle)
    {
        handle = _handle;
        return !IsClosed;
    }

    /// <summary>Takes over a handle. Only while <see cref="IsIdle"/>, and by one thread at a time.</summary>
    internal void Open(IntPtr handle)
    {
        if (handle == IntPtr.Zero) return;
        _handle = handle;
        // A release: a use begins with an acquire of this word, and then finds the handle.
        Volatile.Write(ref _state, Usable);
    }

    /// <summary>Begins a use, which <see cref="Release"/> ends. False when the handle was closed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryAcquire(out IntPtr handle)
    {
        var state = Volatile.Read(ref _state);
        while (state < 0)
        {
            var seen = Interlocked.CompareExchange(ref _state, state + 1, state);
            if (seen == state)
            {
                handle = _handle;
                return true;
            }

            state = seen;
        }

        handle = IntPtr.Zero;
        return false;
    }

    /// <summary>Ends a use of the handle that <see cref="TryAcquire"/> gave.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Release(IntPtr handle)
    {
        if (Interlocked.Decrement(ref _state) == 0) Orphan(handle);
    }

    /// <summary>From now on the handle is the caller's to free, after the uses that begin before <see cref="Close"/>. Of several threads one gets it.</summary>
    /// <returns>False when it was closed or lent already.</returns>
    internal bool TryLend()
    {
        var state = Volatile.Read(ref _state);
        while ((state & (Usable | Lent)) == Usable)
        {
            var seen = Interlocked.CompareExchange(ref _state, state | Lent, state);
            if (seen == state) return true;
            state = seen;
        }

        return false;
    }

    /// <summary>No further use can begin.</summary>
    /// <param name="enqueue">Leave the freeing to <see cref="DrainOrphans"/>: the thread must not call libtorch.</param>
    /// <returns>False when it was closed already, or is another's to free.</returns>
    internal bool Close(bool enqueue)
    {
        if (!Withdraw(out var handle)) return false;
        if (handle == IntPtr.Zero) return true; // the last use frees it
        if (enqueue) Orphan(handle);
        else Abi.delete_tensor(handle);
        return true;
    }

    /// <summary>No further use can begin. The handle is the caller's again; zero while somebody uses it, whose use frees it.</summary>
    /// <returns>False when it was closed already, or is another's to free.</returns>
    internal bool Withdraw(out IntPtr handle)
    {
        handle = _handle;
        var before = Interlocked.And(ref _state, ~Usable);
        if (before != Usable) handle = IntPtr.Zero;
        return (before & (Usable | Lent)) == Usable;
    }

    /// <summary>A handle that <see cref="DrainOrphans"/> is to free.</summary>
    internal static void Orphan(IntPtr handle)
    {
        Orphans.Enqueue(handle);
        Interlocked.Increment(ref _waiting);
    }

    /// <summary>Frees what finalizers and late uses left. Called where the GIL may be taken.</summary>
    internal static void DrainOrphans()
    {
        while (Volatile.Read(ref _waiting) > 0 && Orphans.TryDequeue(out var handle))
        {
            Interlocked.Decrement(ref _waiting);
            Abi.delete_tensor(handle);
        }

        SharedArray.Release();
    }
}

/// <summary>A use of a tensor's handle: it is not freed before this ends.</summary>
internal readonly ref struct HandleLease
{
    private readonly ref GuardedHandle _guarded;

    /// <param name="guarded">Where the handle was acquired.</param>
    /// <param name="handle">What <see cref="GuardedHandle.TryAcquire"/> gave.</param>
    internal HandleLease(ref GuardedHandle guarded, IntPtr handle)
    {
        _guarded = ref guarded;
        Handle = handle;
    }

    internal IntPtr Handle { get; }

    public void Dispose() => _guarded.Release(Handle);
}

using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Bridge.Torch.Native;

namespace Bridge.Torch;

/// <summary>An owned tensor handle. If a thread closes the handle while others use it, the handle is freed after the last use.</summary>
/// <remarks>
/// The state word counts the uses in progress and has a bit that permits new uses. A thread that closes the handle does not wait for uses
/// to end: a use may need the GIL while the closing thread holds the GIL.
/// </remarks>
internal unsafe struct GuardedHandle
{
    // The bit that is set until the handle is closed. The bits below Lent count the uses in progress.
    private const int Usable = int.MinValue;

    // The bit that is set, for good, if another owner frees the handle: then neither Release nor Close frees it.
    private const int Lent = 1 << 30;

    // The handles that wait to be freed.
    private static readonly ConcurrentQueue<IntPtr> Orphans = new();

    // The approximate number of orphans. Each call between Python and C# reads this field, which is faster than counting the queue.
    private static int _waiting;

    private IntPtr _handle;
    private int _state;

    internal GuardedHandle(IntPtr handle) => Open(handle);

    /// <summary>Creates an instance that has no handle and only counts uses. Another owner frees the handles that are used.</summary>
    internal static GuardedHandle CreateLent() => new() { _state = Usable | Lent };

    /// <summary>Gets whether uses are in progress.</summary>
    internal readonly bool IsUsed => (Volatile.Read(in _state) & ~(Usable | Lent)) != 0;

    /// <summary>Gets the number of handles that wait to be freed.</summary>
    internal static int Waiting => Orphans.Count;

    internal readonly bool IsClosed => Volatile.Read(in _state) >= 0;

    /// <summary>
    /// Gets whether the handle is closed and not lent, and no use is in progress, so that <see cref="Open"/> may be called.
    /// </summary>
    internal readonly bool IsIdle => Volatile.Read(in _state) == 0;

    /// <summary>
    /// Gets the handle without starting a use: the caller must know that the handle stays alive. Returns false if the handle was
    /// closed, but sets <paramref name="handle"/> even then.
    /// </summary>
    internal readonly bool TryPeek(out IntPtr handle)
    {
        handle = _handle;
        return !IsClosed;
    }

    /// <summary>Takes over a handle. Only one thread may call this method, while <see cref="IsIdle"/> is true.</summary>
    internal void Open(IntPtr handle)
    {
        if (handle == IntPtr.Zero) return;
        _handle = handle;
        // Writes with release semantics: a thread that sees the bit in TryAcquire also sees the handle.
        Volatile.Write(ref _state, Usable);
    }

    /// <summary>Starts a use, which <see cref="Release"/> ends. Returns false if the handle was closed.</summary>
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

    /// <summary>Ends a use of the handle from <see cref="TryAcquire"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Release(IntPtr handle)
    {
        if (Interlocked.Decrement(ref _state) == 0) Orphan(handle);
    }

    /// <summary>
    /// Makes the caller the owner, who must call <see cref="Close"/> and free the handle after the last use. If several threads call this
    /// method, only one of them becomes the owner.
    /// </summary>
    /// <returns>False if the handle was closed or lent already.</returns>
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

    /// <summary>Closes the handle: no new use can start.</summary>
    /// <param name="enqueue">Whether <see cref="DrainOrphans"/> frees the handle: true if this thread must not call libtorch.</param>
    /// <returns>False if the handle was closed already, or another owner frees it.</returns>
    internal bool Close(bool enqueue)
    {
        if (!Withdraw(out var handle)) return false;
        if (handle == IntPtr.Zero) return true; // the end of the last use enqueues the handle
        if (enqueue) Orphan(handle);
        else Abi.delete_tensor(handle);
        return true;
    }

    /// <summary>
    /// Closes the handle and gives it to the caller. While a use is in progress, gives zero instead: the handle is freed after the last
    /// use.
    /// </summary>
    /// <returns>False if the handle was closed already, or another owner frees it.</returns>
    internal bool Withdraw(out IntPtr handle)
    {
        handle = _handle;
        var before = Interlocked.And(ref _state, ~Usable);
        if (before != Usable) handle = IntPtr.Zero;
        return (before & (Usable | Lent)) == Usable;
    }

    /// <summary>Enqueues a handle that <see cref="DrainOrphans"/> frees.</summary>
    internal static void Orphan(IntPtr handle)
    {
        Orphans.Enqueue(handle);
        Interlocked.Increment(ref _waiting);
    }

    /// <summary>Frees the handles from <see cref="Orphan"/>, and calls <see cref="SharedArray.Release"/>. May take the GIL.</summary>
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

/// <summary>A use of a tensor's handle. The handle is not freed before the use ends.</summary>
internal readonly ref struct HandleLease
{
    private readonly ref GuardedHandle _guarded;

    /// <param name="guarded">The counter that <see cref="GuardedHandle.TryAcquire"/> incremented.</param>
    /// <param name="handle">The handle in use.</param>
    internal HandleLease(ref GuardedHandle guarded, IntPtr handle)
    {
        _guarded = ref guarded;
        Handle = handle;
    }

    internal IntPtr Handle { get; }

    public void Dispose() => _guarded.Release(Handle);
}

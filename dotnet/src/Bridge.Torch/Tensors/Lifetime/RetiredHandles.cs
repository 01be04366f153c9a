using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// A batch of handles of small tensors that hooks got and that C# has disposed. A hook that keeps one of the tensors keeps the batch.
/// </summary>
internal sealed class RetiredHandles
{
    /// <summary>A disposed tensor is in a batch if its storage has fewer bytes than this.</summary>
    internal const int Small = 1 << 12;

    private const int MostHandles = 64;

    // A batch is small, because a hook that keeps one tensor of the batch keeps all of them alive.
    private const int MostBytes = 1 << 16;

    // The approximate size of libtorch's tensor object.
    private const int Header = 512;

    [ThreadStatic]
    private static RetiredHandles? _open;

    /// <summary>Counts how many uses of the batch's handles are in progress.</summary>
    internal GuardedHandle Uses = GuardedHandle.CreateLent();

    private readonly IntPtr[] _handles = new IntPtr[MostHandles];
    private int _count;
    private long _bytes;

    ~RetiredHandles()
    {
        // The finalizers of one garbage collection run in any order. The batch is closed first, so that a finalizer that runs later cannot
        // begin to use a tensor of this batch. A finalizer that ran earlier may have resurrected such a tensor, and another thread may be
        // using the tensor. In that case, this finalizer tries again in a later collection.
        Uses.Close(enqueue: true);
        if (Uses.IsUsed)
        {
            GC.ReRegisterForFinalize(this);
            return;
        }

        for (var i = 0; i < _count; i++) GuardedHandle.Orphan(_handles[i]);
        torch.Tensor.Uncount(_count);
    }

    /// <summary>Adds a handle to the thread's open batch and returns the batch, which frees the handle in its finalizer.</summary>
    internal static RetiredHandles Add(IntPtr handle, long bytes)
    {
        var open = _open ??= new();
        open._handles[open._count++] = handle;
        open._bytes += bytes;
        if (open._count < MostHandles && open._bytes < MostBytes) return open;
        _open = null;
        HookPressure.Retire(open._bytes + open._count * Header);
        return open;
    }

    /// <summary>Closes the thread's open batch, so that it can be freed.</summary>
    internal static void Close() => _open = null;
}

using TorchSharp;

namespace Bridge.Torch;

/// <summary>Handles of small tensors that hooks have seen and that are not used any more, unless a hook keeps one: then it keeps these.</summary>
internal sealed class RetiredHandles
{
    /// <summary>The most bytes of a tensor whose handle may be among them.</summary>
    internal const int Small = 1 << 12;

    private const int Most = 64;

    // A tensor that is alive keeps all of a batch, so a batch is small too.
    private const int MostBytes = 1 << 16;

    // What libtorch takes for a tensor beside its elements, about.
    private const int Header = 512;

    [ThreadStatic]
    private static RetiredHandles? _open;

    /// <summary>The uses of all of them that are under way.</summary>
    internal GuardedHandle Uses = GuardedHandle.CreateLent();

    private readonly IntPtr[] _handles = new IntPtr[Most];
    private int _count;
    private long _bytes;

    ~RetiredHandles()
    {
        // The finalizers of one collection run in any order: another's may have brought one of the tensors back, or comes later and must not find it usable.
        Uses.Close(enqueue: true);
        if (Uses.IsUsed)
        {
            GC.ReRegisterForFinalize(this);
            return;
        }

        for (var i = 0; i < _count; i++) GuardedHandle.Orphan(_handles[i]);
        torch.Tensor.Uncount(_count);
    }

    /// <summary>Takes over a handle; whatever may use it refers to what comes back.</summary>
    internal static RetiredHandles Add(IntPtr handle, long bytes)
    {
        var open = _open ??= new();
        open._handles[open._count++] = handle;
        open._bytes += bytes;
        if (open._count < Most && open._bytes < MostBytes) return open;
        _open = null;
        HookPressure.Retire(open._bytes + open._count * Header);
        return open;
    }

    /// <summary>Nothing is added any more to what the thread has begun: it can be freed.</summary>
    internal static void Close() => _open = null;
}

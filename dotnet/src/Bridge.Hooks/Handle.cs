namespace Bridge.Hooks;

/// <summary>A list of hooks that a <see cref="HookHandle"/> can take its hook out of.</summary>
public interface IHookOwner
{
    /// <summary>Removes the hook with this id; does nothing when it is not there (H-3).</summary>
    void Remove(long id);
}

/// <summary>
/// What a registration returns: it removes that one hook, once. Dropping a handle without disposing it leaves the hook registered.
/// </summary>
/// <remarks>
/// H-1: ids ascend through one process-wide counter. H-2: the list of hooks is held weakly, so a handle keeps neither a module
/// nor a hook alive. H-3: removing twice, or after the owner died, does nothing. H-5: <c>using</c> removes at the end of the block.
/// </remarks>
public sealed class HookHandle : IDisposable
{
    private static long s_lastId = -1;
    private readonly WeakReference<IHookOwner> _owner;

    /// <summary>A handle with the next id; the owner registers the hook under it.</summary>
    /// <param name="owner">The list that contains the hook, held weakly.</param>
    public HookHandle(IHookOwner owner)
    {
        ArgumentNullException.ThrowIfNull(owner);
        _owner = new WeakReference<IHookOwner>(owner);
        Id = Interlocked.Increment(ref s_lastId);
    }

    /// <summary>The hook's id: unique in the process, larger than every id given out before (H-1).</summary>
    public long Id { get; }

    /// <summary>Removes the hook; does nothing when it is gone already or its owner died (H-3). Safe on any thread.</summary>
    public void Dispose()
    {
        if (_owner.TryGetTarget(out var owner))
        {
            owner.Remove(Id);
        }
    }

    /// <summary>The same as <see cref="Dispose"/>, under PyTorch's name.</summary>
    public void remove() => Dispose();
}

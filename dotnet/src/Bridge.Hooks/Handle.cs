namespace Bridge.Hooks;

/// <summary>A list of hooks from which a <see cref="HookHandle"/> removes its hook.</summary>
public interface IHookOwner
{
    /// <summary>Removes the hook with this id; does nothing if no hook has it (H-3).</summary>
    void Remove(long id);
}

/// <summary>The handle of a registered hook. Disposing it removes the hook; a collected handle leaves the hook registered.</summary>
/// <remarks>
/// H-1: all ids come from one ascending counter of the process. H-2: the list of hooks is held by a weak reference, so a handle keeps
/// neither a module nor a hook alive. H-3: removing a hook twice, or after its owner was collected, does nothing. H-5: <c>using</c> removes
/// the hook at the end of the block.
/// </remarks>
public sealed class HookHandle : IDisposable
{
    private static long s_lastId = -1;
    private readonly WeakReference<IHookOwner> _owner;

    /// <summary>Creates a handle with the next id, under which the owner registers the hook.</summary>
    /// <param name="owner">The list that contains the hook, held by a weak reference.</param>
    public HookHandle(IHookOwner owner)
    {
        ArgumentNullException.ThrowIfNull(owner);
        _owner = new WeakReference<IHookOwner>(owner);
        Id = Interlocked.Increment(ref s_lastId);
    }

    /// <summary>Gets the hook's id: unique in the process and larger than every id before it (H-1).</summary>
    public long Id { get; }

    /// <summary>Removes the hook; does nothing if it was removed or its owner was collected (H-3). Safe on any thread.</summary>
    public void Dispose()
    {
        if (_owner.TryGetTarget(out var owner))
        {
            owner.Remove(Id);
        }
    }

    /// <summary>Calls <see cref="Dispose"/>, under PyTorch's name.</summary>
    public void remove() => Dispose();
}

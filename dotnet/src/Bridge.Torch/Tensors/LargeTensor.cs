namespace TorchSharp;

/// <summary>A large tensor's place in the scope of a call, which does not keep it alive.</summary>
/// <remarks>
/// .NET has no reference counts. Small tensors may wait for the end of the call that made them; of large ones it takes the collector's word that nothing
/// leads to them any more (<see cref="LargeTensors"/>), so that a model needs hardly more memory than its counterpart in PyTorch.
/// </remarks>
internal sealed class LargeTensor
{
    /// <summary>The fewest elements of one.</summary>
    internal const long Least = 1 << 16;

    /// <summary>The same of what a constructor makes, where no end of a call frees the others.</summary>
    internal const long LeastWatched = 1 << 12;

    private readonly WeakReference<torch.Tensor> _used;
    private readonly WeakReference<torch.Tensor> _there;
    private readonly LargeTensors _all;
    private LargeTensor? _previous;
    private volatile bool _pinned;

    /// <param name="tensor">The tensor.</param>
    /// <param name="bytes">What it takes.</param>
    internal LargeTensor(torch.Tensor tensor, long bytes)
    {
        _used = new(tensor);
        _there = new(tensor, trackResurrection: true);
        _all = DisposeScopeManager.ForThread.Large;
        Bytes = bytes;
    }

    internal long Bytes { get; }

    /// <summary>The next one in the scope's list, or in a list of what to free.</summary>
    internal LargeTensor? Next { get; set; }

    /// <summary>It is in a scope's list; only known while holding the scope's lock.</summary>
    internal bool IsListed { get; private set; }

    /// <summary>Collections that it was in use at, while in a list.</summary>
    internal int Survived { get; private set; }

    /// <summary>The address of its memory or its handle was given away: the scope keeps it until it ends.</summary>
    internal bool IsPinned
    {
        get => _pinned;
        set => _pinned = value;
    }

    /// <summary>A collection has found that nothing but finalizers may lead to it. The collections at which something did are counted.</summary>
    internal bool IsUnused
    {
        get
        {
            if (!_used.TryGetTarget(out _)) return true;
            if (++Survived == LargeTensors.Old) _all.Aged(Bytes);
            return false;
        }
    }

    /// <summary>The tensor, also when it is unused and its finalizer has not run yet.</summary>
    internal torch.Tensor? Tensor => _there.TryGetTarget(out var tensor) ? tensor : null;

    /// <summary>Enters a scope's list. The caller holds the scope's lock, as in <see cref="Leave"/>.</summary>
    internal void Enter(ref LargeTensor? first)
    {
        (IsListed, Next) = (true, first);
        if (first is not null) first._previous = this;
        first = this;
        _all.Add(Bytes, Survived >= LargeTensors.Old ? Bytes : 0);
    }

    internal void Leave(ref LargeTensor? first)
    {
        if (_previous is not null) _previous.Next = Next;
        else first = Next;
        if (Next is not null) Next._previous = _previous;
        _all.Add(-Bytes, Survived >= LargeTensors.Old ? -Bytes : 0);
        (IsListed, Next, _previous) = (false, null, null);
    }
}

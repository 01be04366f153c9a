using Bridge.Torch;

namespace TorchSharp;

/// <summary>A weak reference to a large tensor that was created during a module's call or in a constructor.</summary>
/// <remarks>
/// .NET has no reference counts. Small tensors can wait for the end of the call that created them. A large tensor is freed after its use if
/// the code of the module's <c>forward</c> uses it only once (<see cref="IsUsedOnce"/>), otherwise when the garbage collector finds it
/// unreachable (<see cref="LargeTensors"/>), so that large tensors do not accumulate during a call.
/// </remarks>
internal sealed class LargeTensor
{
    /// <summary>The minimum number of elements of a large tensor.</summary>
    internal const long Least = 1 << 16;

    /// <summary>The minimum number of elements of a large tensor in a constructor, where no scope frees smaller tensors.</summary>
    internal const long LeastWatched = 1 << 12;

    private readonly WeakReference<torch.Tensor> _reachable;
    private readonly WeakReference<torch.Tensor> _resurrectable;
    private readonly LargeTensors _owner;
    private LargeTensor? _previous;
    private volatile bool _pinned;

    /// <param name="tensor">The tensor.</param>
    /// <param name="bytes">The size of the tensor in bytes.</param>
    internal LargeTensor(torch.Tensor tensor, long bytes)
    {
        _reachable = new(tensor);
        _resurrectable = new(tensor, trackResurrection: true);
        _owner = DisposeScopeManager.ForThread.Large;
        Bytes = bytes;
    }

    internal long Bytes { get; }

    /// <summary>Gets or sets the next tensor in the list of a <see cref="DisposeScope"/>, or in a list of tensors to free.</summary>
    internal LargeTensor? Next { get; set; }

    /// <summary>Gets whether the tensor is in a scope's list. Valid only under the scope's lock.</summary>
    internal bool IsListed { get; private set; }

    /// <summary>Gets the number of garbage collections that found the tensor in use.</summary>
    internal int Survived { get; private set; }

    /// <summary>Gets or sets whether the scope must keep the tensor, because other code has the tensor's address or handle.</summary>
    internal bool IsPinned
    {
        get => _pinned;
        set => _pinned = value;
    }

    /// <summary>
    /// Gets or sets whether the code of the <c>forward</c> in whose scope the tensor is uses the tensor at most once
    /// (<see cref="ForwardUses"/>): after that use, the tensor can be freed. Only the thread of that call uses this property.
    /// </summary>
    internal bool IsUsedOnce { get; set; }

    /// <summary>
    /// Gets whether a garbage collection has found the tensor unreachable, so that at most finalizers still use it. Otherwise, the getter
    /// adds 1 to <see cref="Survived"/>.
    /// </summary>
    internal bool IsUnused
    {
        get
        {
            if (!_reachable.TryGetTarget(out _)) return true;
            if (++Survived == LargeTensors.Old) _owner.NoteAged(Bytes);
            return false;
        }
    }

    /// <summary>Gets the tensor, even if it is unused; null once the garbage collector has removed it.</summary>
    internal torch.Tensor? Tensor => _resurrectable.TryGetTarget(out var tensor) ? tensor : null;

    /// <summary>Adds the tensor to a scope's list. The caller holds the scope's lock, as for <see cref="Leave"/>.</summary>
    internal void Enter(ref LargeTensor? first)
    {
        (IsListed, Next) = (true, first);
        if (first is not null) first._previous = this;
        first = this;
        _owner.Add(Bytes, Survived >= LargeTensors.Old ? Bytes : 0);
    }

    internal void Leave(ref LargeTensor? first)
    {
        if (_previous is not null) _previous.Next = Next;
        else first = Next;
        if (Next is not null) Next._previous = _previous;
        _owner.Add(-Bytes, Survived >= LargeTensors.Old ? -Bytes : 0);
        (IsListed, Next, _previous) = (false, null, null);
    }
}

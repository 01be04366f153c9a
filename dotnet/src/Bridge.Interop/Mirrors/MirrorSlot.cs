using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>One parameter or buffer of a mirrored module. A tied one has one slot in several links.</summary>
/// <remarks>All but <see cref="Lease"/>, <see cref="IsNone"/> and <see cref="RequireAttribute"/> runs with the GIL held, which is the lock.</remarks>
internal sealed unsafe class MirrorSlot(string name) : TensorSlot
{
    private volatile MirrorLink[] _links = [];

    // The first of them: what every use reads.
    private volatile MirrorLink? _link;
    private volatile Cell _cell = new();

    // Without the GIL only whether there is one is read: what it points to may be gone.
    private IntPtr _object;
    private volatile bool _isLacking;
    private int _uses;

    internal override bool IsNone
    {
        get
        {
            Refresh();
            if (_object == IntPtr.Zero) _link?.Compute();
            return _object == IntPtr.Zero;
        }
    }

    internal override void RequireAttribute()
    {
        if (IsNone && _isLacking) throw Lack();
    }

    internal override HandleLease Lease()
    {
        // Its module may not have been called since the attribute was rebound: another one's forward may read it.
        Refresh();
        while (true)
        {
            var cell = _cell;
            if (cell.Guarded.TryAcquire(out var handle)) return new(ref cell.Guarded, handle);
            if (cell != _cell) continue; // rebound meanwhile
            if (_object == IntPtr.Zero)
            {
                if (_link is { } link && link.Compute()) continue;
                throw Lack();
            }

            if (!(MirrorLink.IsEntered || DisposeScope.HasCalls))
                throw new ObjectDisposedException(name, $"'{name}' belongs to its Python mirror: C# can read it only while a call or hook from Python runs. Otherwise, read it in Python.");
            using var gil = new Python.Gil();
            // A hook may call a module that is not part of the one that Python called, or put one there; the handle lives as long as Python's call.
            if (MirrorLink.IsEntered) MirrorLink.Borrow(this);
            else if (LeaseOnce() is { Handle: not 0 } lease) return lease;
        }
    }

    internal override IntPtr NewHandle(ModuleLink synchronized, bool optional)
    {
        if (_link != synchronized) Refresh();
        var cell = _cell;
        if (cell.Guarded.TryAcquire(out var handle))
        {
            using var lease = new HandleLease(ref cell.Guarded, handle);
            return Abi.NewHandle(handle);
        }

        if (optional && IsNone)
        {
            RequireAttribute();
            return IntPtr.Zero;
        }

        using var other = Lease();
        return Abi.NewHandle(other.Handle);
    }

    // A thread of .NET's own has no call whose end would release the slot.
    private HandleLease LeaseOnce()
    {
        Acquire();
        try
        {
            var cell = _cell;
            return cell.Guarded.TryAcquire(out var handle) ? new(ref cell.Guarded, handle) : default;
        }
        finally
        {
            Release();
        }
    }

    /// <summary>A link's module has the tensor.</summary>
    internal void Join(MirrorLink link) => Belong([.. _links.Where(other => other != link), link]);

    /// <summary>The address of Python's object, 0 for None.</summary>
    internal long Object => _object;

    /// <summary>A link's mirror is gone, and maybe the tensor with it.</summary>
    internal void Leave(MirrorLink link)
    {
        Belong([.. _links.Where(other => other != link)]);
        Empty();
    }

    /// <summary>The tensor may be gone; whoever has it still says so when it is asked.</summary>
    internal void Empty()
    {
        foreach (var other in _links) other.Expire();
        Set(IntPtr.Zero);
    }

    /// <summary>A handle of the tensor that Python has now; the caller owns it.</summary>
    /// <exception cref="ObjectDisposedException">The mirror is gone.</exception>
    internal IntPtr NewHandle()
    {
        if (IsNone) throw Lack();
        var impl = Python.Impl(_object);
        return Abi.NewHandle((IntPtr)(&impl));
    }

    internal void Acquire()
    {
        if (_uses == 0) Open();
        _uses++;
    }

    internal void Release()
    {
        if (--_uses == 0) _cell.Close();
    }

    /// <param name="tensor">The address of Python's object, 0 for None, -1 if its module has no attribute of that name.</param>
    internal void Set(IntPtr tensor)
    {
        _isLacking = tensor == -1;
        if (_isLacking) tensor = IntPtr.Zero;
        var old = _cell;
        if (_object == tensor && (old.Guarded.IsClosed || old.Impl == Python.Impl(tensor))) return;
        _object = tensor;
        if (_uses == 0) return;
        Open();
        // The same one, if it was closed.
        if (_cell != old || tensor == IntPtr.Zero) old.Close();
    }

    private void Refresh()
    {
        if (_link is not { } link) throw MirrorLink.Gone();
        link.Refresh();
    }

    private void Belong(MirrorLink[] links) => (_links, _link) = (links, links.FirstOrDefault());

    private Exception Lack() => _link is { } link ? Callbacks.Lack(link.Module.Id, name) : MirrorLink.Gone();

    private void Open()
    {
        if (_object == IntPtr.Zero) return;
        var impl = Python.Impl(_object);
        // A thread that still uses the last handle keeps its cell.
        var cell = _cell.Guarded.IsIdle ? _cell : new Cell();
        cell.Open(impl);
        _cell = cell;
    }

    /// <summary>A handle that is made once and, while calls use it, refers to the tensor: each call would otherwise allocate one for each parameter.</summary>
    private sealed class Cell
    {
        internal GuardedHandle Guarded;

        // The handle while it refers to nothing.
        private IntPtr _spare;

        // Nobody opens it any more, no other finalizer either: what has the slot finds that no link does, since each link is in MirrorLink.All until it leaves.
        ~Cell()
        {
            if (_spare != IntPtr.Zero) GuardedHandle.Orphan(_spare);
        }

        /// <summary>The TensorImpl that the handle refers to.</summary>
        internal IntPtr Impl { get; private set; }

        internal void Open(IntPtr impl)
        {
            if (_spare == IntPtr.Zero) _spare = Abi.NewUndefined();
            var handle = _spare;
            Abi.Check(Abi.assign((IntPtr)(&impl), handle), "assign_tensors");
            _spare = IntPtr.Zero;
            Impl = impl;
            Guarded.Open(handle);
        }

        internal void Close()
        {
            if (!Guarded.Withdraw(out var handle) || handle == IntPtr.Zero) return;
            if (Abi.reassign(Undefined, handle) == 0) _spare = handle;
            else Abi.delete_tensor(handle);
        }

        private static IntPtr Undefined { get; } = Abi.NewUndefined();
    }
}

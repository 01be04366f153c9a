using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>A parameter or buffer of a mirrored module. Modules that share a tied tensor share its slot.</summary>
/// <remarks>
/// A mirrored module is a C# module that a Python module, the mirror, represents. Any thread may use the overridden members without the
/// GIL. The other internal members run with the GIL held, which serves as the lock.
/// </remarks>
internal sealed unsafe class MirrorSlot(string name) : TensorSlot
{
    private volatile MirrorLink[] _links = [];

    // The first of `_links`; null if there is none. A field of its own, since every use of the slot reads it.
    private volatile MirrorLink? _link;
    private volatile HandleCell _cell = new();

    // The address of the tensor object; 0 for None, a missing attribute, or an unknown object; not owned. Code without the GIL only
    // compares it to 0, since the object may be freed.
    // Volatile: Empty invalidates the links before it sets 0, so a thread that sees 0 also sees that the links are out of date.
    private volatile IntPtr _object;

    // Whether the module has no attribute of this name.
    private volatile bool _isMissing;
    private int _uses;

    internal override bool IsNone
    {
        get
        {
            Refresh();
            while (_object == IntPtr.Zero)
                if (!(WasEmptied() || _link is { } link && link.Compute())) return true;
            return false;
        }
    }

    internal override void RequireAttribute()
    {
        if (IsNone && _isMissing) throw MissingTensor();
    }

    internal override HandleLease Lease()
    {
        // Another module's forward may read the tensor after Python rebound the attribute, and before the module of the slot is called.
        Refresh();
        while (true)
        {
            var cell = _cell;
            if (cell.Guarded.TryAcquire(out var handle)) return new(ref cell.Guarded, handle);
            if (cell != _cell) continue; // Another thread has replaced the cell.
            if (_object == IntPtr.Zero)
            {
                if (WasEmptied() || _link is { } link && link.Compute()) continue;
                throw MissingTensor();
            }

            if (!(MirrorLink.IsEntered || DisposeScope.HasCalls))
            {
                throw new ObjectDisposedException(
                    name,
                    $"'{name}' belongs to its Python mirror: C# can read it only while a call or hook from Python runs. "
                    + "Otherwise, read it in Python.");
            }

            using var gil = new Python.Gil();
            // No running call has acquired this slot. If Python called .NET on this thread, the slot stays acquired until that call ends;
            // otherwise only for this lease.
            if (MirrorLink.IsEntered) MirrorLink.AcquireUntilLeave(this);
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

    // Acquires the slot for one lease only: a .NET thread has no call whose end would release the slot.
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

    /// <summary>Adds the link of a module that has the tensor.</summary>
    internal void Join(MirrorLink link) => SetLinks([.. _links.Where(other => other != link), link]);

    /// <summary>The address of the tensor object; 0 for None, for a missing attribute, and after <see cref="Empty"/>.</summary>
    internal long Object => _object;

    /// <summary>Removes a link whose mirror was freed or whose module no longer has the tensor, and forgets the tensor object.</summary>
    internal void Leave(MirrorLink link)
    {
        SetLinks([.. _links.Where(other => other != link)]);
        Empty();
    }

    /// <summary>Forgets the tensor object, which may be freed. The next synchronization sets it again if a mirror has it.</summary>
    internal void Empty()
    {
        foreach (var other in _links) other.Invalidate();
        Set(IntPtr.Zero);
    }

    /// <summary>Returns a new handle of the current tensor; the caller owns it.</summary>
    /// <exception cref="PythonException">The mirror lacks the attribute, or the attribute is not a tensor.</exception>
    /// <exception cref="ObjectDisposedException">The mirror was freed.</exception>
    internal IntPtr NewHandle()
    {
        if (IsNone) throw MissingTensor();
        var impl = Python.TensorImplOf(new(_object));
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

    /// <summary>Sets the tensor object that Python reported.</summary>
    /// <param name="tensor">The address of the object, 0 for None, -1 if the module has no attribute of this name.</param>
    internal void Set(IntPtr tensor)
    {
        _isMissing = tensor == -1;
        if (_isMissing) tensor = IntPtr.Zero;
        var old = _cell;
        if (_object == tensor && (old.Guarded.IsClosed || old.Impl == Python.TensorImplOf(new(tensor)))) return;
        _object = tensor;
        if (_uses == 0) return;
        Open();
        // Open reuses an idle cell.
        if (_cell != old || tensor == IntPtr.Zero) old.Close();
    }

    private void Refresh()
    {
        if (_link is not { } link) throw MirrorLink.Freed();
        link.Refresh();
    }

    /// <summary>
    /// Refreshes the link again if a mirror that had the tensor was freed during the last <see cref="Refresh"/> or since then.
    /// </summary>
    /// <returns>Whether a refresh gave the slot a tensor.</returns>
    private bool WasEmptied()
    {
        // Repeated, because another thread may free another mirror during a refresh; at most eight times, so that the loop ends.
        for (var attempt = 0; attempt < 8 && _link is { IsStale: true } link; attempt++)
        {
            link.Refresh();
            if (_object != IntPtr.Zero) return true;
        }

        return false;
    }

    private void SetLinks(MirrorLink[] links) => (_links, _link) = (links, links.FirstOrDefault());

    private Exception MissingTensor() => _link is { } link ? Callbacks.MissingTensor(link.Module.Id, name) : MirrorLink.Freed();

    private void Open()
    {
        if (_object == IntPtr.Zero) return;
        var impl = Python.TensorImplOf(new(_object));
        // A cell whose handle another thread still uses is replaced.
        var cell = _cell.Guarded.IsIdle ? _cell : new HandleCell();
        cell.Open(impl);
        _cell = cell;
    }

    /// <summary>A handle that refers to the tensor only while calls use the slot. It is reused, so calls allocate no handles.</summary>
    private sealed class HandleCell
    {
        internal GuardedHandle Guarded;

        // The handle while it refers to an undefined tensor.
        private IntPtr _spare;

        // Runs only when no slot can open the cell any more: MirrorLink.All keeps the links, and with them the slots and cells, until the
        // mirrors are freed; after that, a slot has no links and throws.
        ~HandleCell()
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

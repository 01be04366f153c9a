using System.Diagnostics;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>
/// The calls and hooks from Python that are in progress, and the tensors and mirrors (Python modules of C# modules) that they acquire. The
/// methods run with the GIL held, which serves as the lock.
/// </summary>
internal sealed unsafe partial class MirrorLink
{
    // The number of nested calls, hooks and backward passes from Python on this thread.
    [ThreadStatic]
    private static int _entered;

    [ThreadStatic]
    private static CallEra? _era;

    // The slots (parameters and buffers) of modules outside the called tree that this thread has acquired.
    [ThreadStatic]
    private static List<MirrorSlot>? _outside;

    [ThreadStatic]
    private static bool? _isDotNetThread;

    // The number of calls in progress that have acquired the link.
    private int _uses;

    // An owned reference to the mirror while calls use the link.
    private IntPtr _held;

    /// <summary>Whether a call, hook or backward pass from Python is in progress on this thread.</summary>
    internal static bool IsEntered => _entered > 0;

    /// <summary>
    /// Whether this thread runs the module's <c>forward</c>. False while that <c>forward</c> calls a module that contains this module.
    /// On a thread that .NET started, a call on any thread counts.
    /// </summary>
    internal bool IsRunning
    {
        get
        {
            foreach (var callee in DisposeScope.Callees)
            {
                if (callee == Module) return true;
                if (callee.Link is MirrorLink link && Array.IndexOf(link.Tree, this) >= 0) return false;
            }

            // The loop above finds no modules on a thread that a forward started, because the scopes of the calls belong to other threads.
            return _uses > 0 && (_isDotNetThread ??= IsDotNetThread());
        }
    }

    /// <summary>Begins a call from Python: acquires the tensors of the module and its descendants until <see cref="Release"/>.</summary>
    /// <returns>The links of the module and its descendants, to be passed to <see cref="Release"/>.</returns>
    internal MirrorLink[] Acquire()
    {
        Refresh();
        // The call begins before the code below, which may run Python. Another thread may then add modules to collections, and AcquireLate
        // acquires those only for calls that have begun.
        Enter();
        MirrorLink[] tree = [];
        var (used, synchronize, done) = (0, false, false);
        try
        {
            tree = Tree;
            foreach (var link in tree) link.Prefetch();
            foreach (var link in tree)
            {
                link.AcquireTensors();
                used++;
                synchronize |= link._computed || link.Counts.IsChanged;
            }

            if (synchronize) Synchronize(tree);
            done = true;
            return tree;
        }
        finally
        {
            // In a finally block, because a catch block would keep the stack of a deep recursion (see the remarks of Dispatcher).
            if (!done) Release(tree[..used]);
        }
    }

    private static void Synchronize(MirrorLink[] tree)
    {
        foreach (var link in tree)
        {
            // C# may read a property of a module that it does not call. Collections are refreshed when they are read.
            if (link.Counts.IsChanged && !link._forgotten && link.Module.EntryType is null) link.Refresh();
            // Computed attributes of another call are not valid in this call.
            if (link._computed && !link._forgotten) link.Synchronize(compute: false);
        }
    }

    /// <summary>Acquires new entries of a collection, and their descendants, for the calls in progress.</summary>
    internal static void AcquireLate(IEnumerable<torch.nn.Module> entries)
    {
        if (CallEra.HasCalls) CallEra.Acquire([.. entries.SelectMany(entry => entry.Link is MirrorLink link ? link.Tree : [])]);
    }

    /// <summary>
    /// Begins a call, hook or backward pass on this thread. Without <see cref="Acquire"/>, each tensor is acquired when it is read.
    /// </summary>
    internal static void Enter()
    {
        if (_entered++ == 0) _era = CallEra.Begin();
    }

    /// <summary>Ends a call, hook or backward pass on this thread.</summary>
    internal static void Leave()
    {
        if (--_entered > 0) return;
        ActiveModes.Reset();
        RetiredHandles.Close();
        if (_outside is { Count: > 0 } outside)
        {
            foreach (var slot in outside) slot.Release();
            outside.Clear();
        }

        // Last, since it may run Python code that calls modules.
        _era!.End();
    }

    /// <summary>Ends a call from Python that <see cref="Acquire"/> began.</summary>
    internal static void Release(MirrorLink[] tree)
    {
        ReleaseTensors(tree);
        Leave();
        ReleaseMirrors(tree);
    }

    /// <summary>Acquires the tensors and the mirror for a call. Acquires nothing if it throws.</summary>
    private void AcquireTensors()
    {
        if (_uses > 0)
        {
            _uses++;
            return;
        }

        var acquired = 0;
        try
        {
            foreach (var slot in Slots)
            {
                slot.Acquire();
                acquired++;
            }

            _uses = 1;
        }
        finally
        {
            if (_uses == 0)
                foreach (var slot in Slots.AsSpan(0, acquired)) slot.Release();
        }

        HoldMirror();
    }

    /// <summary>Acquires the tensors and mirrors of all links for a call. Acquires nothing if it throws.</summary>
    internal static void AcquireTensors(MirrorLink[] links)
    {
        var used = 0;
        try
        {
            for (; used < links.Length; used++) links[used].AcquireTensors();
        }
        finally
        {
            if (used < links.Length)
            {
                ReleaseTensors(links[..used]);
                ReleaseMirrors(links[..used]);
            }
        }
    }

    /// <summary>
    /// Ends a call's use of links, and releases the tensors that no call uses any more. <see cref="ReleaseMirrors"/> must follow.
    /// </summary>
    internal static void ReleaseTensors(MirrorLink[] links)
    {
        foreach (var link in links)
        {
            if (--link._uses > 0) continue;
            foreach (var slot in link.Slots) slot.Release();
        }
    }

    /// <summary>Releases the mirrors of links that no call uses any more. This may run Python code.</summary>
    internal static void ReleaseMirrors(MirrorLink[] links)
    {
        foreach (var link in links)
        {
            if (link._uses > 0 || link._held == IntPtr.Zero) continue;
            var held = link._held;
            link._held = IntPtr.Zero;
            Python.DecRef(held);
        }
    }

    // Keeps the mirror alive, since Python may replace it in its parent during the call.
    private void HoldMirror()
    {
        var mirror = new BorrowedReference(_object);
        if (mirror.IsNull || _held != IntPtr.Zero || Python.IsDying(mirror)) return;
        _held = mirror.NewReference().Steal();
    }

    // The stack of a thread that .NET started begins in the runtime's own assembly. On any other thread, the C# stack begins in a function
    // that Python called.
    private static bool IsDotNetThread() => Thread.CurrentThread.IsThreadPoolThread
        || new StackTrace().GetFrames() is [.., var first] && first.GetMethod()?.Module.Assembly == typeof(Thread).Assembly;

    /// <summary>Acquires a slot until the outermost call or hook from Python on this thread ends.</summary>
    internal static void AcquireUntilLeave(MirrorSlot slot)
    {
        slot.Acquire();
        (_outside ??= []).Add(slot);
    }
}

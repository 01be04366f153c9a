using System.Diagnostics;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The calls and hooks from Python that are under way, and what they use. With the GIL held, which is the lock.</summary>
internal sealed unsafe partial class MirrorLink
{
    // Calls and hooks that Python has under way on this thread, and what they read outside of the modules that they are of.
    [ThreadStatic]
    private static int _entered;

    [ThreadStatic]
    private static CallEra? _era;

    [ThreadStatic]
    private static List<MirrorSlot>? _outside;

    [ThreadStatic]
    private static bool? _isDotNets;

    private int _uses;

    // A reference to Python's object of the mirror while calls use the link.
    private IntPtr _held;

    /// <summary>A call from Python begins: what is below the module has handles until <see cref="Release"/> of what this gives.</summary>
    internal MirrorLink[] Acquire()
    {
        Refresh();
        // First, since another thread may put something into a collection as soon as one of the links asks Python.
        Enter();
        MirrorLink[] tree = [];
        var (used, asks, done) = (0, false, false);
        try
        {
            tree = Tree;
            foreach (var link in tree) link.Prefetch();
            foreach (var link in tree)
            {
                link.Use();
                used++;
                asks |= link._computed || link.Counts.IsChanged;
            }

            if (asks) Ask(tree);
            done = true;
            return tree;
        }
        finally
        {
            // No catch: see the remarks of Dispatcher on recursion.
            if (!done) Release(tree[..used]);
        }
    }

    private static void Ask(MirrorLink[] tree)
    {
        foreach (var link in tree)
        {
            // C# may read a property of a module that it does not call. Whoever reads a collection asks.
            if (link.Counts.IsChanged && !link._forgotten && link.Module.EntryType is null) link.Refresh();
            // What another call computed is not this one's.
            if (link._computed && !link._forgotten) link.Synchronize(compute: false);
        }
    }

    /// <summary>What came into a collection may be reached by calls that began before: they have it, and what is below it, until they end.</summary>
    /// <param name="entries">Modules that the collection did not have.</param>
    internal static void AcquireLate(IEnumerable<torch.nn.Module> entries)
    {
        if (CallEra.HasCalls) CallEra.Acquire([.. entries.SelectMany(entry => entry.Link is MirrorLink link ? link.Tree : [])]);
    }

    /// <summary>A hook or a backward that belongs to no mirrored module begins: it may read the tensors of any.</summary>
    internal static void Enter()
    {
        if (_entered++ == 0) _era = CallEra.Begin();
    }

    /// <summary>It ends.</summary>
    internal static void Leave()
    {
        if (--_entered > 0) return;
        Surroundings.End();
        RetiredHandles.Close();
        if (_outside is { Count: > 0 } outside)
        {
            foreach (var slot in outside) slot.Release();
            outside.Clear();
        }

        // Last, since code that it runs may call modules.
        _era!.End();
    }

    /// <summary>A call from Python ends.</summary>
    internal static void Release(MirrorLink[] tree)
    {
        Yield(tree);
        Leave();
        Free(tree);
    }

    /// <summary>A call uses the link; where that fails it does not.</summary>
    private void Use()
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

        Hold();
    }

    /// <summary>A call uses the links: all of them, or none where that fails.</summary>
    internal static void Use(MirrorLink[] links)
    {
        var used = 0;
        try
        {
            for (; used < links.Length; used++) links[used].Use();
        }
        finally
        {
            if (used < links.Length)
            {
                Yield(links[..used]);
                Free(links[..used]);
            }
        }
    }

    /// <summary>A call does not use the links any more; <see cref="Free"/> follows.</summary>
    internal static void Yield(MirrorLink[] tree)
    {
        foreach (var link in tree)
        {
            if (--link._uses > 0) continue;
            foreach (var slot in link.Slots) slot.Release();
        }
    }

    /// <summary>What only the calls that used the links have kept is freed now, which may run code.</summary>
    internal static void Free(MirrorLink[] tree)
    {
        foreach (var link in tree)
        {
            if (link._uses > 0 || link._held == IntPtr.Zero) continue;
            var held = link._held;
            link._held = IntPtr.Zero;
            Python.Decrease(held);
        }
    }

    // A call that is under way goes on with the mirror, whoever replaces it in its parent.
    private void Hold()
    {
        if (_object == IntPtr.Zero || _held != IntPtr.Zero || Python.IsDying(_object)) return;
        _held = _object;
        Python.Increase(_held);
    }

    /// <summary>This thread runs the module's <c>forward</c>, and since then did not enter that of a module above it.</summary>
    internal bool IsRunning
    {
        get
        {
            foreach (var callee in DisposeScope.Callees)
            {
                if (callee == Module) return true;
                if (callee.Link is MirrorLink link && Array.IndexOf(link.Tree, this) >= 0) return false;
            }

            // What a forward has started has no call of its own.
            return _uses > 0 && (_isDotNets ??= IsDotNets());
        }
    }

    // A thread that .NET began, in its pool or not, is in the system's own code first; one of Python's or of libtorch's in what it calls of ours.
    private static bool IsDotNets() =>
        Thread.CurrentThread.IsThreadPoolThread || new StackTrace().GetFrames() is [.., var first] && first.GetMethod()?.Module.Assembly == typeof(Thread).Assembly;

    /// <summary>A call or hook from Python is under way on this thread.</summary>
    internal static bool IsEntered => _entered > 0;

    /// <summary>A slot that is acquired until the outermost call or hook that Python has under way on this thread ends.</summary>
    internal static void Borrow(MirrorSlot slot)
    {
        slot.Acquire();
        (_outside ??= []).Add(slot);
    }
}

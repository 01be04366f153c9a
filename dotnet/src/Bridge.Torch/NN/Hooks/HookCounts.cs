using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;

namespace Bridge.Torch;

/// <summary>
/// Pointers into a Python module that represents a C# module. They show, without calling Python, whether the module has hooks and whether
/// its attributes have changed.
/// </summary>
/// <remarks>The pointers are valid while this object is alive, hence <c>GC.KeepAlive</c> after reads.</remarks>
internal unsafe class HookCounts
{
    private static readonly long* Zero = (long*)NativeMemory.AllocZeroed(8);

    /// <summary>The counts of a C# module that no Python module represents: all are zero.</summary>
    internal static readonly HookCounts None = new();

    // Point to the numbers of entries in the module's hook dictionaries.
    protected long* Pre = Zero;
    protected long* Forward = Zero;
    protected long* BackwardPre = Zero;
    protected long* Backward = Zero;

    /// <summary>Points to the version of the attribute dictionary, which changes at each write.</summary>
    protected long* Attributes = Zero;

    /// <summary>Points to the field of the Python object that holds its class.</summary>
    protected long* Class = Zero;

    /// <summary>Points to the field of the Python object that holds its attribute dictionary.</summary>
    protected long* AttributeDict = Zero;

    /// <summary>
    /// The version of the attributes when the <see cref="ModuleLink"/> was last synchronized with the Python module. Written after the
    /// link's state, with release semantics: a reader for which <see cref="IsChanged"/> is false may use that state.
    /// </summary>
    internal long Seen;

    /// <summary>The addresses of the class and of the attribute dictionary when the link was synchronized.</summary>
    protected long SeenClass, SeenAttributeDict;

    private volatile HookPlan? _plan;

    /// <summary>Gets or sets the list of forward pre hooks and forward hooks that was read last; null if there is none.</summary>
    internal HookPlan? Plan
    {
        get => _plan;
        set => _plan = value;
    }

    /// <summary>Returns whether the forward pre hooks and forward hooks are unchanged since the plan was made.</summary>
    internal bool Matches(HookPlan plan)
    {
        var matches = plan.Source == this && plan.Versions.IsCurrent();
        GC.KeepAlive(this);
        return matches;
    }

    /// <summary>Returns whether the forward hooks are unchanged since the plan was made; ignores pre hooks.</summary>
    internal bool MatchesForward(HookPlan plan)
    {
        var matches = plan.Source == this && plan.Versions.IsForwardCurrent();
        GC.KeepAlive(this);
        return matches;
    }

    internal bool HasPre
    {
        get
        {
            var any = *Pre != 0;
            GC.KeepAlive(this);
            return any;
        }
    }

    internal bool HasBackward
    {
        get
        {
            var any = (*BackwardPre | *Backward) != 0;
            GC.KeepAlive(this);
            return any;
        }
    }

    internal long Version
    {
        get
        {
            var version = Volatile.Read(ref *Attributes);
            GC.KeepAlive(this);
            return version;
        }
    }

    /// <summary>Gets whether the attributes, their dictionary or the class have changed since the link was synchronized.</summary>
    internal bool IsChanged
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            var changed = Volatile.Read(ref *Attributes) != Volatile.Read(ref Seen) | Volatile.Read(ref *Class) != Volatile.Read(
                ref SeenClass) | Volatile.Read(ref *AttributeDict) != SeenAttributeDict;
            GC.KeepAlive(this);
            return changed;
        }
    }

    /// <summary>Prefetches the counts into the CPU caches: see <see cref="ModuleLink.Prefetch"/>.</summary>
    internal void Prefetch()
    {
        Sse.Prefetch0(Pre);
        Sse.Prefetch0(Forward);
        Sse.Prefetch0(BackwardPre);
        Sse.Prefetch0(Backward);
        Sse.Prefetch0(Attributes);
        Sse.Prefetch0(Class);
        Sse.Prefetch0(AttributeDict);
        Plan?.Versions.Prefetch();
    }

    internal bool Any
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            var any = (*Pre | *Forward | *BackwardPre | *Backward) != 0;
            GC.KeepAlive(this);
            return any;
        }
    }
}

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;

namespace Bridge.Torch;

/// <summary>Where the entry counts of a module's four hook dictionaries are in memory, the version of its attributes, and its class.</summary>
internal unsafe class HookCounts
{
    private static readonly long* Zero = (long*)NativeMemory.AllocZeroed(8);

    /// <summary>No dictionaries.</summary>
    internal static readonly HookCounts None = new();

    protected long* Pre = Zero;
    protected long* Forward = Zero;
    protected long* BackwardPre = Zero;
    protected long* Backward = Zero;

    /// <summary>A word that is another one after each write of the module's attributes.</summary>
    protected long* Attributes = Zero;

    /// <summary>The address of the module's class, as Python's object has it.</summary>
    protected long* Class = Zero;

    /// <summary>The address of the dictionary of its attributes.</summary>
    protected long* AttributeDict = Zero;

    /// <summary>
    /// What <see cref="Attributes"/> was when the link was synchronized. Like the next two it is written, as a release, after what the link has: who finds nothing
    /// changed has read all of them as acquires, and goes on with that.
    /// </summary>
    internal long Seen;

    /// <summary>What the other two were.</summary>
    protected long SeenClass, SeenAttributeDict;

    private volatile HookPlan? _plan;

    /// <summary>What the dictionaries of the forward hooks had when C# last asked; null if it has not.</summary>
    internal HookPlan? Plan
    {
        get => _plan;
        set => _plan = value;
    }

    /// <summary>The dictionaries have what a plan says.</summary>
    internal bool Matches(HookPlan plan)
    {
        var matches = plan.Source == this && plan.Versions.IsCurrent();
        GC.KeepAlive(this);
        return matches;
    }

    /// <summary>The same of the forward hooks that are no pre hooks.</summary>
    internal bool MatchesForward(HookPlan plan)
    {
        var matches = plan.Source == this && plan.Versions.IsForwardCurrent();
        GC.KeepAlive(this);
        return matches;
    }

    /// <summary>The dictionary of pre hooks has an entry.</summary>
    internal bool HasPre
    {
        get
        {
            var any = *Pre != 0;
            GC.KeepAlive(this);
            return any;
        }
    }

    /// <summary>A dictionary of backward hooks has an entry.</summary>
    internal bool HasBackward
    {
        get
        {
            var any = (*BackwardPre | *Backward) != 0;
            GC.KeepAlive(this);
            return any;
        }
    }

    /// <summary>That word now.</summary>
    internal long Version => Volatile.Read(ref *Attributes);

    /// <summary>Attributes, the dictionary that has them, or the class were written since.</summary>
    internal bool IsChanged
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            var changed = Volatile.Read(ref *Attributes) != Volatile.Read(ref Seen) | Volatile.Read(ref *Class) != Volatile.Read(ref SeenClass) | Volatile.Read(ref *AttributeDict) != SeenAttributeDict;
            GC.KeepAlive(this);
            return changed;
        }
    }

    /// <summary>Fetches the words: see <see cref="ModuleLink.Prefetch"/>.</summary>
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

    /// <summary>Some dictionary has an entry.</summary>
    internal bool Any
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            var any = (*Pre | *Forward | *BackwardPre | *Backward) != 0;
            // This object, and with it their memory, stays alive while they are read.
            GC.KeepAlive(this);
            return any;
        }
    }
}

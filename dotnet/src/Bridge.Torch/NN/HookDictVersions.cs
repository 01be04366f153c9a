using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace Bridge.Torch;

/// <summary>The words of memory that are other ones when the entries of the forward hooks' dictionaries, their order, or how they are called change; and what they were.</summary>
/// <remarks>They lie in the <see cref="HookPlan"/> itself, side by side: what a call reads after an operator is no longer in the caches.</remarks>
[InlineArray(All)]
internal unsafe struct HookDictVersions
{
    /// <summary>The writes and the order of the dictionary of forward hooks, the writes of the two that say how they are called; the same of pre hooks.</summary>
    internal const int ForwardWrites = 0, ForwardOrder = 1, ForwardNamed = 2, ForwardAlways = 3, PreWrites = 4, PreOrder = 5, PreNamed = 6, All = 7;

    private Version _first;

    /// <summary>A word and what it is now.</summary>
    internal void Record(int index, long* version) => this[index] = new() { Address = version, Value = Volatile.Read(ref *version) };

    /// <summary>All are what they were; somebody keeps them alive.</summary>
    internal readonly bool IsCurrent()
    {
        foreach (ref readonly var version in this)
            if (!version.IsCurrent) return false;
        return true;
    }

    /// <summary>Those of the forward hooks that are no pre hooks are.</summary>
    internal readonly bool IsForwardCurrent() => this[ForwardWrites].IsCurrent && this[ForwardOrder].IsCurrent && this[ForwardNamed].IsCurrent && this[ForwardAlways].IsCurrent;

    /// <summary>Fetches those of the forward hooks that no other word brings along.</summary>
    internal readonly void Prefetch()
    {
        Sse.Prefetch0(this[ForwardOrder].Address);
        Sse.Prefetch0(this[ForwardNamed].Address);
        Sse.Prefetch0(this[ForwardAlways].Address);
    }

    private struct Version
    {
        internal long* Address;
        internal long Value;

        internal readonly bool IsCurrent => Volatile.Read(ref *Address) == Value;
    }
}

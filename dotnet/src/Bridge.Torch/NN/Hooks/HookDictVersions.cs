using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace Bridge.Torch;

/// <summary>
/// The versions of the forward hook dictionaries when a <see cref="HookPlan"/> was made. A version changes with the entries, their order,
/// or their flags.
/// </summary>
/// <remarks>The plan stores the versions side by side, because after an operator a call's data are no longer in the CPU caches.</remarks>
[InlineArray(All)]
internal unsafe struct HookDictVersions
{
    /// <summary>
    /// Indices: writes and order of the forward hooks, writes of the dictionaries of their flags; then the same for pre hooks.
    /// </summary>
    internal const int ForwardWrites = 0, ForwardOrder = 1, ForwardNamed = 2, ForwardAlways = 3, PreWrites = 4, PreOrder = 5, PreNamed = 6,
        All = 7;

    private Version _first;

    /// <summary>Records the current value of a version.</summary>
    internal void Record(int index, long* version) => this[index] = new() { Address = version, Value = Volatile.Read(ref *version) };

    /// <summary>Returns whether no version has changed. The caller keeps their memory alive.</summary>
    internal readonly bool IsCurrent()
    {
        foreach (ref readonly var version in this)
            if (!version.IsCurrent) return false;
        return true;
    }

    /// <summary>Returns whether no version of the forward hooks, without pre hooks, has changed.</summary>
    internal readonly bool IsForwardCurrent() =>
        this[ForwardWrites].IsCurrent && this[ForwardOrder].IsCurrent && this[ForwardNamed].IsCurrent && this[ForwardAlways].IsCurrent;

    /// <summary>Prefetches the forward hooks' versions that are not in the same cache line as others.</summary>
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

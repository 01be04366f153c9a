using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace Bridge.Torch;

/// <summary>
/// The versions of the forward and forward pre hook dictionaries when a <see cref="HookPlan"/> was made. A dictionary's versions change
/// with its entries, their order, or their flags.
/// </summary>
/// <remarks>The versions are stored side by side, so that reading them causes few cache misses.</remarks>
[InlineArray(Number)]
internal unsafe struct HookDictVersions
{
    // The indices of the versions.
    internal const int ForwardWrites = 0; // the dictionary of forward hooks
    internal const int ForwardOrder = 1; // the order of the forward hooks
    internal const int ForwardKwargs = 2; // the dictionary of the forward hooks' with_kwargs flags
    internal const int ForwardAlways = 3; // the dictionary of the forward hooks' always_call flags
    internal const int PreWrites = 4; // the dictionary of pre hooks
    internal const int PreOrder = 5; // the order of the pre hooks
    internal const int PreKwargs = 6; // the dictionary of the pre hooks' with_kwargs flags

    internal const int Number = 7;

    private Version _first;

    /// <summary>Stores the address and the current value of a version.</summary>
    internal void Record(int index, long* version) => this[index] = new() { Address = version, Value = Volatile.Read(ref *version) };

    /// <summary>Returns whether no version has changed. The caller keeps the dictionaries alive.</summary>
    internal readonly bool IsCurrent()
    {
        foreach (ref readonly var version in this)
            if (!version.IsCurrent) return false;
        return true;
    }

    /// <summary>Returns whether no version of the forward hooks has changed; ignores pre hooks.</summary>
    internal readonly bool IsForwardCurrent() =>
        this[ForwardWrites].IsCurrent && this[ForwardOrder].IsCurrent && this[ForwardKwargs].IsCurrent && this[ForwardAlways].IsCurrent;

    /// <summary>
    /// Prefetches the versions of the forward hooks, except <see cref="ForwardWrites"/>, which is near the count that
    /// <see cref="HookCounts.Prefetch"/> prefetches.
    /// </summary>
    internal readonly void Prefetch()
    {
        Sse.Prefetch0(this[ForwardOrder].Address);
        Sse.Prefetch0(this[ForwardKwargs].Address);
        Sse.Prefetch0(this[ForwardAlways].Address);
    }

    private struct Version
    {
        internal long* Address;
        internal long Value;

        internal readonly bool IsCurrent => Volatile.Read(ref *Address) == Value;
    }
}

using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;

namespace Bridge.Torch;

/// <summary>
/// The versions of the forward hook dictionaries when a <see cref="HookPlan"/> was made. A version changes with the entries, their order,
/// or their flags.
/// </summary>
/// <remarks>The versions are stored side by side, because an operator evicts a call's data from the CPU caches.</remarks>
[InlineArray(Number)]
internal unsafe struct HookDictVersions
{
    /// <summary>
    /// Indices of versions: of the dictionary of forward hooks, of its order, and of the dictionaries of with_kwargs and always_call flags;
    /// then of the dictionary of pre hooks, of its order, and of the dictionary of with_kwargs flags.
    /// </summary>
    internal const int ForwardWrites = 0, ForwardOrder = 1, ForwardKwargs = 2, ForwardAlways = 3, PreWrites = 4, PreOrder = 5,
        PreKwargs = 6;

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

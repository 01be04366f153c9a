using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Bridge.Torch;

/// <summary>Where the entry counts of a module's four hook dictionaries are in memory.</summary>
internal unsafe class HookCounts
{
    private static readonly long* Zero = (long*)NativeMemory.AllocZeroed(8);

    /// <summary>No dictionaries.</summary>
    internal static readonly HookCounts None = new();

    protected long* Pre = Zero;
    protected long* Forward = Zero;
    protected long* BackwardPre = Zero;
    protected long* Backward = Zero;

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

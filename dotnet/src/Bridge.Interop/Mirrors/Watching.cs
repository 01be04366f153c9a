using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>PyTorch's global hook dictionaries. Any of them may be rebound (G-3), so before C# runs each is looked up again, if anything was written beside them.</summary>
/// <remarks>Everything here runs with the GIL held.</remarks>
internal static unsafe class Watching
{
    private static readonly IntPtr[] Names = new IntPtr[4];
    private static readonly IntPtr[] Dictionaries = new IntPtr[4];
    private static IntPtr _namespace;

    // The namespace's word that each write changes, once .NET sees it, and what it was when they were looked up.
    private static long* _version;
    private static long _seen;

    /// <param name="space">The namespace of <c>torch.nn.modules.module</c>; it lives as long as the process.</param>
    /// <param name="names">The names of the four dictionaries in it, Python strings that live as long.</param>
    internal static void Begin(IntPtr space, ReadOnlySpan<IntPtr> names)
    {
        names.CopyTo(Names);
        _namespace = space;
        Refresh();
    }

    /// <summary>From now on the entries of the dictionaries that PyTorch would look into count.</summary>
    internal static void Refresh()
    {
        if (_version != null && *_version == _seen || _namespace == IntPtr.Zero) return;
        if (_version == null && (Imports.WatcherNumber >= 0 || Imports.VersionOffset > 0)) _version = DictionaryVersions.Of(_namespace);
        if (_version != null) _seen = *_version;
        for (var i = 0; i < 4; i++)
        {
            var now = Python.Item(_namespace, Names[i]);
            if (now == Dictionaries[i] || now == IntPtr.Zero) continue;
            // Kept for good: another thread may read the old one's word a little later. A dictionary is small, and rebinding is rare.
            Python.Increase(now);
            Dictionaries[i] = now;
            // A pointer is no reference: only a release has what it points to in memory before it.
            Volatile.Write(ref *(nint*)&ModuleLink.GlobalCounts[i], now + (nint)Imports.CountOffset);
        }
    }
}

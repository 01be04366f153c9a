using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>
/// PyTorch's four global hook dictionaries. Any of them may be rebound (G-3), so they are looked up again after a write to their namespace.
/// </summary>
/// <remarks>The GIL is held throughout.</remarks>
internal static unsafe class GlobalHookDictionaries
{
    private static readonly IntPtr[] Names = new IntPtr[4];
    private static readonly IntPtr[] Dictionaries = new IntPtr[4];
    private static IntPtr _namespace;

    // The namespace's version, once Python has bound what it needs, and its value at the last lookup.
    private static long* _version;
    private static long _seen;

    /// <param name="space">The namespace of <c>torch.nn.modules.module</c>, which lives as long as the process.</param>
    /// <param name="names">The names of the four dictionaries, Python strings that live as long.</param>
    internal static void Bind(BorrowedReference space, ReadOnlySpan<IntPtr> names)
    {
        names.CopyTo(Names);
        _namespace = space.Address;
        Refresh();
    }

    /// <summary>Looks the dictionaries up again if their namespace was written.</summary>
    internal static void Refresh()
    {
        if (_version != null && *_version == _seen || _namespace == IntPtr.Zero) return;
        var space = new BorrowedReference(_namespace);
        if (_version == null && (Imports.WatcherNumber >= 0 || Imports.VersionOffset > 0)) _version = DictionaryVersions.AddressOf(space);
        if (_version != null) _seen = *_version;
        for (var i = 0; i < 4; i++)
        {
            var now = Python.GetItem(space, new(Names[i]));
            if (now.Address == Dictionaries[i] || now.IsNull) continue;
            // Never released: another thread may read the old dictionary's count a moment later. A dictionary is small, and rebinding is
            // rare.
            Dictionaries[i] = now.NewReference().Steal();
            // A release store, so that a reader of the pointer finds the dictionary's memory initialized.
            Volatile.Write(ref *(nint*)&ModuleLink.GlobalCounts[i], Dictionaries[i] + (nint)Imports.CountOffset);
        }
    }
}

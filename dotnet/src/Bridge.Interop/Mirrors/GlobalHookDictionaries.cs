using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>
/// The four global hook dictionaries that <c>_call_impl</c> tests. Python code may rebind them (G-3), so a write to their namespace causes
/// a new lookup.
/// </summary>
/// <remarks>Callers hold the GIL.</remarks>
internal static unsafe class GlobalHookDictionaries
{
    private static readonly IntPtr[] Names = new IntPtr[4];
    private static readonly IntPtr[] Dictionaries = new IntPtr[4];
    private static IntPtr _namespace;

    // The address of the namespace's version; null until Python has set the imports that DictionaryVersions needs.
    private static long* _version;

    // The version at the last lookup.
    private static long _lastVersion;

    /// <summary>Sets the namespace and the names of the dictionaries.</summary>
    /// <param name="space">The namespace of <c>torch.nn.modules.module</c>, which lives as long as the process.</param>
    /// <param name="names">The names of the four dictionaries, Python strings that live as long as the process.</param>
    internal static void Bind(BorrowedReference space, ReadOnlySpan<IntPtr> names)
    {
        names.CopyTo(Names);
        _namespace = space.Address;
        Refresh();
    }

    /// <summary>Looks the dictionaries up again, unless their namespace is known to be unchanged.</summary>
    internal static void Refresh()
    {
        if (_version != null && *_version == _lastVersion || _namespace == IntPtr.Zero) return;
        var space = new BorrowedReference(_namespace);
        if (_version == null && (Imports.WatcherNumber >= 0 || Imports.VersionOffset > 0)) _version = DictionaryVersions.AddressOf(space);
        if (_version != null) _lastVersion = *_version;
        for (var i = 0; i < 4; i++)
        {
            var now = Python.GetItem(space, new(Names[i]));
            if (now.Address == Dictionaries[i] || now.IsNull) continue;
            // The old dictionary is never released, because another thread may be about to read its count. Rebinding is rare.
            Dictionaries[i] = now.NewReference().Steal();
            // A release store, so that a reader of the pointer finds the dictionary's memory initialized.
            Volatile.Write(ref *(nint*)&ModuleLink.GlobalCounts[i], Dictionaries[i] + (nint)Imports.CountOffset);
        }
    }
}

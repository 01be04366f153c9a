using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Bridge.Interop;

/// <summary>The versions of Python dictionaries: words in memory that change at each write to a dictionary.</summary>
/// <remarks>
/// Up to version 3.13, CPython keeps a version in the dictionary itself. CPython 3.14 has no versions, so this class keeps them: CPython
/// calls <see cref="OnWrite"/> before each write to a watched dictionary. The GIL is held throughout.
/// </remarks>
internal static unsafe class DictionaryVersions
{
    private static readonly Dictionary<IntPtr, IntPtr> Versions = [];
    private static readonly Stack<IntPtr> Free = [];

    /// <summary>The address of the dictionary watcher that CPython calls (<c>PyDict_AddWatcher</c>).</summary>
    internal static long Watcher => (long)(delegate* unmanaged[Cdecl]<int, IntPtr, IntPtr, IntPtr, int>)&OnWrite;

    /// <summary>Returns the address of a dictionary's version. The address is valid until the dictionary is freed.</summary>
    /// <exception cref="PythonException">CPython refuses to watch the dictionary.</exception>
    internal static long* AddressOf(BorrowedReference dictionary)
    {
        if (Imports.WatcherNumber < 0) return (long*)(dictionary.Address + (nint)Imports.VersionOffset);
        if (Versions.TryGetValue(dictionary.Address, out var known)) return (long*)known;
        if (Imports.PyDict_Watch((int)Imports.WatcherNumber, dictionary) != 0) throw Python.FetchError();
        if (!Free.TryPop(out var version)) version = (IntPtr)NativeMemory.AllocZeroed(8);
        Versions[dictionary.Address] = version;
        return (long*)version;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int OnWrite(int happened, IntPtr dictionary, IntPtr key, IntPtr value)
    {
        const int deallocated = 5; // PyDict_EVENT_DEALLOCATED: another dictionary may get this address.
        try
        {
            if (!Versions.TryGetValue(dictionary, out var address)) return 0;
            // Versions stay even and not negative: MirrorLink.Bind uses -1 and odd numbers as versions that never occur.
            ref var version = ref *(long*)address;
            Volatile.Write(ref version, (version + 2) & long.MaxValue);
            if (happened != deallocated) return 0;
            Versions.Remove(dictionary);
            Free.Push(address);
        }
        catch (Exception)
        {
            // No exception may pass into CPython. Only a lack of memory for the stack of free versions can cause one.
        }

        return 0;
    }
}

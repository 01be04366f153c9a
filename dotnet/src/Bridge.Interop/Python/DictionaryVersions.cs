using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Bridge.Interop;

/// <summary>Where .NET sees that a dictionary of Python's was written.</summary>
/// <remarks>
/// Up to Python 3.13 a dictionary has a word of its own that each write changes. 3.14 has none: there CPython calls <see cref="Changed"/> before each write
/// of a dictionary that is watched, and .NET keeps the words. The GIL is held throughout.
/// </remarks>
internal static unsafe class DictionaryVersions
{
    private static readonly Dictionary<IntPtr, IntPtr> Words = [];
    private static readonly Stack<IntPtr> Free = [];

    /// <summary>The address of what CPython is to call for watched dictionaries.</summary>
    internal static long Watcher => (long)(delegate* unmanaged[Cdecl]<int, IntPtr, IntPtr, IntPtr, int>)&Changed;

    /// <summary>The word of a dictionary; it is there as long as the dictionary.</summary>
    /// <exception cref="PythonException">CPython refuses to watch it.</exception>
    internal static long* Of(IntPtr dictionary)
    {
        if (Imports.WatcherNumber < 0) return (long*)(dictionary + (nint)Imports.VersionOffset);
        if (Words.TryGetValue(dictionary, out var known)) return (long*)known;
        if (Imports.PyDict_Watch((int)Imports.WatcherNumber, dictionary) != 0) throw Python.Error();
        if (!Free.TryPop(out var word)) word = (IntPtr)NativeMemory.AllocZeroed(8);
        Words[dictionary] = word;
        return (long*)word;
    }

    // The last event of a dictionary is that it is gone; another one may then have its address.
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Changed(int happened, IntPtr dictionary, IntPtr key, IntPtr value)
    {
        const int gone = 5;
        try
        {
            if (!Words.TryGetValue(dictionary, out var word)) return 0;
            // Never back to zero: a reader compares for equality.
            ref var version = ref *(long*)word;
            Volatile.Write(ref version, (version + 2) & long.MaxValue);
            if (happened != gone) return 0;
            Words.Remove(dictionary);
            Free.Push(word);
        }
        catch (Exception)
        {
            // Nothing may pass into CPython. All that can fail here is the memory for a list of free words.
        }

        return 0;
    }
}

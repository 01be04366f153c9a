using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>The four hook dictionaries of a mirrored module, and the one of its attributes, as Python last reported them.</summary>
/// <remarks>
/// Python keeps them alive as long as they are the module's. A thread may be about to read a count when they are rebound, so before Python lets
/// them go this object takes references (<see cref="Keep"/>) and gives them back when .NET's collector finds that no thread has it any more.
/// What is still the module's gets none: its attributes have the children, which must go when the module goes (H-2).
/// </remarks>
internal sealed unsafe class WatchedDictionaries : HookCounts
{
    private readonly IntPtr[] _dictionaries = new IntPtr[5];
    private readonly IntPtr _mirror;
    private IntPtr[] _kept = [];

    /// <param name="dictionaries">The five addresses.</param>
    /// <param name="mirror">Address of the module's object; zero if it is gone.</param>
    internal WatchedDictionaries(long* dictionaries, IntPtr mirror)
    {
        _mirror = mirror;
        for (var i = 0; i < 5; i++) _dictionaries[i] = (IntPtr)dictionaries[i];
        Pre = Count(0);
        Forward = Count(1);
        BackwardPre = Count(2);
        Backward = Count(3);
        Attributes = DictionaryVersions.Of(_dictionaries[4]);
        if (mirror == IntPtr.Zero) return;
        Class = (long*)(mirror + (nint)Imports.TypeOffset);
        Place = (long*)(mirror + (nint)Imports.AttributesOffset);
        SeenPlace = (long)_dictionaries[4];
    }

    ~WatchedDictionaries()
    {
        foreach (var dictionary in _kept) Python.Drop(dictionary);
    }

    /// <summary>The class that Python saw, when it has an object.</summary>
    internal void Saw(long type)
    {
        if (SeenPlace != 0) SeenClass = type;
    }

    internal bool Is(long* dictionaries, IntPtr mirror) => mirror == _mirror && new ReadOnlySpan<IntPtr>(dictionaries, 5).SequenceEqual(_dictionaries);

    /// <summary>Takes a reference to each that is not among those that the module has now; the GIL is held.</summary>
    internal void Keep(long* now)
    {
        var kept = new ReadOnlySpan<IntPtr>(now, 5).ToArray();
        _kept = [.. _dictionaries.Except(kept)];
        foreach (var dictionary in _kept) Python.Increase(dictionary);
    }

    private long* Count(int which) => (long*)(_dictionaries[which] + (nint)Imports.CountOffset);
}

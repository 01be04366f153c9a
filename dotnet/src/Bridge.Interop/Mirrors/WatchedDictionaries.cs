using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>
/// The four hook dictionaries of a mirrored module, the one of its attributes, and the three that say how its forward hooks are called, as Python last reported them.
/// </summary>
/// <remarks>
/// Python keeps them alive as long as they are the module's. A thread may be about to read a count when they are rebound, so before Python lets
/// them go this object takes references (<see cref="Keep"/>) and gives them back when .NET's collector finds that no thread has it any more.
/// What is still the module's gets none: its attributes have the children, which must go when the module goes (H-2).
/// </remarks>
internal sealed unsafe class WatchedDictionaries : HookCounts
{
    private const int Number = 8;
    private static readonly long* Never = (long*)System.Runtime.InteropServices.NativeMemory.AllocZeroed(8);
    private readonly IntPtr[] _dictionaries = new IntPtr[Number];
    private readonly IntPtr _mirror;
    private IntPtr[] _kept = [];

    /// <param name="dictionaries">The eight addresses.</param>
    /// <param name="mirror">Address of the module's object; zero if it is gone.</param>
    internal WatchedDictionaries(long* dictionaries, IntPtr mirror)
    {
        _mirror = mirror;
        for (var i = 0; i < Number; i++) _dictionaries[i] = (IntPtr)dictionaries[i];
        Pre = Count(0);
        Forward = Count(1);
        BackwardPre = Count(2);
        Backward = Count(3);
        Attributes = DictionaryVersions.Of(_dictionaries[4]);
        if (mirror == IntPtr.Zero) return;
        Class = (long*)(mirror + (nint)Imports.TypeOffset);
        AttributeDict = (long*)(mirror + (nint)Imports.AttributesOffset);
        SeenAttributeDict = (long)_dictionaries[4];
    }

    ~WatchedDictionaries()
    {
        foreach (var dictionary in _kept) Python.Drop(dictionary);
    }

    /// <summary>The class that Python saw, when it has an object.</summary>
    internal void Saw(long type)
    {
        if (SeenAttributeDict != 0) Volatile.Write(ref SeenClass, type);
    }

    internal bool Is(long* dictionaries, IntPtr mirror) => mirror == _mirror && new ReadOnlySpan<IntPtr>(dictionaries, Number).SequenceEqual(_dictionaries);

    /// <summary>Takes a reference to each that is not among those that the module has now; the GIL is held.</summary>
    internal void Keep(long* now)
    {
        var kept = new ReadOnlySpan<IntPtr>(now, Number).ToArray();
        _kept = [.. _dictionaries.Except(kept)];
        foreach (var dictionary in _kept) Python.Increase(dictionary);
    }

    /// <summary>What the forward hooks' dictionaries are now, for a <see cref="HookPlan"/>; the GIL is held.</summary>
    internal HookDictVersions Look()
    {
        var versions = default(HookDictVersions);
        versions.Record(HookDictVersions.ForwardWrites, Writes(1));
        versions.Record(HookDictVersions.ForwardOrder, Order(1));
        versions.Record(HookDictVersions.ForwardNamed, Writes(6));
        versions.Record(HookDictVersions.ForwardAlways, Writes(7));
        versions.Record(HookDictVersions.PreWrites, Writes(0));
        versions.Record(HookDictVersions.PreOrder, Order(0));
        versions.Record(HookDictVersions.PreNamed, Writes(5));
        return versions;
    }

    /// <summary>Some forward hook of the module is always called.</summary>
    internal bool HasAlways
    {
        get
        {
            var any = *Count(7) != 0;
            GC.KeepAlive(this);
            return any;
        }
    }

    private long* Writes(int which) => DictionaryVersions.Of(_dictionaries[which]);

    // What an OrderedDict moves to its front or end is no write of the dictionary below it. One entry has no order.
    private long* Order(int which) =>
        *Count(which) > 1 && Python.TypeOf(_dictionaries[which]) == Imports.OrderedDict ? (long*)(_dictionaries[which] + (nint)Imports.OrderOffset) : Never;

    private long* Count(int which) => (long*)(_dictionaries[which] + (nint)Imports.CountOffset);
}

using System.Runtime.InteropServices;
using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>
/// Dictionaries of a mirror, as Python last reported them: its four hook dictionaries, its attributes, and the three that hold the flags of
/// its forward hooks.
/// </summary>
/// <remarks>
/// Python keeps each alive while the module has it. A thread may be about to read a count when a dictionary is rebound, so before Python
/// releases the old one this object takes a reference (<see cref="Keep"/>), and releases it in its finalizer, when no thread can use it any
/// more. Dictionaries that the module still has get no reference: the attributes hold the child modules, which must be freed with the
/// module (H-2).
/// </remarks>
internal sealed unsafe class MirrorDictionaries : HookCounts
{
    private const int Number = 8;

    // A count that stays zero.
    private static readonly long* Zero = (long*)NativeMemory.AllocZeroed(8);

    private readonly IntPtr[] _dictionaries = new IntPtr[Number];
    private readonly IntPtr _mirror;
    private IntPtr[] _kept = [];

    /// <param name="dictionaries">The eight addresses.</param>
    /// <param name="mirror">The address of the mirror; zero if it was freed.</param>
    internal MirrorDictionaries(long* dictionaries, IntPtr mirror)
    {
        _mirror = mirror;
        for (var i = 0; i < Number; i++) _dictionaries[i] = (IntPtr)dictionaries[i];
        Pre = Count(0);
        Forward = Count(1);
        BackwardPre = Count(2);
        Backward = Count(3);
        Attributes = DictionaryVersions.AddressOf(new(_dictionaries[4]));
        if (mirror == IntPtr.Zero) return;
        Class = (long*)(mirror + (nint)Imports.TypeOffset);
        AttributeDict = (long*)(mirror + (nint)Imports.AttributesOffset);
        SeenAttributeDict = (long)_dictionaries[4];
    }

    ~MirrorDictionaries()
    {
        foreach (var dictionary in _kept) Python.DecRefLater(dictionary);
    }

    /// <summary>Whether a forward hook of the module is registered with <c>always_call</c>.</summary>
    internal bool HasAlwaysCalled
    {
        get
        {
            var any = *Count(7) != 0;
            GC.KeepAlive(this);
            return any;
        }
    }

    /// <summary>Sets the class that Python saw, if the mirror still exists.</summary>
    internal void SetSeenClass(long type)
    {
        if (SeenAttributeDict != 0) Volatile.Write(ref SeenClass, type);
    }

    /// <summary>Returns whether these are the dictionaries at these addresses, of this mirror.</summary>
    internal bool AreCurrent(long* dictionaries, IntPtr mirror) =>
        mirror == _mirror && new ReadOnlySpan<IntPtr>(dictionaries, Number).SequenceEqual(_dictionaries);

    /// <summary>Takes a reference to each dictionary that the module has no longer. The GIL is held.</summary>
    /// <param name="current">The eight addresses that the module has now.</param>
    internal void Keep(long* current)
    {
        var others = new ReadOnlySpan<IntPtr>(current, Number).ToArray();
        _kept = [.. _dictionaries.Except(others)];
        foreach (var dictionary in _kept) Python.IncRef(new(dictionary));
    }

    /// <summary>Returns the versions of the forward hooks' dictionaries, for a <see cref="HookPlan"/>. The GIL is held.</summary>
    internal HookDictVersions ReadVersions()
    {
        var versions = default(HookDictVersions);
        versions.Record(HookDictVersions.ForwardWrites, VersionOf(1));
        versions.Record(HookDictVersions.ForwardOrder, Order(1));
        versions.Record(HookDictVersions.ForwardNamed, VersionOf(6));
        versions.Record(HookDictVersions.ForwardAlways, VersionOf(7));
        versions.Record(HookDictVersions.PreWrites, VersionOf(0));
        versions.Record(HookDictVersions.PreOrder, Order(0));
        versions.Record(HookDictVersions.PreNamed, VersionOf(5));
        return versions;
    }

    private long* VersionOf(int index) => DictionaryVersions.AddressOf(new(_dictionaries[index]));

    // An OrderedDict that moves an entry to an end does not write the underlying dictionary. A single entry has no order.
    private long* Order(int index) =>
        *Count(index) > 1 && Python.TypeOf(new(_dictionaries[index])) == Imports.OrderedDict
            ? (long*)(_dictionaries[index] + (nint)Imports.OrderOffset) : Zero;

    private long* Count(int index) => (long*)(_dictionaries[index] + (nint)Imports.CountOffset);
}

using System.Runtime.InteropServices;
using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>
/// Dictionaries of a mirror, the Python module of a C# module, as Python last reported them: four hook dictionaries, the attributes, and
/// three with the flags of forward pre hooks and forward hooks.
/// </summary>
/// <remarks>
/// Python keeps a dictionary alive while the mirror has it. When Python rebinds a dictionary, another thread may be about to read the count
/// of the old dictionary. So this object takes a reference to the old dictionary (<see cref="Keep"/>). Its finalizer, which runs when no
/// thread uses this object any more, releases the reference. The object takes no reference to a dictionary that the mirror still has: the
/// attributes hold the child modules, which must be freed with the mirror (H-2).
/// </remarks>
internal sealed unsafe class MirrorDictionaries : HookCounts
{
    private const int DictionaryCount = 8;

    private static readonly long* Zero = (long*)NativeMemory.AllocZeroed(8); // A word that stays zero.

    private readonly IntPtr[] _dictionaries = new IntPtr[DictionaryCount];
    private readonly IntPtr _mirror;
    private IntPtr[] _kept = [];

    /// <param name="dictionaries">The addresses of the eight dictionaries.</param>
    /// <param name="mirror">The address of the mirror; zero if the mirror was freed or if the dictionaries are another module's.</param>
    internal MirrorDictionaries(long* dictionaries, IntPtr mirror)
    {
        _mirror = mirror;
        for (var i = 0; i < DictionaryCount; i++) _dictionaries[i] = (IntPtr)dictionaries[i];
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

    /// <summary>Returns a forward hook by its key; null if there is none. The GIL is held.</summary>
    internal OwnedReference GetForwardHook(long key)
    {
        using var number = Python.NewInt(key);
        var hook = Python.GetItem(new(_dictionaries[1]), number.Borrow());
        GC.KeepAlive(this);
        return hook.IsNull ? default : hook.NewReference();
    }

    /// <summary>Records the class that the mirror had when Python read the mirror. Does nothing without the mirror's address.</summary>
    internal void SetSeenClass(long type)
    {
        if (SeenAttributeDict != 0) Volatile.Write(ref SeenClass, type);
    }

    /// <summary>Returns whether the dictionaries and the mirror still have these addresses.</summary>
    internal bool AreCurrent(long* dictionaries, IntPtr mirror) =>
        mirror == _mirror && new ReadOnlySpan<IntPtr>(dictionaries, DictionaryCount).SequenceEqual(_dictionaries);

    /// <summary>Takes a reference to each dictionary that the mirror no longer has. The GIL is held.</summary>
    /// <param name="current">The addresses of the mirror's eight dictionaries now.</param>
    internal void Keep(long* current)
    {
        var others = new ReadOnlySpan<IntPtr>(current, DictionaryCount).ToArray();
        _kept = [.. _dictionaries.Except(others)];
        foreach (var dictionary in _kept) Python.IncRef(new(dictionary));
    }

    /// <summary>Returns the versions of the dictionaries of forward pre hooks, forward hooks and their flags. The GIL is held.</summary>
    internal HookDictVersions ReadVersions()
    {
        var versions = default(HookDictVersions);
        versions.Record(HookDictVersions.ForwardWrites, VersionOf(1));
        versions.Record(HookDictVersions.ForwardOrder, Order(1));
        versions.Record(HookDictVersions.ForwardKwargs, VersionOf(6));
        versions.Record(HookDictVersions.ForwardAlways, VersionOf(7));
        versions.Record(HookDictVersions.PreWrites, VersionOf(0));
        versions.Record(HookDictVersions.PreOrder, Order(0));
        versions.Record(HookDictVersions.PreKwargs, VersionOf(5));
        return versions;
    }

    private long* VersionOf(int index) => DictionaryVersions.AddressOf(new(_dictionaries[index]));

    // OrderedDict.move_to_end changes a word of the OrderedDict, not the version of the dictionary. A single entry has no order.
    private long* Order(int index) =>
        *Count(index) > 1 && Python.TypeOf(new(_dictionaries[index])) == Imports.OrderedDict
            ? (long*)(_dictionaries[index] + (nint)Imports.OrderOffset) : Zero;

    private long* Count(int index) => (long*)(_dictionaries[index] + (nint)Imports.CountOffset);
}

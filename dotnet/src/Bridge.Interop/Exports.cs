using System.Runtime.InteropServices;
using System.Text;
using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The one flat surface that Python calls: function pointers, by name.</summary>
/// <remarks>
/// Each is entered holding the GIL and runs in <see cref="Boundary"/>: what it throws is Python's pending error when it returns. What an export
/// gives belongs to its call: a Python object, or words that the caller has room for. Texts that come in are UTF-8 with a length.
/// </remarks>
public static unsafe partial class Exports
{
    /// <summary>The address of an export.</summary>
    /// <exception cref="ArgumentException">There is none of that name: Python and .NET are of different versions.</exception>
    public static long Address(string name) => name switch
    {
        "bind_python" => (long)(delegate* unmanaged<long*, long*, int>)&BindPython,
        "bind_objects" => (long)(delegate* unmanaged<long*, int>)&BindObjects,
        "bind_callbacks" => (long)(delegate* unmanaged<long*, long, long, int>)&BindCallbacks,
        "bind_torch" => (long)(delegate* unmanaged<byte*, int, IntPtr>)&BindTorch,
        "read_schemas" => (long)(delegate* unmanaged<byte*, int, int>)&ReadSchemas,
        "watch" => (long)(delegate* unmanaged<long, long*, long**, int>)&Watch,
        "load" => (long)(delegate* unmanaged<byte*, int, byte*, int, byte*, int, IntPtr>)&Load,
        "take" => (long)(delegate* unmanaged<long, int, long*, int>)&Take,
        "link" => (long)(delegate* unmanaged<long, int>)&Link,
        "adopt_hooks" => (long)(delegate* unmanaged<long, int>)&AdoptHooks,
        "bind" => (long)(delegate* unmanaged<long, long, long*, long*, int, int>)&Bind,
        "forward" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&Forward,
        "hook" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&Hook,
        "own" => (long)(delegate* unmanaged<long, long>)&Own,
        "free" => (long)(delegate* unmanaged<long, int>)&Free,
        "forget" => (long)(delegate* unmanaged<long, int>)&Forget,
        "forget_hook" => (long)(delegate* unmanaged<long, int>)&ForgetHook,
        "set_training" => (long)(delegate* unmanaged<long, int, int>)&SetTraining,
        "stands_no_more" => (long)(delegate* unmanaged<long, int>)&StandsNoMore,
        "record_start" => (long)(delegate* unmanaged<long*, int, int, long*, int>)&RecordStart,
        "record_event" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&RecordEvent,
        "record_inside" => (long)(delegate* unmanaged<long, int*, int>)&RecordInside,
        "record_here" => (long)(delegate* unmanaged<long, int, int*, int>)&RecordHere,
        "record_drain" => (long)(delegate* unmanaged<long, Drained*, int>)&RecordDrain,
        "record_value" => (long)(delegate* unmanaged<long, long, long*, int>)&RecordValue,
        "record_text" => (long)(delegate* unmanaged<long, long, IntPtr>)&RecordText,
        "record_write" => (long)(delegate* unmanaged<long, byte*, int, byte*, int, int>)&RecordWrite,
        "record_stop" => (long)(delegate* unmanaged<long, int>)&RecordStop,
        "recorders" => (long)(delegate* unmanaged<long, int>)&Recorders,
        "leave" => (long)(delegate* unmanaged<int>)&LeaveProcess,
        "live" => (long)(delegate* unmanaged<long*, int>)&Live,
        _ => throw new ArgumentException($"Bridge.Interop has no export '{name}'. The Python package and its assemblies are of different versions; run `make refresh` or reinstall.", nameof(name)),
    };

    /// <summary>The first call: until it returns nothing can fail in an orderly way.</summary>
    [UnmanagedCallersOnly]
    private static int BindPython(long* functions, long* errors)
    {
        Python.Bind(functions);
        Python.BindErrors(errors);
        return 0;
    }

    [UnmanagedCallersOnly]
    private static int BindObjects(long* table) => Boundary.Run(() => Objects.Bind(table));

    [UnmanagedCallersOnly]
    private static int BindCallbacks(long* table, long wrap, long borrow) => Boundary.Run(() =>
    {
        Callbacks.Bind(table);
        Python.BindWrap(wrap, borrow);
    });

    /// <summary>Binds libtorch; gives the operators whose schemas are wanted, a line each.</summary>
    [UnmanagedCallersOnly]
    private static IntPtr BindTorch(byte* path, int length) => Boundary.Give(() =>
    {
        Abi.Bind(Encoding.UTF8.GetString(path, length));
        return Encoding.UTF8.GetBytes(string.Join('\n', Runtime.Operators));
    });

    [UnmanagedCallersOnly]
    private static int ReadSchemas(byte* text, int length) => Boundary.Run(() => Schemas.Read(Encoding.UTF8.GetString(text, length)));

    /// <summary>Takes the namespace and the names of the four global dictionaries; gives the address of the epoch.</summary>
    [UnmanagedCallersOnly]
    private static int Watch(long space, long* names, long** epoch) => Boundary.Run(() =>
    {
        Watching.Begin((IntPtr)space, names);
        *epoch = ModuleLink.Epoch;
    });

    /// <summary>Makes a module and gives the description of its tree.</summary>
    [UnmanagedCallersOnly]
    private static IntPtr Load(byte* path, int pathLength, byte* type, int typeLength, byte* arguments, int argumentsLength) => Boundary.Give(() =>
    {
        var module = Loader.Create(Encoding.UTF8.GetString(path, pathLength), Encoding.UTF8.GetString(type, typeLength), Encoding.UTF8.GetString(arguments, argumentsLength));
        foreach (var item in module.modules()) MirrorLink.All.TryAdd(item.Id, new MirrorLink(item));
        return Description.Write(module, MirrorLink.Get(module.Id).Described = []);
    });

    /// <summary>A handle of the n-th tensor in the description of a module that is not linked yet; Python owns it.</summary>
    [UnmanagedCallersOnly]
    private static int Take(long id, int number, long* handle) => Boundary.Run(() => *handle = Abi.NewHandle(MirrorLink.Get(id).Described![number].Handle));

    /// <summary>From now on the module's tensors are the mirror's.</summary>
    [UnmanagedCallersOnly]
    private static int Link(long id) => Boundary.Run(() =>
    {
        var link = MirrorLink.Get(id);
        link.Slots = Description.Tensors(link.Module).Select(item =>
        {
            if (item.Tensor.Slot is MirrorLink.Slot tied) return tied;
            var slot = new MirrorLink.Slot(item.Name, link);
            Abi.delete_tensor(item.Tensor.Bind(slot));
            return slot;
        }).ToArray();
        link.Module.Link = link;
        link.Described = null;
    });

    /// <summary>Hooks that C# registered before the module was mirrored move into the mirror's dictionaries.</summary>
    [UnmanagedCallersOnly]
    private static int AdoptHooks(long id) => Boundary.Run(() =>
    {
        var link = MirrorLink.Get(id);
        foreach (var hook in link.Module.Registered.ToArray())
        {
            hook.Place?.Dispose();
            hook.Place = HookTable.Register(link, hook, inOrder: true);
        }
    });

    [UnmanagedCallersOnly]
    private static int Bind(long id, long epoch, long* objects, long* dictionaries, int flags) =>
        Boundary.Run(() => MirrorLink.Get(id).Bind(epoch, objects, dictionaries, (flags & 1) != 0, (flags & 2) != 0));

    /// <summary>A new owning handle for a TensorImpl that Python keeps alive; zero if libtorch could not make one.</summary>
    [UnmanagedCallersOnly]
    private static long Own(long impl)
    {
        long handle;
        return Abi.new_tensor_handle((IntPtr)(&impl), (IntPtr*)&handle) == 0 ? handle : 0;
    }

    [UnmanagedCallersOnly]
    private static int Free(long handle) => Abi.delete_tensor((IntPtr)handle);

    [UnmanagedCallersOnly]
    private static int Forget(long id) => Boundary.Run(() =>
    {
        if (MirrorLink.All.TryGetValue(id, out var link)) link.Forget();
    });

    [UnmanagedCallersOnly]
    private static int ForgetHook(long number) => Boundary.Run(() => HookTable.Forget(number));

    [UnmanagedCallersOnly]
    private static int SetTraining(long id, int training) => Boundary.Run(() =>
    {
        if (MirrorLink.All.TryGetValue(id, out var link)) link.Module.AdoptTraining(training != 0);
    });

    /// <summary>The Python exception at this address, which stood for what C# threw, is gone.</summary>
    [UnmanagedCallersOnly]
    private static int StandsNoMore(long exception) => Boundary.Run(() => Boundary.StandsNoMore((IntPtr)exception));

    /// <summary>Python is about to end: other threads go to sleep. Gives how many still have to.</summary>
    [UnmanagedCallersOnly]
    private static int LeaveProcess() => Leaving.Begin();

    /// <summary>Counts for leak tests: tensors' handles, mirrored modules, C# hooks in Python's dictionaries.</summary>
    [UnmanagedCallersOnly]
    private static int Live(long* counts) => Boundary.Run(() =>
    {
        Python.Drain();
        counts[0] = torch.Tensor.Live;
        counts[1] = MirrorLink.All.Count;
        counts[2] = HookTable.Count;
    });
}

using System.Runtime.InteropServices;
using System.Text;
using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The one flat surface that Python calls: function pointers, by name.</summary>
/// <remarks>
/// Each is entered holding the GIL, catches everything and returns a code of <see cref="Boundary"/>. Texts are UTF-8 with a length; a text that
/// comes back stays valid until the thread's next call of the same export.
/// </remarks>
public static unsafe partial class Exports
{
    [ThreadStatic]
    private static byte* _text;

    [ThreadStatic]
    private static List<torch.Tensor>? _described;

    /// <summary>The address of an export.</summary>
    /// <exception cref="ArgumentException">There is none of that name: Python and .NET are of different versions.</exception>
    public static long Address(string name) => name switch
    {
        "bind_python" => (long)(delegate* unmanaged<long*, int>)&BindPython,
        "bind_objects" => (long)(delegate* unmanaged<long*, int>)&BindObjects,
        "bind_callbacks" => (long)(delegate* unmanaged<long*, long, long, int>)&BindCallbacks,
        "bind_torch" => (long)(delegate* unmanaged<byte*, int, byte**, int*, int>)&BindTorch,
        "read_schemas" => (long)(delegate* unmanaged<byte*, int, int>)&ReadSchemas,
        "watch" => (long)(delegate* unmanaged<long, long*, long**, int>)&Watch,
        "load" => (long)(delegate* unmanaged<byte*, int, byte*, int, byte*, int, long*, byte**, int*, int>)&Load,
        "take" => (long)(delegate* unmanaged<int, long*, int>)&Take,
        "link" => (long)(delegate* unmanaged<long, int>)&Link,
        "adopt_hooks" => (long)(delegate* unmanaged<long, int>)&AdoptHooks,
        "bind" => (long)(delegate* unmanaged<long, long, long*, long*, int, int>)&Bind,
        "forward" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&Forward,
        "outcome" => (long)(delegate* unmanaged<int>)&Outcome,
        "hook" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&Hook,
        "own" => (long)(delegate* unmanaged<long, long>)&Own,
        "free" => (long)(delegate* unmanaged<long, int>)&Free,
        "forget" => (long)(delegate* unmanaged<long, int>)&Forget,
        "forget_hook" => (long)(delegate* unmanaged<long, int>)&ForgetHook,
        "set_training" => (long)(delegate* unmanaged<long, int, int>)&SetTraining,
        "failure" => (long)(delegate* unmanaged<byte**, int*, long*, int>)&Failure,
        "stands_for" => (long)(delegate* unmanaged<long, int>)&StandsFor,
        "stands_no_more" => (long)(delegate* unmanaged<long, int>)&StandsNoMore,
        "record_start" => (long)(delegate* unmanaged<long*, int, int, long*, int>)&RecordStart,
        "record_event" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&RecordEvent,
        "record_inside" => (long)(delegate* unmanaged<long, int*, int>)&RecordInside,
        "record_here" => (long)(delegate* unmanaged<long, int, int*, int>)&RecordHere,
        "record_drain" => (long)(delegate* unmanaged<long, Drained*, int>)&RecordDrain,
        "record_value" => (long)(delegate* unmanaged<long, long, long*, int>)&RecordValue,
        "record_text" => (long)(delegate* unmanaged<long, long, byte**, int*, int>)&RecordText,
        "record_write" => (long)(delegate* unmanaged<long, byte*, int, byte*, int, int>)&RecordWrite,
        "record_stop" => (long)(delegate* unmanaged<long, int>)&RecordStop,
        "recorders" => (long)(delegate* unmanaged<long, int>)&Recorders,
        "leave" => (long)(delegate* unmanaged<int>)&LeaveProcess,
        "live" => (long)(delegate* unmanaged<long*, int>)&Live,
        _ => throw new ArgumentException($"Bridge.Interop has no export '{name}'. The Python package and its assemblies are of different versions; run `make refresh` or reinstall.", nameof(name)),
    };

    [UnmanagedCallersOnly]
    private static int BindPython(long* table)
    {
        var outer = Boundary.Enter();
        try
        {
            Python.Bind(table);
            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    [UnmanagedCallersOnly]
    private static int BindObjects(long* table)
    {
        Objects.Bind(table);
        return Boundary.Ok;
    }

    [UnmanagedCallersOnly]
    private static int BindCallbacks(long* table, long wrap, long borrow)
    {
        Callbacks.Bind(table);
        Python.BindWrap(wrap, borrow);
        return Boundary.Ok;
    }

    /// <summary>Binds libtorch; gives back the operators whose schemas are wanted, a line each.</summary>
    [UnmanagedCallersOnly]
    private static int BindTorch(byte* path, int length, byte** operators, int* operatorsLength)
    {
        var outer = Boundary.Enter();
        try
        {
            Abi.Bind(Encoding.UTF8.GetString(path, length));
            Give(Encoding.UTF8.GetBytes(string.Join('\n', Runtime.Operators)), operators, operatorsLength);
            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    [UnmanagedCallersOnly]
    private static int ReadSchemas(byte* text, int length)
    {
        var outer = Boundary.Enter();
        try
        {
            Schemas.Read(Encoding.UTF8.GetString(text, length));
            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    /// <summary>Takes the namespace and the names of the four global dictionaries; gives the address of the epoch.</summary>
    [UnmanagedCallersOnly]
    private static int Watch(long space, long* names, long** epoch)
    {
        Watching.Begin((IntPtr)space, names);
        *epoch = ModuleLink.Epoch;
        return Boundary.Ok;
    }

    /// <summary>Makes a module and describes its tree.</summary>
    [UnmanagedCallersOnly]
    private static int Load(byte* path, int pathLength, byte* type, int typeLength, byte* arguments, int argumentsLength, long* id, byte** tree, int* treeLength)
    {
        var outer = Boundary.Enter();
        try
        {
            var module = Loader.Create(Encoding.UTF8.GetString(path, pathLength), Encoding.UTF8.GetString(type, typeLength), Encoding.UTF8.GetString(arguments, argumentsLength));
            foreach (var item in module.modules()) MirrorLink.All.TryAdd(item.Id, new MirrorLink(item));
            Give(Description.Write(module, _described = []), tree, treeLength);
            *id = module.Id;
            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    /// <summary>A handle of the n-th tensor of the module that this thread loaded last; Python owns it.</summary>
    [UnmanagedCallersOnly]
    private static int Take(int number, long* handle)
    {
        var outer = Boundary.Enter();
        try
        {
            *handle = Abi.NewHandle(_described![number].Handle);
            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    /// <summary>From now on the module's tensors are the mirror's.</summary>
    [UnmanagedCallersOnly]
    private static int Link(long id)
    {
        var outer = Boundary.Enter();
        try
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
            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    /// <summary>Hooks that C# registered before the module was mirrored move into the mirror's dictionaries.</summary>
    [UnmanagedCallersOnly]
    private static int AdoptHooks(long id)
    {
        var outer = Boundary.Enter();
        try
        {
            var link = MirrorLink.Get(id);
            foreach (var hook in link.Module.Registered.ToArray())
            {
                hook.Place?.Dispose();
                hook.Place = HookTable.Register(link, hook, inOrder: true);
            }

            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

    [UnmanagedCallersOnly]
    private static int Bind(long id, long epoch, long* objects, long* dictionaries, int flags)
    {
        var outer = Boundary.Enter();
        try
        {
            MirrorLink.Get(id).Bind(epoch, objects, dictionaries, (flags & 1) != 0, (flags & 2) != 0);
            return Boundary.Leave(outer);
        }
        catch (Exception exception)
        {
            return Boundary.Fail(exception, outer);
        }
    }

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
    private static int Forget(long id)
    {
        if (MirrorLink.All.TryGetValue(id, out var link)) link.Forget();
        return Boundary.Ok;
    }

    [UnmanagedCallersOnly]
    private static int ForgetHook(long number)
    {
        HookTable.Forget(number);
        return Boundary.Ok;
    }

    [UnmanagedCallersOnly]
    private static int SetTraining(long id, int training)
    {
        if (MirrorLink.All.TryGetValue(id, out var link)) link.Module.AdoptTraining(training != 0);
        return Boundary.Ok;
    }

    /// <summary>The thread's last failure: its description, and the Python exception that was passing, if any (borrowed).</summary>
    [UnmanagedCallersOnly]
    private static int Failure(byte** text, int* length, long* exception)
    {
        *text = Boundary.Describe(length);
        *exception = Boundary.PythonObject;
        return Boundary.Ok;
    }

    /// <summary>The Python exception at this address stands for the thread's last failure.</summary>
    [UnmanagedCallersOnly]
    private static int StandsFor(long exception)
    {
        Boundary.StandsFor((IntPtr)exception);
        return Boundary.Ok;
    }

    [UnmanagedCallersOnly]
    private static int StandsNoMore(long exception)
    {
        Boundary.StandsNoMore((IntPtr)exception);
        return Boundary.Ok;
    }

    /// <summary>Python is about to end: other threads go to sleep. Gives how many still have to.</summary>
    [UnmanagedCallersOnly]
    private static int LeaveProcess() => Leaving.Begin();

    /// <summary>Counts for leak tests: tensors' handles, mirrored modules, C# hooks in Python's dictionaries.</summary>
    [UnmanagedCallersOnly]
    private static int Live(long* counts)
    {
        Python.Drain();
        counts[0] = torch.Tensor.Live;
        counts[1] = MirrorLink.All.Count;
        counts[2] = HookTable.Count;
        return Boundary.Ok;
    }

    private static void Give(byte[] bytes, byte** text, int* length)
    {
        NativeMemory.Free(_text);
        _text = (byte*)NativeMemory.Alloc((nuint)Math.Max(bytes.Length, 1));
        bytes.CopyTo(new Span<byte>(_text, bytes.Length));
        *text = _text;
        *length = bytes.Length;
    }
}

using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using Bridge.Interop.Surface;
using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The one flat surface that Python calls. Here are the bodies; bridge/clr/call/boundary.json lists them.</summary>
/// <remarks>
/// Each export is a builtin of Python, made by the generator: it is entered holding the GIL, converts its arguments, runs the body in
/// <see cref="Boundary"/>, so that what it throws is Python's pending error when it returns, and hands its result over as a Python object.
/// An address or a handle is an int.
/// </remarks>
public static unsafe partial class Exports
{
    /// <summary>The first call, and the only one that is a plain C function: takes what the manifest calls imports, by name.</summary>
    /// <param name="names">UTF-8, a line each.</param>
    /// <param name="length">Bytes of it.</param>
    /// <param name="values">As many addresses or numbers.</param>
    /// <returns>0, or the place of a name that is unknown, counted from 1.</returns>
    [UnmanagedCallersOnly]
    private static int Bind(byte* names, int length, long* values)
    {
        if (Abi.Failure is null)
        {
            Abi.Failure = Python.Pending;
            PythonHooks.Current = new HookTable();
            FunctionCall.Apply = FunctionTable.Apply;
            ModuleLink.Find = id => MirrorLink.Get(id).Module;
            AppDomain.CurrentDomain.ProcessExit += (_, _) => Shutdown.End();
        }

        var place = 0;
        foreach (var name in Encoding.UTF8.GetString(names, length).Split('\n'))
        {
            if (!Imports.Set(name, values[place])) return place + 1;
            place++;
        }

        WrappedNumber.Know(Imports.WrappedOffset, Imports.WrappedMask);
        return 0;
    }

    /// <summary>Binds libtorch; gives the operators whose schemas are wanted, a line each.</summary>
    private static string BindTorch(string path)
    {
        Abi.Bind(path);
        return string.Join('\n', Runtime.Operators);
    }

    private static void ReadSchemas(string schemas) => Schemas.Read(schemas);

    /// <summary>Takes the namespace and the names of the four global dictionaries; gives the address of the epoch.</summary>
    private static long Watch(IntPtr space, IntPtr* names, int count)
    {
        Watching.Begin(space, new ReadOnlySpan<IntPtr>(names, count));
        return (long)ModuleLink.Epoch;
    }

    /// <summary>What a compiled assembly lacks, class by class, a line each; nothing of it is loaded.</summary>
    private static string Surface(string path)
    {
        using var check = AssemblyCheck.Check(File.ReadAllBytes(path), path);
        return SurfaceReport.Lines(check);
    }

    /// <summary>Makes a module and gives the description of its tree.</summary>
    private static byte[] Load(string path, string type, string arguments, long forwardFires)
    {
        List<string> notes = [];
        var module = Python.Released(() =>
        {
            using var unscoped = DisposeScopeManager.WithoutScope();
            var made = Loader.Create(path, type, arguments, forwardFires != 0, notes);
            StaticFields.Initialize(made.Tree.Select(item => item.GetType()).ToHashSet());
            return made;
        });
        return Described(module, [], notes);
    }

    /// <summary>Makes the hooks of a C# class and gives their description.</summary>
    private static byte[] LoadHook(string path, string type, string arguments) => Python.Released(() =>
    {
        using var unscoped = DisposeScopeManager.WithoutScope();
        return Loader.CreateHooks(path, type, arguments);
    });

    /// <summary>A new reference to the value of a public field or property of a loaded hook's object.</summary>
    private static IntPtr HookValue(long number, string name)
    {
        var scope = DisposeScope.Suspend();
        MirrorLink.Enter();
        try
        {
            return Objects.Write(Python.Released(() => LoadedHooks.Value(number, name)));
        }
        finally
        {
            MirrorLink.Leave();
            DisposeScope.Resume(scope);
        }
    }

    /// <summary>Copies a mirrored module, with what is below it (1) or alone (0). Gives the description of the copy's tree, in which tensors have no number: Python has them.</summary>
    private static byte[] Copy(long id, long deep)
    {
        var link = MirrorLink.Get(id);
        // The tensors of other mirrored modules can be read too.
        var tree = link.Acquire();
        try
        {
            // Dictionaries are filled again, by comparers that may be the user's.
            IReadOnlyDictionary<torch.nn.Module, torch.nn.Module>? originals = null;
            var copy = Python.Released(() => deep == 0 ? ModuleCopy.Shallow(link.Module) : ModuleCopy.Deep(link.Module, out originals));
            return Described(copy, null, [], originals);
        }
        finally
        {
            MirrorLink.Release(tree);
        }
    }

    private static byte[] Described(
        torch.nn.Module module, List<torch.Tensor>? tensors, IReadOnlyCollection<string> notes, IReadOnlyDictionary<torch.nn.Module, torch.nn.Module>? originals = null)
    {
        // A copy of what represents a module of Python's: Python copies the module.
        foreach (var item in module.Tree.Where(item => !item.IsPythonProxy)) MirrorLink.All.TryAdd(item.Id, new MirrorLink(item));
        return Description.Write(module, MirrorLink.Get(module.Id).Described = tensors, notes, originals);
    }

    /// <summary>The description of a collection that C# changed, and of what is below it.</summary>
    private static byte[] Describe(long id) => Described(MirrorLink.Get(id).Module, [], []);

    /// <summary>A collection can have a mirrored module as an entry.</summary>
    private static bool Fits(long id, long entry) => MirrorLink.All.TryGetValue(entry, out var link) && MirrorLink.Get(id).Module.Fits(link.Module);

    /// <summary>Makes the object that represents a module of Python's: JSON of its id, the names of its tensors, and what its own entries are (modules, parameters or null).</summary>
    /// <param name="id">The collection that has it.</param>
    /// <param name="hook">The hook with types that sees it, if no collection has it.</param>
    /// <param name="description">JSON: <c>type</c>, the name of its class, <c>classes</c>, those of TorchSharp's that it could be of, <c>tensors</c> [name, is a parameter, is persistent].</param>
    private static byte[] StandIn(long id, long hook, string description)
    {
        using var json = JsonDocument.Parse(description);
        var root = json.RootElement;
        var type = root.GetProperty("type").GetString()!;
        var classes = root.GetProperty("classes").EnumerateArray().Select(item => item.GetString()!);
        var chosen = hook == 0 ? PythonModuleProxies.ForEntry(MirrorLink.Get(id).Module, type, classes) : PythonModuleProxies.ForHook(HookTable.Get(hook), classes);
        var made = PythonModuleProxies.Create(chosen, type, root.GetProperty("tensors").EnumerateArray().Select(item => (item[0].GetString()!, item[1].GetBoolean(), item[2].GetBoolean())));
        MirrorLink.All[made.Id] = new MirrorLink(made);
        var entries = made.EntryType is not { } item ? "null" : item.IsAssignableTo(typeof(torch.Tensor)) ? "\"parameters\"" : "\"modules\"";
        var names = string.Join(", ", made.LinkedTensors.Select(item => $"\"{JsonEncodedText.Encode(item.Name)}\""));
        return Encoding.UTF8.GetBytes($"{{\"id\": {made.Id}, \"names\": [{names}], \"entries\": {entries}}}");
    }

    /// <summary>A collection has these entries in Python now: JSON of names, each with the id of a module (0 for None) or the address of a parameter.</summary>
    private static void BindEntries(long id, string entries)
    {
        var link = MirrorLink.Get(id);
        using var json = JsonDocument.Parse(entries);
        var items = json.RootElement.EnumerateArray().Select(item => (Name: item[0].GetString()!, Number: item[1].GetInt64())).ToList();
        if (link.Module.EntryType!.IsAssignableTo(typeof(torch.Tensor)))
        {
            // An object that a tensor of C# has already stays its.
            var known = link.Module.OwnParameters.Where(item => item.Value.Slot is MirrorSlot { Object: not 0 }).GroupBy(item => ((MirrorSlot)item.Value.Slot!).Object).ToDictionary(group => group.Key, group => group.First().Value);
            link.Module.SetEntriesFromPython(items.Select(item => (item.Name, (object?)(known.GetValueOrDefault(item.Number) ?? torch.Tensor.Blank(typeof(TorchSharp.Modules.Parameter))))).ToList());
            link.Join();
        }
        else
        {
            var modules = items.Select(item => (item.Name, Module: item.Number == 0 ? null : MirrorLink.Get(item.Number).Module)).ToList();
            MirrorLink.AcquireLate(modules.Select(item => item.Module).OfType<torch.nn.Module>().Except(link.Module.KnownChildren.Select(item => item.Module)));
            link.Module.SetEntriesFromPython(modules.Select(item => (item.Name, (object?)item.Module)).ToList());
        }
    }

    /// <summary>Calls that are under way may use these objects: they live until those have ended.</summary>
    private static void Keep(IntPtr* objects, int count) => CallEra.Keep(new ReadOnlySpan<IntPtr>(objects, count));

    /// <summary>A tensor of a module, by its place among parameters and buffers, is no longer the one that another module has.</summary>
    private static void Untie(long id, long place) => MirrorLink.Get(id).Untie((int)place);

    /// <summary>A handle of the n-th tensor in the description of a module that is not linked yet; Python owns it.</summary>
    private static long Take(long id, long number)
    {
        var tensor = MirrorLink.Get(id).Described![(int)number];
        // A static tensor may be another model's already: then it is that one's Python object.
        return (long)(tensor.Slot is MirrorSlot slot ? slot.NewHandle() : tensor.NewHandle());
    }

    /// <summary>From now on the module's tensors are the mirror's.</summary>
    private static void Link(long id)
    {
        var link = MirrorLink.Get(id);
        link.Join();
        link.Module.Link = link;
        link.Described = null;
    }

    /// <summary>Hooks that C# registered before the module was mirrored move into the mirror's dictionaries.</summary>
    private static void AdoptHooks(long id)
    {
        var link = MirrorLink.Get(id);
        foreach (var hook in link.Module.Registered.ToArray())
        {
            hook.Registration?.Dispose();
            hook.Registration = HookTable.Register(id, hook, inOrder: true);
        }
    }

    /// <summary>Python reports what a mirror has now; the addresses are those of arrays, see <see cref="MirrorLink.Bind"/>. False if it came too late.</summary>
    private static bool BindLink(long id, long epoch, long objects, long dictionaries, long version, long flags, long count) =>
        MirrorLink.Get(id).Bind(epoch, (long*)objects, (long*)dictionaries, version, (LinkFlags)flags, count);

    /// <summary>This thread runs the <c>forward</c> of the module.</summary>
    private static bool IsRunning(long id) => MirrorLink.Get(id).IsRunning;

    /// <summary>A new owning handle for a TensorImpl that Python keeps alive; zero if libtorch could not make one.</summary>
    private static long Own(long impl)
    {
        long handle;
        return Abi.new_tensor_handle((IntPtr)(&impl), (IntPtr*)&handle) == 0 ? handle : 0;
    }

    private static void Free(long handle) => Abi.delete_tensor((IntPtr)handle);

    private static void Forget(long id)
    {
        if (id < 0) PythonModule.Forget(id);
        else if (MirrorLink.All.TryGetValue(id, out var link)) link.Forget();
    }

    private static void Leave(long id)
    {
        if (MirrorLink.All.TryGetValue(id, out var link)) link.Vacate();
    }

    private static void ForgetHook(long number) => HookTable.Forget(number);

    /// <summary>Python wrote an attribute that C# has as a property: the value is the only item. False if C# cannot take it.</summary>
    private static bool SetProperty(long id, string name, IntPtr* value, int count)
    {
        if (!MirrorLink.All.TryGetValue(id, out var link)) return false;
        var taken = BuiltInProperties.SetFromPython(link.Module, name, Objects.Read(value, count, lenient: true)[0]);
        link.ForgetOperator();
        return taken;
    }

    /// <summary>The address of what CPython is to call before a watched dictionary is written.</summary>
    private static long DictionaryWatcher() => DictionaryVersions.Watcher;

    /// <summary>The Python exception at this address, which represented what C# threw, is gone.</summary>
    private static void ForgetException(long exception) => Boundary.ForgetException((IntPtr)exception);

    /// <summary>Of the .NET that runs.</summary>
    private static string Version() => Environment.Version.ToString();

    /// <summary>pythonnet does nothing at the end of the process; the address of <c>Py_IsFinalizing</c>, or 0 where pythonnet finds it.</summary>
    private static void SettlePythonnet(long isFinalizing) => Pythonnet.Settle((IntPtr)isFinalizing);

    /// <summary>Python is about to end: puts other threads to sleep. Returns how many are not asleep yet.</summary>
    private static long BeginShutdown() => Shutdown.Begin();

    /// <summary>Counts of calls with hooks that went through Python.</summary>
    private static Crossed Crossed() => new() { Calls = Interlocked.Read(ref Callbacks.Calls), Hooks = Interlocked.Read(ref _hooks) };

    /// <summary>Counts for leak tests.</summary>
    private static Live Live()
    {
        Python.Drain();
        return new() { Tensors = torch.Tensor.Live, Modules = MirrorLink.All.Count, Hooks = HookTable.Count, Functions = FunctionTable.Count };
    }
}

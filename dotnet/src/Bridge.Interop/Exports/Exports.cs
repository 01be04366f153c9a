using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using Bridge.Interop.Surface;
using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The bodies of the functions that Python calls. The manifest <c>bridge/clr/call/boundary.json</c> declares them.</summary>
/// <remarks>
/// The source generator makes each body a Python builtin, which converts the arguments, runs the body in <see cref="Boundary"/> and
/// converts the result. The GIL is held. An exception becomes Python's pending error. Addresses and handles are Python ints. The mirror of
/// a C# module is the Python module that represents it. A collection is a module with entries, such as ModuleList or ParameterDict.
/// </remarks>
public static unsafe partial class Exports
{
    /// <summary>Sets the imports that the manifest declares, by name. Python calls this C function before any builtin.</summary>
    /// <param name="names">The names in UTF-8, one per line.</param>
    /// <param name="length">The length of the names in bytes.</param>
    /// <param name="values">The addresses or numbers, one for each name.</param>
    /// <returns>0, or the position of the first unknown name, counted from 1.</returns>
    [UnmanagedCallersOnly]
    private static int Bind(byte* names, int length, long* values)
    {
        if (Abi.Failure is null)
        {
            Abi.Failure = Python.TakeOperatorError;
            PythonHooks.Current = new HookTable();
            PythonScripts.Current = new ScriptsInPython();
            FunctionCall.Apply = FunctionTable.Apply;
            torch.utils.Checkpoint = Callbacks.Checkpoint;
            ModuleLink.Find = id => MirrorLink.Get(id).Module;
            AppDomain.CurrentDomain.ProcessExit += (_, _) => Shutdown.End();
        }

        var index = 0;
        foreach (var name in Encoding.UTF8.GetString(names, length).Split('\n'))
        {
            if (!Imports.Set(name, values[index])) return index + 1;
            index++;
        }

        WrappedNumber.Know(Imports.WrappedOffset, Imports.WrappedMask);
        return 0;
    }

    /// <summary>Binds libtorch. Returns the operators whose schemas <see cref="ReadSchemas"/> needs, one per line.</summary>
    /// <param name="path">The path of libtorch_cpu.</param>
    /// <param name="assemblies">The folder of this project's assemblies.</param>
    private static string BindTorch(string path, string assemblies)
    {
        Origin.Folder = assemblies;
        Abi.Bind(path);
        return string.Join('\n', Runtime.Operators);
    }

    private static void ReadSchemas(string schemas) => Schemas.Read(schemas);

    /// <summary>Returns the address of a function of Bridge.InProcess (<see cref="InProcessContext.Address"/>).</summary>
    private static long InProcessFunction(string library, string native, string libtorch, string name) =>
        Python.WithoutGil(() => InProcessContext.Address(library, native, libtorch, name));

    /// <summary>Binds the global hook dictionaries. Returns the address of the counter <see cref="ModuleLink.Epoch"/>.</summary>
    private static long BindGlobalHooks(BorrowedReference space, BorrowedReference* names, int count)
    {
        GlobalHookDictionaries.Bind(space, new ReadOnlySpan<IntPtr>(names, count));
        return (long)ModuleLink.Epoch;
    }

    /// <summary>
    /// Returns the classes of an assembly, with the TorchSharp members that they need and Bridge.Torch lacks
    /// (<see cref="SurfaceReport.Lines"/>). Does not load the assembly.
    /// </summary>
    private static string ReadSurface(string path)
    {
        using var check = AssemblyCheck.Check(File.ReadAllBytes(path), path);
        return SurfaceReport.Lines(check);
    }

    /// <summary>Creates a module and returns the description of its tree.</summary>
    private static byte[] Load(string path, string type, string arguments, long forwardFires, long registerComponents)
    {
        List<string> notes = [];
        var module = Python.WithoutGil(() =>
        {
            using var unscoped = DisposeScopeManager.WithoutScope();
            var made = Loader.Create(path, type, arguments, forwardFires != 0, registerComponents != 0, notes);
            StaticFields.Initialize(made.Tree.Select(item => item.GetType()).ToHashSet());
            return made;
        });
        return DescribeTree(module, [], notes);
    }

    /// <summary>Creates the hooks of a C# class or static method and returns their description.</summary>
    private static byte[] LoadHook(string path, string type, string arguments) => Python.WithoutGil(() =>
    {
        using var unscoped = DisposeScopeManager.WithoutScope();
        return Loader.CreateHooks(path, type, arguments);
    });

    /// <summary>Returns the value of a public field or property of a loaded hook's object.</summary>
    private static OwnedReference HookValue(long number, string name)
    {
        var scope = DisposeScope.Suspend();
        MirrorLink.Enter();
        try
        {
            return Converter.ToPython(Python.WithoutGil(() => LoadedHooks.GetValue(number, name)));
        }
        finally
        {
            MirrorLink.Leave();
            DisposeScope.Resume(scope);
        }
    }

    /// <summary>
    /// Copies a mirrored module deeply (1) or shallowly (0). Returns the description of the copied tree, in which each tensor's number is
    /// null, since Python copies the tensors.
    /// </summary>
    private static byte[] Copy(long id, long deep)
    {
        var link = MirrorLink.Get(id);
        // The copy may read the tensors of other mirrored modules.
        var tree = link.Acquire();
        try
        {
            // Without the GIL, because a deep copy refills dictionaries, which may run comparers of the user.
            IReadOnlyDictionary<torch.nn.Module, torch.nn.Module>? originals = null;
            var copy = Python.WithoutGil(() => deep == 0 ? ModuleCopy.Shallow(link.Module) : ModuleCopy.Deep(link.Module, out originals));
            return DescribeTree(copy, null, [], originals);
        }
        finally
        {
            MirrorLink.Release(tree);
        }
    }

    private static byte[] DescribeTree(
        torch.nn.Module module, List<torch.Tensor>? tensors, IReadOnlyCollection<string> notes,
        IReadOnlyDictionary<torch.nn.Module, torch.nn.Module>? originals = null)
    {
        // Python copies its own modules itself, so the C# proxies of Python modules get no link.
        foreach (var item in module.Tree.Where(item => !item.IsPythonProxy)) MirrorLink.All.TryAdd(item.Id, new MirrorLink(item));
        return Description.Write(module, MirrorLink.Get(module.Id).Described = tensors, notes, originals);
    }

    /// <summary>Returns the description of a collection that C# changed, and of its descendants.</summary>
    private static byte[] Describe(long id) => DescribeTree(MirrorLink.Get(id).Module, [], []);

    /// <summary>Returns whether a collection accepts a mirrored module as an entry.</summary>
    private static bool AcceptsEntry(long id, long entry) =>
        MirrorLink.All.TryGetValue(entry, out var link) && MirrorLink.Get(id).Module.Fits(link.Module);

    /// <summary>Creates the C# proxy of a Python module.</summary>
    /// <param name="id">The collection that holds the module; unused if <paramref name="hook"/> is not 0.</param>
    /// <param name="hook">The number of the C# hook that gets the module; 0 if a collection holds the module.</param>
    /// <param name="description">
    /// A JSON object:
    /// <list type="bullet">
    /// <item><c>type</c>: the name of the module's class</item>
    /// <item><c>classes</c>: the names of the TorchSharp classes that the proxy may derive from</item>
    /// <item><c>tensors</c>: an array for each parameter and buffer: its name, whether it is a parameter, and whether it is
    /// persistent</item>
    /// </list>
    /// </param>
    /// <returns>
    /// A JSON object:
    /// <list type="bullet">
    /// <item><c>id</c>: the id of the proxy</item>
    /// <item><c>names</c>: the names of the proxy's tensors</item>
    /// <item><c>entries</c>: <c>"modules"</c> or <c>"parameters"</c> if the proxy is a collection of these; otherwise null</item>
    /// </list>
    /// </returns>
    private static byte[] CreateProxy(long id, long hook, string description)
    {
        using var json = JsonDocument.Parse(description);
        var root = json.RootElement;
        var type = root.GetProperty("type").GetString()!;
        var classes = root.GetProperty("classes").EnumerateArray().Select(item => item.GetString()!);
        var chosen = hook == 0
            ? PythonModuleProxies.ForEntry(MirrorLink.Get(id).Module, type, classes)
            : PythonModuleProxies.ForHook(HookTable.Get(hook), classes);
        var tensors = root.GetProperty("tensors").EnumerateArray()
            .Select(item => (item[0].GetString()!, item[1].GetBoolean(), item[2].GetBoolean()));
        var module = PythonModuleProxies.Create(chosen, type, tensors);
        MirrorLink.All[module.Id] = new MirrorLink(module);
        var entries = module.EntryType is not { } entry ? "null"
            : entry.IsAssignableTo(typeof(torch.Tensor)) ? "\"parameters\"" : "\"modules\"";
        var names = string.Join(", ", module.LinkedTensors.Select(item => $"\"{JsonEncodedText.Encode(item.Name)}\""));
        return Encoding.UTF8.GetBytes($"{{\"id\": {module.Id}, \"names\": [{names}], \"entries\": {entries}}}");
    }

    /// <summary>Gives a C# collection the entries that its mirror has.</summary>
    /// <param name="id">The collection.</param>
    /// <param name="entries">A JSON array of pairs: a name, and the id of a module (0 for None) or the address of a parameter.</param>
    private static void BindEntries(long id, string entries)
    {
        var link = MirrorLink.Get(id);
        using var json = JsonDocument.Parse(entries);
        var items = json.RootElement.EnumerateArray().Select(item => (Name: item[0].GetString()!, Number: item[1].GetInt64())).ToList();
        if (link.Module.EntryType!.IsAssignableTo(typeof(torch.Tensor)))
        {
            // A parameter that is bound to the same Python object stays the same C# object.
            var known = link.Module.OwnParameters.Where(item => item.Value.Slot is MirrorSlot { Object: not 0 })
                .GroupBy(item => ((MirrorSlot)item.Value.Slot!).Object).ToDictionary(group => group.Key, group => group.First().Value);
            torch.Tensor Parameter(long address) =>
                known.GetValueOrDefault(address) ?? torch.Tensor.Blank(typeof(TorchSharp.Modules.Parameter));
            link.Module.SetEntriesFromPython(items.Select(item => (item.Name, (object?)Parameter(item.Number))).ToList());
            link.Join();
        }
        else
        {
            var modules = items.Select(item => (item.Name, Module: item.Number == 0 ? null : MirrorLink.Get(item.Number).Module)).ToList();
            var before = link.Module.KnownChildren.Select(item => item.Module);
            MirrorLink.AcquireLate(modules.Select(item => item.Module).OfType<torch.nn.Module>().Except(before));
            link.Module.SetEntriesFromPython(modules.Select(item => (item.Name, (object?)item.Module)).ToList());
        }
    }

    /// <summary>Keeps Python objects alive until the calls in progress, which may use them, have ended.</summary>
    private static void Keep(BorrowedReference* objects, int count) => CallEra.Keep(new ReadOnlySpan<IntPtr>(objects, count));

    /// <summary>
    /// Gives a tied parameter or buffer of a module a C# tensor of its own, after Python has replaced the tensor under one of its names.
    /// </summary>
    /// <param name="id">The module.</param>
    /// <param name="index">The index of the tensor among the module's parameters and buffers.</param>
    private static void Untie(long id, long index) => MirrorLink.Get(id).Untie((int)index);

    /// <summary>Returns a new handle, which Python owns, of a tensor in the description of a module that is not linked yet.</summary>
    private static long DescribedTensor(long id, long number)
    {
        var tensor = MirrorLink.Get(id).Described![(int)number];
        // A tensor in a static field may belong to another model, too, and then has a Python object.
        return (long)(tensor.Slot is MirrorSlot slot ? slot.NewHandle() : tensor.NewHandle());
    }

    /// <summary>Binds a module's tensors to its mirror.</summary>
    private static void Link(long id)
    {
        var link = MirrorLink.Get(id);
        link.Join();
        link.Module.Link = link;
        link.Described = null;
    }

    /// <summary>Moves the hooks that C# registered before the module had a mirror into the mirror's dictionaries.</summary>
    private static void AdoptHooks(long id)
    {
        var link = MirrorLink.Get(id);
        foreach (var hook in link.Module.Registered.ToArray())
        {
            hook.Registration?.Dispose();
            hook.Registration = HookTable.Register(id, hook, inOrder: true);
        }
    }

    /// <summary>
    /// Applies a report from Python: a mirror's tensors, dictionaries and flags. Returns whether the report was applied
    /// (<see cref="MirrorLink.Bind"/>).
    /// </summary>
    private static bool BindLink(long id, long epoch, long objects, long dictionaries, long version, long flags, long count) =>
        MirrorLink.Get(id).Bind(epoch, (long*)objects, (long*)dictionaries, version, (LinkFlags)flags, count);

    /// <summary>Returns whether this thread is running the <c>forward</c> of a module.</summary>
    private static bool IsRunning(long id) => MirrorLink.Get(id).IsRunning;

    /// <summary>Returns a new owning handle for a TensorImpl that Python keeps alive; zero if libtorch could not make one.</summary>
    private static long NewHandle(long impl)
    {
        long handle;
        return Abi.new_tensor_handle((IntPtr)(&impl), (IntPtr*)&handle) == 0 ? handle : 0;
    }

    private static void FreeHandle(long handle) => Abi.delete_tensor((IntPtr)handle);

    /// <summary>Forgets a module whose mirror was freed or not created; if the id is negative, a Python module that was freed.</summary>
    private static void Forget(long id)
    {
        if (id < 0) PythonModule.Forget(id);
        else if (MirrorLink.All.TryGetValue(id, out var link)) link.Forget();
    }

    /// <summary>Detaches a module from its mirror, which is being freed (<see cref="MirrorLink.Detach"/>).</summary>
    private static void DetachMirror(long id)
    {
        if (MirrorLink.All.TryGetValue(id, out var link)) link.Detach();
    }

    private static void ForgetHook(long number) => HookTable.Forget(number);

    /// <summary>Sets a C# property to the value to which Python has set the mirror's attribute of the same name.</summary>
    /// <returns>False if C# has no such property or cannot take the value, or the mirror was freed.</returns>
    private static bool SetProperty(long id, string name, BorrowedReference* value, int count)
    {
        if (!MirrorLink.All.TryGetValue(id, out var link)) return false;
        var taken = BuiltInProperties.SetFromPython(link.Module, name, Converter.ToDotNet(value, count, lenient: true)[0]);
        link.ForgetOperator();
        return taken;
    }

    /// <summary>Returns the address of the dictionary watcher that CPython calls before a write.</summary>
    private static long DictionaryWatcher() => DictionaryVersions.Watcher;

    /// <summary>Forgets the C# exception that belongs to the freed Python exception at this address.</summary>
    private static void ForgetException(long exception) => Boundary.ForgetException((IntPtr)exception);

    private static string Version() => Environment.Version.ToString();

    /// <summary>Turns off pythonnet's handling of the end of the process (<see cref="Pythonnet.DisableExit"/>).</summary>
    private static void DisablePythonnetExit(long isFinalizing) => Pythonnet.DisableExit((IntPtr)isFinalizing);

    /// <summary>Begins the shutdown of Python (<see cref="Shutdown.Begin"/>). Returns the number of threads that still compute.</summary>
    private static long BeginShutdown() => Shutdown.Begin();

    /// <summary>Returns the numbers of module calls that .NET passed to Python, and of runs of C# hooks by Python.</summary>
    private static CallCounts CallCounts() =>
        new() { Calls = Interlocked.Read(ref Callbacks.Calls), Hooks = Interlocked.Read(ref _hookRuns) };

    /// <summary>Returns the numbers of live objects, for leak tests.</summary>
    private static LiveCounts LiveCounts()
    {
        Python.ReleasePending();
        return new()
        {
            Tensors = torch.Tensor.Live,
            Modules = MirrorLink.All.Count,
            Hooks = HookTable.Count,
            Functions = FunctionTable.Count,
        };
    }
}

using System.Collections.Concurrent;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The link of a C# module to its mirror, the Python module that represents it.</summary>
/// <remarks>
/// <para>Python owns the parameters. C# holds no handles to them between calls, because swapping a tensor's TensorImpl requires that
/// nothing else refers to it. A call from Python acquires handles to the tensors of the module and its descendants, and releases the
/// handles when the call ends. Acquiring reads each tensor object's TensorImpl again, so C# sees a swapped tensor.</para>
/// <para>C# may call the overridden members and <see cref="Compute"/> without the GIL. They take the GIL to call Python. The other
/// members that change the link run with the GIL held, which serves as the lock.</para>
/// </remarks>
internal sealed unsafe partial class MirrorLink(torch.nn.Module module) : ModuleLink(module)
{
    /// <summary>The links of all mirrored modules, by id.</summary>
    internal static readonly ConcurrentDictionary<long, MirrorLink> All = new();

    // How deeply calls with one tensor may nest without a check of Python's recursion limit.
    private const int MaxUnchecked = 12;

    [ThreadStatic]
    private static int _nesting;

    private static MirrorLink? _last;

    // Recently bound or called links, by the addresses of their mirrors: a direct-mapped cache.
    private static readonly MirrorLink?[] Cached = new MirrorLink?[256];

    private Tuple<MirrorLink[], int>? _tree;
    private volatile bool _forgotten;
    private volatile bool _computed;

    // The address of the mirror while it exists; not owned.
    private IntPtr _object;

    // `Versions` when IsOrdinary was last found to be true.
    private ulong _ordinary = ulong.MaxValue;

    /// <summary>The module's parameters and buffers, in the order of its <see cref="Description"/>.</summary>
    internal MirrorSlot[] Slots { get; set; } = [];

    /// <summary>The tensors in the description of the module's tree, until the tree is linked to its mirrors.</summary>
    internal List<torch.Tensor>? Described { get; set; }

    /// <summary>The links of this module and its descendants.</summary>
    private MirrorLink[] Tree
    {
        get
        {
            // Threads without the GIL read `_tree`. So one object holds the links and the value of EntryChanges for which they are valid.
            var changes = torch.nn.Module.EntryChanges;
            if (_tree is not { } known || known.Item2 != changes)
                _tree = known = new([.. Module.KnownTree.Select(module => module.Link).OfType<MirrorLink>()], changes);
            return known.Item1;
        }
    }

    /// <summary>Returns the link of a mirrored module.</summary>
    /// <exception cref="ObjectDisposedException">The mirror was freed.</exception>
    internal static MirrorLink Get(long id)
    {
        // The link is nearly always that of the previous call.
        if (_last is { } last && last.Module.Id == id) return last;
        if (!All.TryGetValue(id, out var link)) throw Freed();
        _last = link;
        return link;
    }

    /// <summary>Returns the link of a mirror if it is in the cache; null otherwise.</summary>
    internal static MirrorLink? FindCached(IntPtr mirror) => Cached[CacheIndex(mirror)] is { } link && link._object == mirror ? link : null;

    /// <summary>
    /// Whether <c>torch.Tensor.add</c>, the mirror's <c>forward</c> and the methods that run it, such as <c>_call_impl</c>, are the
    /// original ones. The result true is cached until the mirror's class or torch.Tensor changes.
    /// </summary>
    internal bool IsOrdinary
    {
        get
        {
            var versions = Versions;
            if (versions == _ordinary) return true;
            if (!Callbacks.IsOrdinary(Module.Id)) return false;
            // The result is cached only if the versions are known and have not changed: Callbacks.IsOrdinary may have given the class a
            // new version, and another thread may have changed the class.
            if (versions != 0 && versions == Versions) _ordinary = versions;
            return true;
        }
    }

    // The versions of the mirror's class and of torch.Tensor; 0 while one of them has none.
    private ulong Versions
    {
        get
        {
            var (own, tensor) = (Python.VersionOf(Python.TypeOf(new(_object))), Python.VersionOf(Imports.Tensor));
            return own == 0 || tensor == 0 ? 0 : (ulong)own << 32 | tensor;
        }
    }

    /// <summary>Whether the mirror object has its own <c>_call_impl</c>, or <c>torch.compile</c>'s <c>_compiled_call_impl</c>.</summary>
    internal bool IsIntercepted { get; private set; }

    /// <summary>Puts the link into the cache of <see cref="FindCached"/>.</summary>
    internal void CacheMirror() => Cached[CacheIndex(_object)] = this;

    // Python objects are aligned to 16 bytes.
    private static int CacheIndex(IntPtr mirror) => (int)(mirror >> 4) & (Cached.Length - 1);

    /// <summary>Applies a report from Python: the mirror's tensors, dictionaries and flags.</summary>
    /// <param name="epoch">The counter <see cref="ModuleLink.Epoch"/>, read before Python read the mirror.</param>
    /// <param name="objects">
    /// The addresses of the tensor objects, 0 for None, -1 for an attribute that does not exist. Python keeps the objects alive until the
    /// next report is applied.
    /// </param>
    /// <param name="dictionaries">
    /// Eleven addresses. Python keeps the first nine objects alive, like the tensors:
    /// <list type="bullet">
    /// <item>0 to 3: the four hook dictionaries</item>
    /// <item>4: the dictionary of attributes</item>
    /// <item>5 to 7: the three dictionaries with the flags of forward pre hooks and forward hooks</item>
    /// <item>8: the class</item>
    /// <item>9: the mirror if it owns these dictionaries; 0 if another module does</item>
    /// <item>10: the mirror, whoever owns the dictionaries; 0 if the mirror was freed</item>
    /// </list>
    /// </param>
    /// <param name="version">
    /// The version of the mirror's attributes that <see cref="Synchronize(bool)"/> passed to Python; -1 if Python reports on its own.
    /// </param>
    /// <param name="flags">The flags of the mirror.</param>
    /// <param name="count">The number of tensor objects.</param>
    /// <returns>Whether the report was applied; false if the module's number of parameters and buffers is not <c>count</c>.</returns>
    internal bool Bind(long epoch, long* objects, long* dictionaries, long version, LinkFlags flags, long count)
    {
        _object = (IntPtr)dictionaries[10];
        if (_object != IntPtr.Zero && !BuiltInProperties.IsBuiltIn(Module)) CacheMirror();
        if (count != Slots.Length) return false;
        for (var i = 0; i < Slots.Length; i++) Slots[i].Set((IntPtr)objects[i]);
        HasComputed = flags.HasFlag(LinkFlags.Computed);
        _computed = false;
        IsReplaced = flags.HasFlag(LinkFlags.Replaced);
        IsMissing = flags.HasFlag(LinkFlags.Missing);
        DependsOnCaller = flags.HasFlag(LinkFlags.DependsOnCaller);
        IsIntercepted = flags.HasFlag(LinkFlags.Intercepted);
        Module.SetTrainingFromPython(flags.HasFlag(LinkFlags.Training));
        Counts.Plan = null;
        // Threads without the GIL conclude from the counts and the epoch that the state above is valid, so these are written last.
        if (Counts is not MirrorDictionaries known || !known.AreCurrent(dictionaries, (IntPtr)dictionaries[9]))
        {
            // Another thread may still read the old dictionaries.
            (Counts as MirrorDictionaries)?.Keep(dictionaries);
            known = new MirrorDictionaries(dictionaries, (IntPtr)dictionaries[9]);
            known.SetSeenClass(dictionaries[8]);
            // It is unknown which version of the new dictionaries Python read, so they count as changed. They do not if Python reports on
            // its own: Python has just created the mirror, and nothing writes to the mirror yet.
            known.Seen = version < 0 ? known.Version : known.Version - 1;
            Volatile.Write(ref Counts, known);
        }
        else
        {
            known.SetSeenClass(dictionaries[8]);
            if (version >= 0) Volatile.Write(ref known.Seen, version);
        }

        Volatile.Write(ref SynchronizedEpoch, epoch);
        return true;
    }

    internal override bool TreeRunsInPython
    {
        get
        {
            foreach (var link in Tree)
                if (link.Counts.IsChanged && !link._forgotten) link.Refresh();
            return RunsInPython;
        }
    }

    /// <summary>Removes the link of a module whose mirror was freed or not created, and forgets the tensor objects.</summary>
    internal void Forget()
    {
        All.TryRemove(Module.Id, out _);
        if (_last == this) _last = null;
        for (var i = 0; i < Cached.Length; i++)
            if (Cached[i] == this) Cached[i] = null;
        _forgotten = IsCollected = true;
        _object = IntPtr.Zero;
        foreach (var slot in Slots) slot.Leave(this);
        Counts = HookCounts.None;
        // A module in a static field outlives its mirror. If it has no tensors, another model may mirror it again.
        if (Slots.Length == 0) Module.Link = null;
    }

    /// <summary>Detaches the link from its mirror, which is being freed, so that C# no longer reads the mirror's memory.</summary>
    internal void Detach()
    {
        Counts = HookCounts.None;
        _object = IntPtr.Zero;
        foreach (var slot in Slots) slot.Empty();
        Invalidate();
    }

    /// <summary>Marks the last report as out of date.</summary>
    internal void Invalidate() => Volatile.Write(ref SynchronizedEpoch, -1);

    protected override void Synchronize(bool compute)
    {
        if (_forgotten) throw Freed();
        Callbacks.Synchronize(Module.Id, compute, Counts.Version);
        if (compute && HasComputed) _computed = true;
    }

    /// <summary>Makes Python compute the attributes that parametrizations compute at each access. Does so only once per call.</summary>
    /// <returns>Whether Python computed attributes now.</returns>
    internal bool Compute()
    {
        if (!HasComputed || _computed) return false;
        Synchronize(compute: true);
        return true;
    }

    internal static ObjectDisposedException Freed() =>
        new("module", "Python has freed this module, but .NET uses it: keep a reference to the model in Python.");

    internal override object? Call(object?[] arguments)
    {
        var before = RecordedFrame.Current;
        try
        {
            return Callbacks.Call(Module.Id, arguments);
        }
        finally
        {
            // After an interrupt, such as KeyboardInterrupt, calls that PyTorch's _call_impl made are still open in the recording.
            if (CallRecorder.Active != 0) RecordedFrame.Restore(before);
        }
    }

    internal override object? Call(torch.Tensor argument)
    {
        // The Python function for one tensor does not check the recursion depth.
        if (_nesting >= MaxUnchecked) return Call([argument]);
        _nesting++;
        var before = RecordedFrame.Current;
        try
        {
            return CallMirror(argument, out var result) ? result : Callbacks.Call(Module.Id, argument);
        }
        finally
        {
            _nesting--;
            if (CallRecorder.Active != 0) RecordedFrame.Restore(before);
        }
    }

    /// <summary>Gets the version of the mirror's class; 0 if it has none, or the mirror was freed.</summary>
    internal uint ClassVersion => _object is var mirror && mirror == IntPtr.Zero ? 0 : Python.VersionOf(Python.TypeOf(new(mirror)));

    /// <summary>Returns a new reference to the mirror. The GIL is held.</summary>
    /// <exception cref="ObjectDisposedException">The mirror was freed.</exception>
    internal OwnedReference NewMirrorReference()
    {
        var mirror = new BorrowedReference(_object);
        return mirror.IsNull || Python.IsDying(mirror) ? throw Freed() : mirror.NewReference();
    }

    // Calls the mirror, unless a Python function must find out which module runs in its place. Returns whether it was called.
    private bool CallMirror(torch.Tensor argument, out object? result)
    {
        result = null;
        using var gil = new Python.Gil();
        // Checked with the GIL, without which no other thread can replace or free the mirror.
        var mirror = new BorrowedReference(_object);
        if (IsReplaced || DependsOnCaller || IsStale || mirror.IsNull || Python.IsDying(mirror)) return false;
        result = Callbacks.CallMirror(mirror, argument);
        return true;
    }

    internal override HookPlan? Plan() =>
        IsReplaced || IsCollected || !IsEntered || Counts.HasBackward || HasGlobals || ActiveModes.Any ? null
        // Without pre hooks, an outdated HookPlan does no harm: UpdatePlan checks the forward hooks after forward has run.
        : Counts.Plan is { IsValueFree: true, IsCurrent: true } valueFree && !Counts.HasPre ? valueFree : CurrentPlan();

    internal override HookPlan? UpdatePlan(HookPlan plan) => HasGlobals ? null : Counts.Matches(plan) ? plan : CurrentPlan();

    internal override bool HasForward(HookPlan plan) => !HasGlobals && Counts.MatchesForward(plan);

    /// <summary>
    /// Whether there is a global hook that does not belong to a recorder. Also true while any thread's call is observed
    /// (<see cref="Torch.Native.TorchFunctionMode"/>).
    /// </summary>
    private static bool HasGlobals =>
        *GlobalCounts[0] + *GlobalCounts[1] + *GlobalCounts[2] + *GlobalCounts[3] > Volatile.Read(ref Recorders);

    // Also called without the GIL: if Python writes to a dictionary meanwhile, the plan's versions do not match.
    private HookPlan? CurrentPlan()
    {
        if (Counts is not MirrorDictionaries counts) return null;
        var plan = counts.Plan;
        if (plan is null || !counts.Matches(plan) || !plan.IsCurrent)
        {
            HookDictVersions versions;
            using (new Python.Gil()) versions = counts.ReadVersions();
            var (version, entries) = (ClassVersion, Callbacks.PlanHooks(Module.Id));
            // Looking up methods, as PlanHooks does, gives the class a version.
            if (version == 0) (version, entries) = (ClassVersion, Callbacks.PlanHooks(Module.Id));
            plan = HookTable.CreatePlan(Module.Id, entries, counts, versions,
                key => version == 0 ? null : new PythonHook(this, counts, key, version));
            counts.Plan = plan;
        }

        return plan.IsCSharp ? plan : null;
    }

    /// <summary>Forgets the cached <see cref="HookPlan"/>, because one of its hooks was removed in Python.</summary>
    internal void ForgetPlan() => Counts.Plan = null;

    internal override bool TakesKwargs(long key, HookKind kind) => Callbacks.TakesKwargs(Module.Id, key, kind);

    internal override bool IsAlwaysCalled(long key) =>
        Counts is MirrorDictionaries { HasAlwaysCalled: true } && Callbacks.IsAlwaysCalled(Module.Id, key);

    internal override object?[] BindArguments(object?[] args, DictOfValues kwargs) =>
        (object?[])Callbacks.BindArguments(Module.Id, args, kwargs)!;

    internal override object? Cross(object? value)
    {
        using var gil = new Python.Gil();
        using var item = Converter.ToPython(value);
        return Converter.ToDotNet(item.Borrow());
    }

    internal override object? Finish(object?[] args, DictOfValues kwargs, object? result) =>
        Callbacks.FinishCall(Module.Id, args, kwargs, result);

    internal override void Recover(object?[] args, DictOfValues kwargs, object? result, IEnumerable<long> begun)
    {
        if (HasGlobals || Counts is MirrorDictionaries { HasAlwaysCalled: true })
            Callbacks.RecoverCall(Module.Id, args, kwargs, result, [.. begun.Select(key => (object?)key)]);
    }

    internal override object? Forward(object?[] arguments) => Callbacks.Forward(Module.Id, arguments);

    internal override void PropertyChanged(string name, object? value)
    {
        if (!_forgotten) Callbacks.ChangeProperty(Module.Id, name, value);
    }

    internal override void EntriesChanged() => Callbacks.ChangeEntries(Module.Id);

    /// <summary>Binds the module's parameters and buffers to slots (<see cref="MirrorSlot"/>), some of which may be new.</summary>
    internal void Join()
    {
        var before = Slots;
        Slots = Module.LinkedTensors.Select(item =>
        {
            var slot = item.Tensor.Slot as MirrorSlot ?? new MirrorSlot(item.Name);
            if (item.Tensor.Slot is null) item.Tensor.Bind(slot);
            return slot;
        }).ToArray();
        foreach (var slot in Slots.Except(before))
        {
            slot.Join(this);
            // The calls in progress release all slots of the link at the end, including this slot.
            if (_uses > 0) slot.Acquire();
        }

        foreach (var slot in before.Except(Slots))
        {
            if (_uses > 0) slot.Release();
            slot.Leave(this);
        }

        ForgetOperator();
        Invalidate();
    }

    /// <summary>
    /// Gives a tied parameter or buffer of the module a C# tensor of its own, after Python has replaced the tensor under one of its names.
    /// </summary>
    internal void Untie(int index)
    {
        var (name, tensor) = Module.OwnTensors.ElementAt(index);
        Module.ReplaceSharedTensor(name, tensor);
        Join();
    }

    internal override IDisposable Register(RegisteredHook hook) => HookTable.Register(Module.Id, hook);

    internal override bool TrainingChanged(bool training) => Callbacks.Train(Module.Id, training);
}

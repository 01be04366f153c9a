using System.Collections.Concurrent;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The .NET end of one mirrored module.</summary>
/// <remarks>
/// <para>Whose parameters. Python owns them. Between calls no handle to them is held, so conversions that swap a tensor's insides (which
/// require that nothing else refers to it) work; a call from Python acquires handles for the entire tree below its module, and its end releases them.
/// Acquiring reads the object's TensorImpl anew, so a swapped tensor is seen.</para>
/// <para>Everything here but <see cref="ModuleLink.NeedsDispatch"/> runs with the GIL held, which is the lock.</para>
/// </remarks>
internal sealed unsafe partial class MirrorLink(torch.nn.Module module) : ModuleLink(module)
{
    /// <summary>Mirrored modules by id.</summary>
    internal static readonly ConcurrentDictionary<long, MirrorLink> All = new();

    private const int Shallow = 12;

    [ThreadStatic]
    private static int _nesting;

    private static MirrorLink? _last;

    // Those that Python bound or called lately, by the addresses of their mirrors.
    private static readonly MirrorLink?[] Called = new MirrorLink?[256];

    private Tuple<MirrorLink[], int>? _tree;
    private volatile bool _forgotten;
    private volatile bool _computed;
    // Python's object of the mirror while it lives.
    private IntPtr _object;

    // The versions of the classes that were found to be ordinary.
    private ulong _ordinary = ulong.MaxValue;

    /// <summary>Where the module's parameters and buffers, in the order of the description, find their handles.</summary>
    internal MirrorSlot[] Slots { get; set; } = [];

    /// <summary>The tensors of the description that Python was given of the tree below this module, until it is linked.</summary>
    internal List<torch.Tensor>? Described { get; set; }

    /// <summary>Links of this module and of all below it.</summary>
    private MirrorLink[] Tree
    {
        get
        {
            // Also without the GIL: one reference has the links and what they are of, so that none is found with another's count.
            var changes = torch.nn.Module.EntryChanges;
            if (_tree is not { } known || known.Item2 != changes)
                _tree = known = new([.. Module.KnownTree.Select(module => module.Link).OfType<MirrorLink>()], changes);
            return known.Item1;
        }
    }

    /// <summary>A mirrored module.</summary>
    /// <exception cref="ObjectDisposedException">Its mirror is gone.</exception>
    internal static MirrorLink Get(long id)
    {
        // Nearly always the one of the call before: a dictionary is more memory to wait for.
        if (_last is { } last && last.Module.Id == id) return last;
        if (!All.TryGetValue(id, out var link)) throw Gone();
        _last = link;
        return link;
    }

    /// <summary>The module whose mirror is this object, if it is among the latest, found without a dictionary and an id.</summary>
    internal static MirrorLink? Lately(IntPtr mirror) => Called[Place(mirror)] is { } link && link._object == mirror ? link : null;

    /// <summary>
    /// PyTorch would call the mirror, and its functions would run, as it does for any module: Python is asked once for each state of the two classes.
    /// </summary>
    internal bool IsOrdinary
    {
        get
        {
            var versions = Versions;
            if (versions == _ordinary) return true;
            if (!Callbacks.IsOrdinary(Module.Id)) return false;
            // Looking gives a class its version, and meanwhile another thread may have changed it.
            if (versions != 0 && versions == Versions) _ordinary = versions;
            return true;
        }
    }

    // Of the mirror's class and of torch.Tensor; 0 while one of them is unknown.
    private ulong Versions
    {
        get
        {
            var (own, tensor) = (Python.VersionOf(Python.TypeOf(_object)), Python.VersionOf(Imports.Tensor));
            return own == 0 || tensor == 0 ? 0 : (ulong)own << 32 | tensor;
        }
    }

    /// <summary>The object has a step of PyTorch's dispatcher of its own.</summary>
    internal bool IsIntercepted { get; private set; }

    /// <summary><see cref="Lately"/> finds it, until another one takes its place.</summary>
    internal void Remember() => Called[Place(_object)] = this;

    // Python's objects are 16 bytes or more.
    private static int Place(IntPtr mirror) => (int)(mirror >> 4) & (Called.Length - 1);

    /// <summary>Python reports what the mirror has now.</summary>
    /// <param name="epoch">The epoch before Python looked.</param>
    /// <param name="objects">Addresses of tensor objects, 0 for None, -1 for one that the module does not have; Python keeps them alive until the next report that is taken.</param>
    /// <param name="dictionaries">
    /// Addresses of the module's four hook dictionaries, of the one of its attributes, of the three that say how its forward hooks are called, and of its class,
    /// all alive as long; then that of its object if these are its own, or 0; then that of the mirror, or 0.
    /// </param>
    /// <param name="version">What <see cref="Synchronize"/> gave Python; -1 if Python looked without being asked.</param>
    /// <param name="flags">Its other properties.</param>
    /// <param name="count">How many objects.</param>
    /// <returns>Whether it was taken: of another number of entries than the collection has by now nothing is.</returns>
    internal bool Bind(long epoch, long* objects, long* dictionaries, long version, LinkFlags flags, long count)
    {
        _object = (IntPtr)dictionaries[10];
        if (_object != IntPtr.Zero && !BuiltInProperties.IsBuiltIn(Module)) Remember();
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
        // What follows says that nothing has changed since, to threads that go without the GIL: so it comes last.
        if (Counts is not WatchedDictionaries watched || !watched.Is(dictionaries, (IntPtr)dictionaries[9]))
        {
            // Another thread may still use the old ones.
            (Counts as WatchedDictionaries)?.Keep(dictionaries);
            watched = new WatchedDictionaries(dictionaries, (IntPtr)dictionaries[9]);
            watched.Saw(dictionaries[8]);
            // Of new dictionaries nobody knows the version that Python saw, unless the mirror was just made: then nobody writes them yet.
            watched.Seen = version < 0 ? watched.Version : watched.Version - 1;
            Volatile.Write(ref Counts, watched);
        }
        else
        {
            watched.Saw(dictionaries[8]);
            if (version >= 0) Volatile.Write(ref watched.Seen, version);
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

    /// <summary>The mirror is gone: its tensors may be too.</summary>
    internal void Forget()
    {
        All.TryRemove(Module.Id, out _);
        if (_last == this) _last = null;
        for (var i = 0; i < Called.Length; i++)
            if (Called[i] == this) Called[i] = null;
        _forgotten = IsCollected = true;
        _object = IntPtr.Zero;
        foreach (var slot in Slots) slot.Leave(this);
        Counts = HookCounts.None;
        // A static module outlives its mirror; if nothing was lost with that, another model may have it.
        if (Slots.Length == 0) Module.Link = null;
    }

    /// <summary>The mirror is about to be freed, though another one still has the link.</summary>
    internal void Vacate()
    {
        Counts = HookCounts.None;
        _object = IntPtr.Zero;
        foreach (var slot in Slots) slot.Empty();
        Expire();
    }

    /// <summary>What Python passed is out of date.</summary>
    internal void Expire() => Volatile.Write(ref SynchronizedEpoch, -1);

    protected override void Synchronize(bool compute)
    {
        if (_forgotten) throw Gone();
        Callbacks.Synchronize(Module.Id, compute, Counts.Version);
        if (compute && HasComputed) _computed = true;
    }

    /// <summary>Another module's forward reads what is computed at each access: it is computed, unless this call has done so.</summary>
    /// <returns>Whether it was computed now.</returns>
    internal bool Compute()
    {
        if (!HasComputed || _computed) return false;
        Synchronize(compute: true);
        return true;
    }

    internal static ObjectDisposedException Gone() => new("module", "The Python mirror of this module was collected.");

    internal override object? Call(object?[] arguments)
    {
        var frame = RecordedFrame.Current;
        try
        {
            return Callbacks.Call(Module.Id, arguments);
        }
        finally
        {
            // What only passes through PyTorch's dispatcher (Ctrl-C) leaves its calls open there.
            if (CallRecorder.Active != 0) RecordedFrame.Restore(frame);
        }
    }

    internal override object? Call(torch.Tensor argument)
    {
        // The fast way does not look how deep Python is nested.
        if (_nesting >= Shallow) return Call([argument]);
        _nesting++;
        var frame = RecordedFrame.Current;
        try
        {
            return Callbacks.Call(Module.Id, argument);
        }
        finally
        {
            _nesting--;
            if (CallRecorder.Active != 0) RecordedFrame.Restore(frame);
        }
    }

    internal override HookPlan? Plan() =>
        IsReplaced || IsCollected || !IsEntered || Counts.HasBackward || HasGlobals || !Surroundings.ArePlain ? null
        // Which forward hooks there are is looked up when forward has run: until then only a pre hook would make a difference.
        : Counts.Plan is { IsValueFree: true } valueFree && !Counts.HasPre ? valueFree : Planned();

    internal override HookPlan? UpdatePlan(HookPlan plan) => HasGlobals ? null : Counts.Matches(plan) ? plan : Planned();

    internal override bool HasForward(HookPlan plan) => !HasGlobals && Counts.MatchesForward(plan);

    /// <summary>All modules have a hook, besides the recorders'.</summary>
    private static bool HasGlobals => *GlobalCounts[0] + *GlobalCounts[1] + *GlobalCounts[2] + *GlobalCounts[3] > Volatile.Read(ref Recorders);

    // Whoever asks may go without the GIL; a write that comes meanwhile makes the plan one that does not match.
    private HookPlan? Planned()
    {
        if (Counts is not WatchedDictionaries counts) return null;
        var plan = counts.Plan;
        if (plan is null || !counts.Matches(plan))
        {
            HookDictVersions versions;
            using (new Python.Gil()) versions = counts.Look();
            plan = HookTable.Planned(Module.Id, Callbacks.PlanHooks(Module.Id), counts, versions);
            counts.Plan = plan;
        }

        return plan.IsCSharp ? plan : null;
    }

    /// <summary>A hook of the plan was dropped in Python: this does not keep it.</summary>
    internal void ForgetPlan() => Counts.Plan = null;

    internal override bool TakesKwargs(long key, HookKind kind) => Callbacks.TakesKwargs(Module.Id, key, kind);

    internal override bool IsAlwaysCalled(long key) => Counts is WatchedDictionaries { HasAlways: true } && Callbacks.IsAlwaysCalled(Module.Id, key);

    internal override object?[] BindArguments(object?[] args, DictOfValues kwargs) => (object?[])Callbacks.BindArguments(Module.Id, args, kwargs)!;

    internal override object? Cross(object? value)
    {
        using var gil = new Python.Gil();
        var item = Objects.Write(value);
        try
        {
            return Objects.Read(item);
        }
        finally
        {
            Python.Decrease(item);
        }
    }

    internal override object? Finish(object?[] args, DictOfValues kwargs, object? result) => Callbacks.FinishCall(Module.Id, args, kwargs, result);

    internal override void Recover(object?[] args, DictOfValues kwargs, object? result, IEnumerable<long> begun)
    {
        if (HasGlobals || Counts is WatchedDictionaries { HasAlways: true })
            Callbacks.RecoverCall(Module.Id, args, kwargs, result, [.. begun.Select(key => (object?)key)]);
    }

    internal override object? Forward(object?[] arguments) => Callbacks.Forward(Module.Id, arguments);

    internal override void PropertyChanged(string name, object? value)
    {
        if (!_forgotten) Callbacks.ChangeProperty(Module.Id, name, value);
    }

    internal override void EntriesChanged() => Callbacks.ChangeEntries(Module.Id);

    /// <summary>The module's parameters and buffers are Python's from now on, those of another number than before too.</summary>
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
            // A call that is under way ends with a Release of each.
            if (_uses > 0) slot.Acquire();
        }

        foreach (var slot in before.Except(Slots))
        {
            if (_uses > 0) slot.Release();
            slot.Leave(this);
        }

        ForgetOperator();
        Expire();
    }

    /// <summary>Python has another tensor here than where it was tied: from now on it is one of its own in C# too.</summary>
    internal void Untie(int place)
    {
        var (name, tensor) = Module.OwnTensors.ElementAt(place);
        Module.ReplaceSharedTensor(name, tensor);
        Join();
    }

    internal override IDisposable Register(RegisteredHook hook) => HookTable.Register(Module.Id, hook);

    internal override bool TrainingChanged(bool training) => Callbacks.Train(Module.Id, training);
}

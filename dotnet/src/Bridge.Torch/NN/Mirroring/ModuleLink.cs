using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// The link of a C# module to its mirror: the Python <c>nn.Module</c> that represents the C# module and owns its parameters and hooks.
/// </summary>
/// <remarks>
/// <para>A mirrored module's hooks are entries of Python dictionaries: four of the mirror, and four global ones. Each dictionary keeps its
/// number of entries in a word of memory. <see cref="NeedsDispatch"/> reads these words without calling Python, so it sees a hook that any
/// thread has just registered.</para>
/// <para>To synchronize is to fetch the mirror's state. A write that may replace a dictionary, a parameter or a child of any mirror
/// advances <see cref="Epoch"/>. A link that was synchronized in an earlier epoch is synchronized again before it is used. A write to
/// another attribute of a mirror makes only that mirror's link out of date.</para>
/// </remarks>
/// <param name="module">The mirrored module.</param>
internal abstract unsafe class ModuleLink(torch.nn.Module module)
{
    /// <summary>A pointer to the epoch, a counter that Python advances (see the remarks of the class).</summary>
    internal static readonly long* Epoch = (long*)System.Runtime.InteropServices.NativeMemory.AllocZeroed(8);

    internal static long CurrentEpoch
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref *Epoch);
    }

    /// <summary>Finds a mirrored module by its id. Throws until Python runs.</summary>
    internal static Func<long, torch.nn.Module> Find = id => throw new ObjectDisposedException("module", $"No module {id} is mirrored.");

    /// <summary>
    /// Pointers to the entry counts of the four global hook dictionaries. Until Python starts, they point to a zero. Each pointer is
    /// written with release semantics, so that a thread that reads the pointer also sees the count.
    /// </summary>
    internal static long** GlobalCounts = Zeros();

    /// <summary>
    /// The number of global hooks that belong to Python's recorder. These hooks need no dispatch: C# records its calls itself. To send
    /// every call through Python, <see cref="Native.TorchFunctionMode"/> deliberately sets the number one lower.
    /// </summary>
    internal static long Recorders;

    /// <summary>The entry counts of the module's own dictionaries.</summary>
    protected HookCounts Counts = HookCounts.None;

    private volatile ForwardOperator? _operator;

    /// <summary>
    /// The epoch in which the link was last synchronized. Written after the rest of the state, with release semantics, and read before the
    /// rest, with acquire semantics.
    /// </summary>
    protected long SynchronizedEpoch = -1;

    /// <summary>
    /// Gets or sets whether every call goes to Python, for instance because the module, its class, its <c>forward</c>, or an attribute that
    /// C# cannot follow was replaced in Python.
    /// </summary>
    internal bool IsReplaced { get; private protected set; }

    internal torch.nn.Module Module { get; } = module;

    /// <summary>
    /// Gets whether the module has hooks, every call goes to Python (<see cref="IsReplaced"/>), or there are global hooks other than a
    /// recorder's (C-5). Also true while <see cref="Recorders"/> is set one lower.
    /// </summary>
    internal bool NeedsDispatch
    {
        get
        {
            if (IsStale) Synchronize(compute: false);
            return IsReplaced || Counts.Any
                || *GlobalCounts[0] + *GlobalCounts[1] + *GlobalCounts[2] + *GlobalCounts[3] > Volatile.Read(ref Recorders);
        }
    }

    /// <summary>
    /// Gets whether a call that starts now runs only the module's C# <c>forward</c> (C-5) and needs no further synchronization.
    /// </summary>
    internal bool IsForwardOnly
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (IsStale) Synchronize(compute: false);
            return !(IsReplaced | HasComputed | DependsOnCaller) && !Counts.Any
                && *GlobalCounts[0] + *GlobalCounts[1] + *GlobalCounts[2] + *GlobalCounts[3] <= Volatile.Read(ref Recorders);
        }
    }

    /// <summary>
    /// Returns the hooks of a call that starts now if they have <see cref="HookPlan.ValueFreeDelegates"/> or run on handles
    /// (<see cref="HookPlan.OnHandles"/>), and the call runs the module's C# <c>forward</c> without further synchronization; otherwise
    /// null.
    /// </summary>
    internal HookPlan? ForwardOnlyPlan() =>
        !(HasComputed | DependsOnCaller) && Plan() is { } plan && (plan.ValueFreeDelegates is not null || plan.OnHandles is not null)
            ? plan : null;

    /// <summary>
    /// Gets the cached <see cref="torch.nn.Module.Operator"/> of the module; <see cref="ForwardOperator.None"/> in place of null.
    /// </summary>
    internal ForwardOperator Operator => _operator ?? FindOperator();

    /// <summary>Prefetches into the CPU caches the data that a call reads, so that the cache misses of many modules overlap.</summary>
    internal void Prefetch()
    {
        if (!Sse.IsSupported) return;
        Counts.Prefetch();
        _operator?.Prefetch();
    }

    /// <summary>Discards the cached <see cref="Operator"/>, which may be out of date.</summary>
    internal void ForgetOperator()
    {
        lock (this) _operator = null;
    }

    // Under the lock: otherwise an operator made from old data could be stored after ForgetOperator.
    private ForwardOperator FindOperator()
    {
        lock (this) return _operator = Module.Operator ?? ForwardOperator.None;
    }

    /// <summary>Synchronizes parameters and buffers with the mirror before a <c>forward</c>.</summary>
    internal void Prepare()
    {
        if (IsStale) Synchronize(compute: false);
        if (HasComputed) Synchronize(compute: true);
    }

    /// <summary>
    /// Synchronizes the attributes that Python computes at each access, after <see cref="NeedsDispatch"/> has synchronized the link.
    /// </summary>
    internal void PrepareComputed()
    {
        if (HasComputed) Synchronize(compute: true);
    }

    /// <summary>Gets whether the link's state may be out of date.</summary>
    internal bool IsStale
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref SynchronizedEpoch) != CurrentEpoch || Counts.IsChanged;
    }

    /// <summary>
    /// Gets whether every call goes to Python (<see cref="IsReplaced"/>), after synchronizing the link if its state may be out of date and
    /// the mirror was not collected.
    /// </summary>
    internal bool RunsInPython
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (IsStale && !IsCollected) Synchronize(compute: false);
            return IsReplaced;
        }
    }

    /// <summary>
    /// Gets <see cref="RunsInPython"/> after synchronizing the descendants, too, for a module whose <c>forward</c> reads their state.
    /// </summary>
    internal virtual bool TreeRunsInPython => RunsInPython;

    /// <summary>Gets or sets whether the mirror was collected.</summary>
    internal bool IsCollected { get; private protected set; }

    /// <summary>Synchronizes the link if its state may be out of date, or depends on the calling code.</summary>
    internal void Refresh()
    {
        if (IsStale || DependsOnCaller) Synchronize(compute: false);
    }

    /// <summary>
    /// Calls <see cref="Refresh"/> unless the mirror was collected, so that C# can still enumerate a module whose mirror is gone.
    /// </summary>
    internal void RefreshUnlessCollected()
    {
        if (!IsCollected) Refresh();
    }

    /// <summary>
    /// Synchronizes the link before C# reads the training flag, if the link may be out of date or the module was replaced: C# does not
    /// notice writes to the replacement's flag.
    /// </summary>
    internal void RefreshTraining()
    {
        if (IsStale || IsReplaced) Synchronize(compute: false);
    }

    /// <summary>
    /// Gets or sets whether the state depends on the calling code, because the module or an ancestor was replaced: code of the old module
    /// that is still running keeps the old state; other code gets the new state.
    /// </summary>
    protected bool DependsOnCaller { get; set; }

    /// <summary>Synchronizes the entries of a collection, such as a Sequential or a module list.</summary>
    /// <remarks>Throws Python's exception if the collection was deleted in Python.</remarks>
    internal void RefreshEntries()
    {
        Refresh();
        if (IsMissing) Call([]);
    }

    /// <summary>Gets or sets whether reading the entries of this collection is an error, because Python has deleted it.</summary>
    protected bool IsMissing { get; set; }

    /// <summary>
    /// Gets or sets whether an attribute is computed at each access (a parametrization), so that it is fetched before every forward.
    /// </summary>
    protected bool HasComputed { get; set; }

    /// <summary>Fetches the state of the mirror.</summary>
    /// <param name="compute">
    /// Whether to also fetch attributes that Python computes at each access. Pass true only once per <c>forward</c>, since computing them
    /// runs code.
    /// </param>
    protected abstract void Synchronize(bool compute);

    /// <summary>Calls the mirror: PyTorch's <c>_call_impl</c> runs the hooks.</summary>
    internal abstract object? Call(object?[] arguments);

    /// <summary>Calls the mirror with a single tensor, the most common call.</summary>
    internal abstract object? Call(torch.Tensor argument);

    /// <summary>Returns the hooks of a call that starts now if all are C# hooks and C# can run them; otherwise null.</summary>
    internal abstract HookPlan? Plan();

    /// <summary>
    /// Returns the current hooks in a later phase of a call that C# dispatches; null if Python must run them, because some are Python hooks
    /// by now or global hooks other than a recorder's exist (C-7).
    /// </summary>
    internal abstract HookPlan? UpdatePlan(HookPlan plan);

    /// <summary>
    /// Returns whether the module's forward hooks, forward pre hooks and their flags are unchanged since the plan was made.
    /// </summary>
    internal bool Matches(HookPlan plan) => Counts.Matches(plan);

    /// <summary>
    /// Returns whether the module's forward hooks and their flags are unchanged since the plan was made, and there are no global hooks
    /// other than a recorder's.
    /// </summary>
    internal abstract bool HasForward(HookPlan plan);

    /// <summary>Returns whether a hook is registered with with_kwargs now; false if it was removed meanwhile (D-2).</summary>
    internal abstract bool TakesKwargs(long key, HookKind kind);

    /// <summary>Returns whether a forward hook is registered with always_call now.</summary>
    internal abstract bool IsAlwaysCalled(long key);

    /// <summary>Binds arguments and keyword arguments to the parameters of <c>forward</c>.</summary>
    /// <exception cref="Exception">Python's TypeError: the arguments do not fit.</exception>
    internal abstract object?[] BindArguments(object?[] args, DictOfValues kwargs);

    /// <summary>Converts a value to a Python object and that object back to C#, so that the value is as if it came from Python.</summary>
    internal abstract object? Cross(object? value);

    /// <summary>Runs the forward hooks of a call in Python, and the always-called ones if a hook fails; returns the result.</summary>
    internal abstract object? Finish(object?[] args, DictOfValues kwargs, object? result);

    /// <summary>Runs the always-called hooks in Python after a failed call, except those that have started already.</summary>
    internal abstract void Recover(object?[] args, DictOfValues kwargs, object? result, IEnumerable<long> begun);

    /// <summary>Calls the <c>forward</c> of the mirror, or of its replacement.</summary>
    internal abstract object? Forward(object?[] arguments);

    /// <summary>Writes to Python a property that C# has set.</summary>
    internal abstract void PropertyChanged(string name, object? value);

    /// <summary>Writes a collection's entries to Python after C# has changed them.</summary>
    internal abstract void EntriesChanged();

    /// <summary>Registers a hook in the mirror's dictionary. Disposing the result removes the hook.</summary>
    internal abstract IDisposable Register(RegisteredHook hook);

    /// <summary>Writes to Python the training flag that C# has changed.</summary>
    /// <returns>True if the module was replaced and Python has set the flags of the replacement and its descendants.</returns>
    internal abstract bool TrainingChanged(bool training);

    private static long** Zeros()
    {
        var zero = (long*)System.Runtime.InteropServices.NativeMemory.AllocZeroed(8);
        var counts = (long**)System.Runtime.InteropServices.NativeMemory.Alloc(4 * 8);
        for (var i = 0; i < 4; i++) counts[i] = zero;
        return counts;
    }
}

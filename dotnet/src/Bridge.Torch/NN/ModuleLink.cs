using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// The other side of a mirrored module. Whether anything there listens is read from memory, without a call.
/// </summary>
/// <remarks>
/// A mirrored module's hooks are entries of dictionaries that Python owns (its own four and the four global ones). Each dictionary keeps its
/// number of entries in a word of memory; <see cref="NeedsDispatch"/> reads those words, so it sees every write, from any thread, at once,
/// and nothing in Python has to be wrapped or notified. What can change the dictionaries' identity, or a parameter's, or a child's, advances
/// <see cref="Epoch"/>; a link that was synchronized in another epoch asks anew before it is used. So does one whose module's own
/// attributes were written since: a hook that leaves something on its module at each call makes no other link ask.
/// </remarks>
/// <param name="module">The mirrored module.</param>
internal abstract unsafe class ModuleLink(torch.nn.Module module)
{
    /// <summary>Advanced by Python at every write that may rebind something. Points to a zero until Python sets it.</summary>
    internal static readonly long* Epoch = (long*)System.Runtime.InteropServices.NativeMemory.AllocZeroed(8);

    /// <summary>The epoch now.</summary>
    internal static long CurrentEpoch
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref *Epoch);
    }

    /// <summary>Finds a mirrored module by its id, once Python runs.</summary>
    internal static Func<long, torch.nn.Module> Find = id => throw new ObjectDisposedException("module", $"No module {id} is mirrored.");

    /// <summary>Entry counts of the global dictionaries; zeros until Python sets them, each by a release. A read through a pointer comes after that of the pointer.</summary>
    internal static long** GlobalCounts = Zeros();

    /// <summary>How many of the global entries are the recorder's own, which .NET does in their place.</summary>
    internal static long Recorders;

    /// <summary>Entry counts of the module's own dictionaries.</summary>
    protected HookCounts Counts = HookCounts.None;

    private volatile ForwardOperator? _operator;

    /// <summary>The epoch in which the link was synchronized. Written last, as a release; whoever goes on with what the link has reads it first, as an acquire.</summary>
    protected long SynchronizedEpoch = -1;

    /// <summary>
    /// Every call goes to Python: another module was put in this one's place, or its class, its <c>forward</c> or an attribute that C# does not compute with was changed there.
    /// </summary>
    internal bool IsReplaced { get; private protected set; }

    /// <summary>The mirrored module.</summary>
    internal torch.nn.Module Module { get; } = module;

    /// <summary>Does anything in Python listen on this module now (C-5)? Then Python makes the call.</summary>
    internal bool NeedsDispatch
    {
        get
        {
            if (IsStale) Synchronize(compute: false);
            return IsReplaced || Counts.Any
                || *GlobalCounts[0] + *GlobalCounts[1] + *GlobalCounts[2] + *GlobalCounts[3] > Volatile.Read(ref Recorders);
        }
    }

    /// <summary>A call that is entered now runs only the module's own <c>forward</c> (C-5), on what the link has.</summary>
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

    /// <summary>The hooks of a call that begins now, if it runs nothing else but the module's own <c>forward</c>, and they need no values; or null.</summary>
    internal HookPlan? ForwardOnlyPlan() => !(HasComputed | DependsOnCaller) && Plan() is { ValueFreeDelegates: not null } plan ? plan : null;

    /// <summary>What the module's <c>forward</c> is, if it is one operator (<see cref="torch.nn.Module.Operator"/>).</summary>
    internal ForwardOperator Operator => _operator ?? FindOperator();

    /// <summary>Fetches what a call of the module will read: whoever does so for many modules at once waits for memory once.</summary>
    internal void Prefetch()
    {
        if (!Sse.IsSupported) return;
        Counts.Prefetch();
        _operator?.Prefetch();
    }

    /// <summary>Something on which <see cref="Operator"/> depends has been changed.</summary>
    internal void ForgetOperator()
    {
        lock (this) _operator = null;
    }

    // What is read here is written before it is forgotten.
    private ForwardOperator FindOperator()
    {
        lock (this) return _operator = Module.Operator ?? ForwardOperator.None;
    }

    /// <summary>Called right before the module's <c>forward</c> runs: parameters and buffers are what the mirror has now.</summary>
    internal void Prepare()
    {
        if (IsStale) Synchronize(compute: false);
        if (HasComputed) Synchronize(compute: true);
    }

    /// <summary>The same after <see cref="NeedsDispatch"/>, which has looked whether anything was rebound.</summary>
    internal void PrepareComputed()
    {
        if (HasComputed) Synchronize(compute: true);
    }

    /// <summary>What the link has may be out of date.</summary>
    internal bool IsStale
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref SynchronizedEpoch) != CurrentEpoch || Counts.IsChanged;
    }

    /// <summary>Python computes in the module's place, now.</summary>
    internal bool RunsInPython
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            if (IsStale && !IsCollected) Synchronize(compute: false);
            return IsReplaced;
        }
    }

    /// <summary>The same for a module that reads what those below it have: whether they changed is looked up too.</summary>
    internal virtual bool TreeRunsInPython => RunsInPython;

    /// <summary>The mirror was collected.</summary>
    internal bool IsCollected { get; private protected set; }

    /// <summary>Fetches what the mirror has now if it may be something else.</summary>
    internal void Refresh()
    {
        if (IsStale || DependsOnCaller) Synchronize(compute: false);
    }

    /// <summary>The same where the mirror still is: who walks what the module has goes on, also when it was deleted meanwhile.</summary>
    internal void RefreshUnlessCollected()
    {
        if (!IsCollected) Refresh();
    }

    /// <summary>The training flag is what it is in Python; writes to that of a module in this one's place are not noticed.</summary>
    internal void RefreshTraining()
    {
        if (IsStale || IsReplaced) Synchronize(compute: false);
    }

    /// <summary>
    /// What the module has depends on who asks: it was replaced, or one above it, and code that still runs in the old one goes on with that.
    /// </summary>
    protected bool DependsOnCaller { get; set; }

    /// <summary>The entries of a collection are what Python has now.</summary>
    /// <remarks>Throws what Python raises when there is none: the collection was deleted there.</remarks>
    internal void RefreshEntries()
    {
        Refresh();
        if (IsMissing) Call([]);
    }

    /// <summary>Nothing hangs in the module's place.</summary>
    protected bool IsMissing { get; set; }

    /// <summary>Some attribute is computed at each access (a parametrization), so it is fetched before every forward.</summary>
    protected bool HasComputed { get; set; }

    /// <summary>Fetches what the mirror has now.</summary>
    /// <param name="compute">Also attributes that are computed at each access: once per forward, since computing them runs code.</param>
    protected abstract void Synchronize(bool compute);

    /// <summary>Calls the mirror: PyTorch's own dispatcher decides the order.</summary>
    internal abstract object? Call(object?[] arguments);

    /// <summary>The same for a single tensor, the most common call.</summary>
    internal abstract object? Call(torch.Tensor argument);

    /// <summary>The hooks of a call that begins now and that C# makes itself, since all of them are C#'s; null if Python has to make it.</summary>
    internal abstract HookPlan? Plan();

    /// <summary>The hooks of a later phase of a call that C# makes itself; null if some of them are Python's by now (C-7b).</summary>
    internal abstract HookPlan? UpdatePlan(HookPlan plan);

    /// <summary>Nothing was registered or removed since the plan was made.</summary>
    internal bool Matches(HookPlan plan) => Counts.Matches(plan);

    /// <summary>Neither the module's forward hooks nor how they are called have changed since the plan was made, and there are no others.</summary>
    internal abstract bool HasForward(HookPlan plan);

    /// <summary>Whether a hook is registered to get the arguments given by name, now: one that was removed in its own phase is not (D-2).</summary>
    internal abstract bool TakesKwargs(long key, HookKind kind);

    /// <summary>Whether a forward hook is registered to run when the call fails, too, now.</summary>
    internal abstract bool IsAlwaysCalled(long key);

    /// <summary>The arguments at the places of the parameters.</summary>
    /// <exception cref="Exception">Python's TypeError: they do not fit.</exception>
    internal abstract object?[] BindArguments(object?[] args, DictOfValues kwargs);

    /// <summary>A value as it comes back from Python.</summary>
    internal abstract object? Cross(object? value);

    /// <summary>Python runs the forward hooks of a call, and what follows when one of them fails; gives the result.</summary>
    internal abstract object? Finish(object?[] args, DictOfValues kwargs, object? result);

    /// <summary>Python runs the hooks that are always called, after a call failed, but those that ran as such before.</summary>
    internal abstract void Recover(object?[] args, DictOfValues kwargs, object? result, IEnumerable<long> begun);

    /// <summary>Runs only the <c>forward</c> of what is in the module's place in Python.</summary>
    internal abstract object? Forward(object?[] arguments);

    /// <summary>A property was set in .NET.</summary>
    internal abstract void PropertyChanged(string name, object? value);

    /// <summary>The entries of a collection were changed in .NET.</summary>
    internal abstract void EntriesChanged();

    /// <summary>Enters a hook into the mirror's dictionary; what comes back removes it.</summary>
    internal abstract IDisposable Register(RegisteredHook hook);

    /// <summary>The training flag was changed in .NET.</summary>
    /// <returns>Something else hangs in the module's place, and Python has set the flags of that and of all below it.</returns>
    internal abstract bool TrainingChanged(bool training);

    private static long** Zeros()
    {
        var zero = (long*)System.Runtime.InteropServices.NativeMemory.AllocZeroed(8);
        var counts = (long**)System.Runtime.InteropServices.NativeMemory.Alloc(4 * 8);
        for (var i = 0; i < 4; i++) counts[i] = zero;
        return counts;
    }
}

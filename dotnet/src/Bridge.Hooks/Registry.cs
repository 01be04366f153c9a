namespace Bridge.Hooks;

/// <summary>The hooks of one kind on one module, or the global ones: an ordered list that is copied on every write.</summary>
/// <remarks>
/// O-1, O-2, O-4: the order is the order of registration, a prepended hook goes to the front, a removed hook's place is not reused.
/// D-1: a phase reads the array once and iterates over that copy, so what hooks add or remove takes effect from the next phase on.
/// G-8: the same delegate registered twice has two ids, runs twice and needs two removals.
/// Any thread may write; writers never block and readers take no lock. One registration costs one copy of the array.
/// </remarks>
/// <typeparam name="THook">The delegate type of the hooks.</typeparam>
public sealed class HookRegistry<THook> : IHookOwner
    where THook : Delegate
{
    private readonly bool _allowPrepend;
    private readonly bool _allowAlwaysCall;

    // Null, never an empty array, when there is no hook: the fast path of C-5 is one load and one comparison.
    private Entry[]? _entries;

    /// <summary>An empty registry.</summary>
    /// <param name="allowPrepend">False for the global registries, which have no <c>prepend</c> (O-3).</param>
    /// <param name="allowAlwaysCall">False for pre hooks, which have no <c>always_call</c> (A-1).</param>
    public HookRegistry(bool allowPrepend = true, bool allowAlwaysCall = true)
    {
        _allowPrepend = allowPrepend;
        _allowAlwaysCall = allowAlwaysCall;
    }

    /// <summary>The hooks are those of every module: each of them is counted by <see cref="Audience"/>.</summary>
    internal bool IsGlobal { private get; init; }

    /// <summary>One registered hook.</summary>
    /// <param name="Id">The id of its handle.</param>
    /// <param name="Hook">The delegate.</param>
    /// <param name="AlwaysCall">Whether it also runs when the call fails .</param>
    public readonly record struct Entry(long Id, THook Hook, bool AlwaysCall);

    /// <summary>Whether no hook is registered now.</summary>
    public bool IsEmpty => Volatile.Read(ref _entries) is null;

    /// <summary>The number of hooks registered now.</summary>
    public int Count => Entries?.Length ?? 0;

    /// <summary>The current array, null when empty. It is never written to after it was published.</summary>
    internal Entry[]? Entries => Volatile.Read(ref _entries);

    /// <summary>The hooks as they are now, in order; later writes do not change it (D-1).</summary>
    public ReadOnlySpan<Entry> Snapshot() => Entries;

    /// <summary>Registers a hook at the end, or at the front when <paramref name="prepend"/> is true (O-2).</summary>
    /// <param name="hook">The hook.</param>
    /// <param name="prepend">Put it before the hooks of this registry; it never passes a global hook.</param>
    /// <param name="alwaysCall">Run it also when the call fails (A-1 … A-6).</param>
    /// <returns>The handle that removes it.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="hook"/> is null (PyTorch would fail at the next call, G-1).</exception>
    /// <exception cref="ArgumentException">This registry has no prepend (O-3) or no always_call .</exception>
    public HookHandle Add(THook hook, bool prepend = false, bool alwaysCall = false)
    {
        ArgumentNullException.ThrowIfNull(hook);
        if (prepend && !_allowPrepend)
        {
            throw new ArgumentException("Global hooks have no prepend (O-3): omit it, or register on the module.", nameof(prepend));
        }

        if (alwaysCall && !_allowAlwaysCall)
        {
            throw new ArgumentException("Pre hooks have no always_call (A-1): register a forward hook with it.", nameof(alwaysCall));
        }

        var handle = new HookHandle(this);
        var entry = new Entry(handle.Id, hook, alwaysCall);
        if (IsGlobal)
        {
            Audience.Raise();
        }

        while (true)
        {
            var old = Entries;
            Entry[] changed = old is null ? [entry] : prepend ? [entry, .. old] : [.. old, entry];
            if (ReferenceEquals(Interlocked.CompareExchange(ref _entries, changed, old), old))
            {
                return handle;
            }
        }
    }

    /// <summary>Whether a hook with this id is registered now.</summary>
    public bool Contains(long id) => IndexOf(Entries, id) >= 0;

    /// <summary>Removes the hook with this id; the others keep their order (O-4). Does nothing when it is not there (H-3).</summary>
    public void Remove(long id)
    {
        // Until it is gone: another thread may write in between.
        while (Entries is { } old && IndexOf(old, id) is >= 0 and var index)
        {
            Entry[]? changed = old.Length == 1 ? null : [.. old.AsSpan(0, index), .. old.AsSpan(index + 1)];
            if (ReferenceEquals(Interlocked.CompareExchange(ref _entries, changed, old), old) && IsGlobal)
            {
                Audience.Lower();
            }
        }
    }

    private static int IndexOf(Entry[]? entries, long id)
    {
        for (var i = 0; i < (entries?.Length ?? 0); i++)
        {
            if (entries![i].Id == id)
            {
                return i;
            }
        }

        return -1;
    }
}

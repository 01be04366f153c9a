namespace Bridge.Hooks;

/// <summary>An ordered list of hooks of one kind: those of one module, or the global ones. Every write copies the list.</summary>
/// <remarks>
/// O-1, O-2, O-4: hooks are in the order of their registration. A prepended hook goes to the front, and the position of a removed hook is
/// not reused. D-1: each phase of a call (pre hooks, forward hooks) reads the array once and iterates over it, so changes take effect in
/// the next phase. G-8: a delegate that is registered twice has two ids, runs twice and has to be removed twice. X-4: any thread may
/// write, writers do not block, and readers take no lock.
/// </remarks>
/// <typeparam name="THook">The delegate type of the hooks.</typeparam>
public sealed class HookRegistry<THook> : IHookOwner
    where THook : Delegate
{
    private readonly bool _allowPrepend;
    private readonly bool _allowAlwaysCall;

    // Null instead of an empty array: so the check that a module has no hooks (C-5) is one load and one comparison.
    private Entry[]? _entries;

    /// <summary>Creates an empty registry.</summary>
    /// <param name="allowPrepend">False for the global registries, which have no <c>prepend</c> (O-3).</param>
    /// <param name="allowAlwaysCall">False for pre hooks, which have no <c>always_call</c> (A-1).</param>
    public HookRegistry(bool allowPrepend = true, bool allowAlwaysCall = true)
    {
        _allowPrepend = allowPrepend;
        _allowAlwaysCall = allowAlwaysCall;
    }

    /// <summary>Sets whether the hooks are global, in which case <see cref="ListenerCount"/> counts them.</summary>
    internal bool IsGlobal { private get; init; }

    /// <summary>One registered hook.</summary>
    /// <param name="Id">The id of the hook's handle.</param>
    /// <param name="Hook">The delegate.</param>
    /// <param name="AlwaysCall">Whether the hook also runs when the call fails .</param>
    public readonly record struct Entry(long Id, THook Hook, bool AlwaysCall);

    /// <summary>Gets whether no hook is registered.</summary>
    public bool IsEmpty => Volatile.Read(ref _entries) is null;

    /// <summary>Gets the number of registered hooks.</summary>
    public int Count => Entries?.Length ?? 0;

    /// <summary>Gets the current array, which is never written to after it was published; null if there are no hooks.</summary>
    internal Entry[]? Entries => Volatile.Read(ref _entries);

    /// <summary>Returns the hooks in order; later changes do not affect the result (D-1).</summary>
    public ReadOnlySpan<Entry> Snapshot() => Entries;

    /// <summary>Registers a hook at the end, or at the front if <paramref name="prepend"/> is true (O-2).</summary>
    /// <param name="hook">The hook.</param>
    /// <param name="prepend">Whether the hook runs before the hooks that this registry has already; global hooks still run first.</param>
    /// <param name="alwaysCall">Whether the hook also runs when the call fails (A-1 … A-6).</param>
    /// <returns>The handle that removes the hook.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="hook"/> is null (PyTorch fails only at the next call, G-1).</exception>
    /// <exception cref="ArgumentException">An option is true that this registry lacks: prepend (O-3) or always_call .</exception>
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
            ListenerCount.Increment();
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

    /// <summary>Returns whether a hook with this id is registered.</summary>
    public bool Contains(long id) => IndexOf(Entries, id) >= 0;

    /// <summary>Removes the hook with this id; the others keep their order (O-4). Does nothing if no hook has it (H-3).</summary>
    public void Remove(long id)
    {
        // Repeated until the hook is gone, because another thread may write in between.
        while (Entries is { } old && IndexOf(old, id) is >= 0 and var index)
        {
            Entry[]? changed = old.Length == 1 ? null : [.. old.AsSpan(0, index), .. old.AsSpan(index + 1)];
            if (ReferenceEquals(Interlocked.CompareExchange(ref _entries, changed, old), old) && IsGlobal)
            {
                ListenerCount.Decrement();
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

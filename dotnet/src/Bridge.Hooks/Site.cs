namespace Bridge.Hooks;

/// <summary>The hooks of one module. Each registry is created when it is first read.</summary>
/// <typeparam name="TIn">The module's arguments.</typeparam>
/// <typeparam name="TOut">The module's result.</typeparam>
public sealed class HookSite<TIn, TOut>
{
    private HookRegistry<PreHook<TIn>>? _pre;
    private HookRegistry<ForwardHook<TIn, TOut>>? _forward;

    /// <summary>Gets the module's forward pre hooks.</summary>
    public HookRegistry<PreHook<TIn>> Pre =>
        Volatile.Read(ref _pre) ?? Publish(ref _pre, new HookRegistry<PreHook<TIn>>(allowAlwaysCall: false));

    /// <summary>Gets the module's forward hooks.</summary>
    public HookRegistry<ForwardHook<TIn, TOut>> Forward =>
        Volatile.Read(ref _forward) ?? Publish(ref _forward, new HookRegistry<ForwardHook<TIn, TOut>>());

    /// <summary>Gets whether the module has no hooks (C-5).</summary>
    public bool IsEmpty => (_pre is null || _pre.IsEmpty) && (_forward is null || _forward.IsEmpty);

    internal HookRegistry<PreHook<TIn>>.Entry[]? PreEntries => Volatile.Read(ref _pre)?.Entries;

    internal HookRegistry<ForwardHook<TIn, TOut>>.Entry[]? ForwardEntries => Volatile.Read(ref _forward)?.Entries;

    // Two threads may create a registry at once. Both use the one published first, or a registration would be lost.
    private static T Publish<T>(ref T? field, T fresh)
        where T : class => Interlocked.CompareExchange(ref field, fresh, null) ?? fresh;
}

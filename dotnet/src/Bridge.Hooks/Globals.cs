namespace Bridge.Hooks;

/// <summary>The global hooks, which run for every module in the process (G-3), in each phase before the module's own hooks (O-1).</summary>
/// <remarks>
/// A global hook is called for modules of every type, so it gets the arguments as an array and the result as an object. Values are boxed
/// only while a global hook is registered. A global pre hook gets the array by <c>ref</c>: it may assign a new
/// array, or write to the elements of the array that it got.
/// </remarks>
public static class GlobalHooks
{
    /// <summary>Global forward pre hooks, without prepend (O-3) and always_call .</summary>
    public static readonly HookRegistry<PreHook<object?[]>> Pre = new(allowPrepend: false, allowAlwaysCall: false) { IsGlobal = true };

    /// <summary>Global forward hooks, without prepend (O-3).</summary>
    public static readonly HookRegistry<ForwardHook<object?[], object?>> Forward = new(allowPrepend: false) { IsGlobal = true };

    /// <summary>Gets whether no global hook is registered (C-5).</summary>
    public static bool IsEmpty => Pre.IsEmpty && Forward.IsEmpty;
}

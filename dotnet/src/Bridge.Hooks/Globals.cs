namespace Bridge.Hooks;

/// <summary>The hooks of every module in the process (G-3). In each phase they run before the module's own (O-1).</summary>
/// <remarks>
/// A global hook is called for modules of every type, so its arguments are an array and its result is an object. Values are boxed only
/// while such a hook is registered. A global pre hook may assign a new array or write to the elements of the array that it gets.
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

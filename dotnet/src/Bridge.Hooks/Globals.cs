namespace Bridge.Hooks;

/// <summary>The hooks of every module in the process (G-3). In each phase they run before the module's own (O-1).</summary>
/// <remarks>
/// A global hook serves modules of every type, so it sees the arguments as an array and the result as an object; boxing happens
/// only while such a hook is registered. A global pre hook may assign a new array or write the elements of the one it got.
/// </remarks>
public static class GlobalHooks
{
    /// <summary>Global forward pre hooks. No prepend (O-3), no always_call .</summary>
    public static readonly HookRegistry<PreHook<object?[]>> Pre = new(allowPrepend: false, allowAlwaysCall: false) { IsGlobal = true };

    /// <summary>Global forward hooks. No prepend (O-3).</summary>
    public static readonly HookRegistry<ForwardHook<object?[], object?>> Forward = new(allowPrepend: false) { IsGlobal = true };

    /// <summary>Whether neither registry holds a hook: one half of the question of C-5.</summary>
    public static bool IsEmpty => Pre.IsEmpty && Forward.IsEmpty;
}

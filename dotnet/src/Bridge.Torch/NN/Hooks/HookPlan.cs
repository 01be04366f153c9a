namespace Bridge.Torch;

/// <summary>
/// The forward pre hooks and forward hooks of a C# module, read from the hook dictionaries of the Python module that represents it. If all
/// are C# hooks, or the only one is a Python forward hook, C# calls them itself.
/// </summary>
/// <param name="pre">The forward pre hooks; null if C# cannot run the hooks, for example because one is a Python hook.</param>
/// <param name="forward">The forward hooks; null if C# cannot run the hooks.</param>
/// <param name="source">The pointers to the dictionaries' counts.</param>
/// <param name="versions">The dictionaries' versions before the hooks were read.</param>
internal sealed class HookPlan(PlannedHook[]? pre, PlannedHook[]? forward, HookCounts source, HookDictVersions versions)
{
    /// <summary>The dictionaries' versions, to be compared only while <see cref="Source"/> is the module's current source.</summary>
    internal readonly HookDictVersions Versions = versions;

    internal HookCounts Source => source;

    /// <summary>Gets whether C# can run all hooks itself.</summary>
    internal bool IsCSharp => pre is not null && forward is not null;

    internal PlannedHook[] Pre => pre!;

    internal PlannedHook[] Forward => forward!;

    /// <summary>Gets whether some hook may read, and so keep, the arguments or the result. Hooks that C# cannot run may.</summary>
    internal bool ReadsValues { get; } = ReadsAny(pre) || ReadsAny(forward);

    /// <summary>
    /// Gets whether all hooks are forward hooks, none of which may keep the arguments or the result in C#, takes kwargs, or is always
    /// called.
    /// </summary>
    internal bool IsValueFree { get; } =
        pre is [] && forward is not null && Array.TrueForAll(forward, entry =>
            !(entry.Hook.ReadsValues || entry.WithKwargs || entry.Hook.WithKwargs || entry.AlwaysCall));

    /// <summary>
    /// Gets the delegates of the forward hooks if <see cref="IsValueFree"/> holds and each has a
    /// <see cref="RegisteredHook.ValueFreeDelegate"/>; otherwise null.
    /// </summary>
    internal Func<TorchSharp.torch.nn.Module, object?[], object?, object?>[]? ValueFreeDelegates { get; } = Delegates(pre, forward);

    /// <summary>Gets the only hook if it can run on handles; otherwise null.</summary>
    internal HandleHook? OnHandles { get; } = pre is [] && forward is [{ Hook: HandleHook hook }] ? hook : null;

    /// <summary>Gets whether C# may still run the hooks, if their dictionaries have not changed.</summary>
    internal bool IsCurrent => OnHandles is not { IsCurrent: false };

    /// <summary>Gets the <see cref="RegisteredHook.ValueFreeDelegate"/> of the first forward hook; null if there is none.</summary>
    internal Func<TorchSharp.torch.nn.Module, object?[], object?, object?>? FirstDelegate { get; } = forward is [var entry, ..]
        ? entry.Hook.ValueFreeDelegate : null;

    private static Func<TorchSharp.torch.nn.Module, object?[], object?, object?>[]? Delegates(PlannedHook[]? pre, PlannedHook[]? forward)
    {
        if (pre is not [] || forward is null || Array.Exists(forward, entry => entry.WithKwargs || entry.AlwaysCall)) return null;
        var delegates = Array.ConvertAll(forward, entry => entry.Hook.ValueFreeDelegate!);
        return Array.TrueForAll(delegates, item => item is not null) ? delegates : null;
    }

    private static bool ReadsAny(PlannedHook[]? hooks) => hooks is null || Array.Exists(hooks, entry => entry.Hook.ReadsValues);
}

/// <summary>An entry of a dictionary of forward pre hooks or forward hooks.</summary>
/// <param name="Key">The key: the id of PyTorch's <c>RemovableHandle</c>.</param>
/// <param name="Hook">The hook.</param>
/// <param name="WithKwargs">Whether the hook was registered with with_kwargs.</param>
/// <param name="AlwaysCall">Whether the hook was registered with always_call.</param>
internal readonly record struct PlannedHook(long Key, RegisteredHook Hook, bool WithKwargs, bool AlwaysCall);

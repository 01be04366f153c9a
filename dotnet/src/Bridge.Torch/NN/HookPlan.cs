namespace Bridge.Torch;

/// <summary>The forward hooks of a mirrored module as its dictionaries have them in Python: if all are C#'s, C# calls them itself.</summary>
/// <param name="pre">The forward pre hooks in their order; null if some hook is Python's.</param>
/// <param name="forward">The forward hooks in their order; null if some hook is Python's.</param>
/// <param name="source">Where the dictionaries are.</param>
/// <param name="versions">What they had before Python was asked.</param>
internal sealed class HookPlan(PlannedHook[]? pre, PlannedHook[]? forward, HookCounts source, HookDictVersions versions)
{
    /// <summary>What the dictionaries had: whoever holds <see cref="Source"/> may look whether they still do.</summary>
    internal readonly HookDictVersions Versions = versions;

    /// <summary>Where the dictionaries are.</summary>
    internal HookCounts Source => source;

    /// <summary>All hooks are C#'s.</summary>
    internal bool IsCSharp => pre is not null && forward is not null;

    internal PlannedHook[] Pre => pre!;

    internal PlannedHook[] Forward => forward!;

    /// <summary>One of them may keep the tensors that it is given.</summary>
    internal bool ReadsValues { get; } = ReadsAny(pre) || ReadsAny(forward);

    /// <summary>There are only forward hooks, and none of them looks at the values, is given those by name, or is called when the call fails.</summary>
    internal bool IsValueFree { get; } =
        pre is [] && forward is not null && Array.TrueForAll(forward, entry => !(entry.Hook.ReadsValues || entry.WithKwargs || entry.Hook.WithKwargs || entry.AlwaysCall));

    /// <summary>The forward hooks' delegates if these are all, and none needs to be given anything: see <see cref="RegisteredHook.ValueFreeDelegate"/>.</summary>
    internal Func<TorchSharp.torch.nn.Module, object?[], object?, object?>[]? ValueFreeDelegates { get; } = Delegates(pre, forward);

    /// <summary>The first of those, nearly always the only one: without a look into their array.</summary>
    internal Func<TorchSharp.torch.nn.Module, object?[], object?, object?>? FirstDelegate { get; } = forward is [var entry, ..] ? entry.Hook.ValueFreeDelegate : null;

    private static Func<TorchSharp.torch.nn.Module, object?[], object?, object?>[]? Delegates(PlannedHook[]? pre, PlannedHook[]? forward)
    {
        if (pre is not [] || forward is null || Array.Exists(forward, entry => entry.WithKwargs || entry.AlwaysCall)) return null;
        var delegates = Array.ConvertAll(forward, entry => entry.Hook.ValueFreeDelegate!);
        return Array.TrueForAll(delegates, item => item is not null) ? delegates : null;
    }

    private static bool ReadsAny(PlannedHook[]? hooks) => hooks is null || Array.Exists(hooks, entry => entry.Hook.ReadsValues);
}

/// <summary>An entry of a dictionary of forward hooks.</summary>
/// <param name="Key">Its key: the number of its handle.</param>
/// <param name="Hook">The hook.</param>
/// <param name="WithKwargs">It was registered to get the arguments given by name.</param>
/// <param name="AlwaysCall">It was registered to run when the call fails, too.</param>
internal readonly record struct PlannedHook(long Key, RegisteredHook Hook, bool WithKwargs, bool AlwaysCall);

namespace Bridge.Hooks;

/// <summary>What the <see cref="Dispatcher"/> needs to know of a module.</summary>
/// <typeparam name="TIn">The arguments: a single value or a value tuple.</typeparam>
/// <typeparam name="TOut">The result.</typeparam>
public interface IHookTarget<TIn, TOut>
{
    /// <summary>
    /// The module's hooks, null while it never had one. Read anew in each phase, so that a hook which a pre hook or
    /// <c>forward</c> registers first on this module takes part in a call that was hooked at its entry (C-7b).
    /// </summary>
    HookSite<TIn, TOut>? Site { get; }

    /// <summary>The computation itself. It fires no hook of this module (C-3).</summary>
    TOut Forward(TIn args);

    /// <summary>The arguments as global hooks see them: one element per positional argument, a fresh array each time.</summary>
    object?[] Box(TIn args);

    /// <summary>The way back. Throws when number or types do not fit <typeparamref name="TIn"/>.</summary>
    TIn Unbox(object?[] args);

    /// <summary>The result as global hooks see it.</summary>
    object? BoxResult(TOut result);

    /// <summary>The way back, for a replacement only. Throws when the type does not fit <typeparamref name="TOut"/>.</summary>
    TOut UnboxResult(object? result);
}

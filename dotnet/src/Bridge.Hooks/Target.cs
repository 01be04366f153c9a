namespace Bridge.Hooks;

/// <summary>A module that the <see cref="Dispatcher"/> can call.</summary>
/// <typeparam name="TIn">The arguments: a single value or a value tuple.</typeparam>
/// <typeparam name="TOut">The result.</typeparam>
public interface IHookTarget<TIn, TOut>
{
    /// <summary>
    /// Gets the module's hooks; null if the module never had any. Each phase of a hooked call reads this property again, because a global
    /// pre hook or <c>forward</c> may register the module's first forward hook, which then runs in the same call (C-7).
    /// </summary>
    HookSite<TIn, TOut>? Site { get; }

    /// <summary>Computes the result, without firing hooks of this module (C-3).</summary>
    TOut Forward(TIn args);

    /// <summary>Returns the arguments for global hooks: a new array with an element for each positional argument.</summary>
    object?[] Box(TIn args);

    /// <summary>Converts an array back to arguments. Throws if the number or the types do not fit <typeparamref name="TIn"/>.</summary>
    TIn Unbox(object?[] args);

    /// <summary>Returns the result as an object, for global hooks.</summary>
    object? BoxResult(TOut result);

    /// <summary>Converts the result of a global hook back. Throws if its type does not fit <typeparamref name="TOut"/>.</summary>
    TOut UnboxResult(object? result);
}

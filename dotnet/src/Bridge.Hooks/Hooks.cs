namespace Bridge.Hooks;

/// <summary>
/// A forward pre hook (P-1): it runs before <c>forward</c>, sees what the previous one left (P-6) and may assign other arguments.
/// </summary>
/// <remarks>
/// Not assigning <paramref name="args"/>, or assigning null, is PyTorch's <c>return None</c>: the arguments are kept (P-2).
/// An assignment counts only when the hook returns; a hook that assigns and then throws has changed nothing.
/// </remarks>
/// <typeparam name="TIn">The arguments: a single value, a value tuple, or <c>object?[]</c> for a global hook.</typeparam>
/// <param name="module">The module that is being called.</param>
/// <param name="args">The arguments that the next hook, and then <c>forward</c>, will see.</param>
public delegate void PreHook<TIn>(object module, ref TIn args);

/// <summary>
/// A forward hook (F-1): it runs after <c>forward</c>, sees the arguments after the pre hooks and the current result, and may
/// assign another result, which the next hook and the caller see (F-2, F-3).
/// </summary>
/// <remarks>
/// Not assigning <paramref name="output"/>, or assigning null, is PyTorch's <c>return None</c>: a result cannot be replaced by
/// null (F-2). An always-called hook on the exception path of A-3 gets <c>default</c> when <c>forward</c> did not finish.
/// </remarks>
/// <typeparam name="TIn">The arguments: a single value, a value tuple, or <c>object?[]</c> for a global hook.</typeparam>
/// <typeparam name="TOut">The result, or <c>object?</c> for a global hook.</typeparam>
/// <param name="module">The module that was called.</param>
/// <param name="args">The arguments that <c>forward</c> got. The elements of a global hook's array must not be written.</param>
/// <param name="output">The result that the next hook, and then the caller, will see.</param>
public delegate void ForwardHook<TIn, TOut>(object module, in TIn args, ref TOut output);

namespace Bridge.Hooks;

/// <summary>
/// A forward pre hook (P-1). It runs before <c>forward</c>, gets the arguments as the previous hook left them (P-6) and may replace them.
/// </summary>
/// <remarks>
/// Leaving <paramref name="args"/> unassigned, or assigning null, corresponds to PyTorch's <c>return None</c> and keeps the arguments
/// (P-2). An assignment takes effect when the hook returns; a hook that assigns and then throws changes nothing.
/// </remarks>
/// <typeparam name="TIn">The type of the arguments: that of one value, a value tuple, or <c>object?[]</c> for a global hook.</typeparam>
/// <param name="module">The module that is being called.</param>
/// <param name="args">The arguments that the next hook, and then <c>forward</c>, will see.</param>
public delegate void PreHook<TIn>(object module, ref TIn args);

/// <summary>
/// A forward hook (F-1). It runs after <c>forward</c>, gets the current result and the arguments that <c>forward</c> got, and may assign
/// another result for the next hook and the caller (F-2, F-3).
/// </summary>
/// <remarks>
/// Leaving <paramref name="output"/> unassigned, or assigning null, corresponds to PyTorch's <c>return None</c>: a result cannot be
/// replaced by null (F-2). If the call fails before <c>forward</c> returns, the first hook that runs because of <c>always_call</c> gets
/// <c>default</c> as <paramref name="output"/> (A-5).
/// </remarks>
/// <typeparam name="TIn">The type of the arguments: that of one value, a value tuple, or <c>object?[]</c> for a global hook.</typeparam>
/// <typeparam name="TOut">The type of the result, or <c>object?</c> for a global hook.</typeparam>
/// <param name="module">The module that was called.</param>
/// <param name="args">The arguments that <c>forward</c> got. A global hook must not change the elements of the array.</param>
/// <param name="output">The result that the next hook, and then the caller, will see.</param>
public delegate void ForwardHook<TIn, TOut>(object module, in TIn args, ref TOut output);

using System.Runtime.CompilerServices;

namespace Bridge.Torch;

/// <summary>A guard for recursive functions over nested values or modules, because a stack overflow would end the process.</summary>
internal static class Nesting
{
    /// <summary>Checks the thread's stack; called at each level of a recursion.</summary>
    /// <exception cref="InsufficientExecutionStackException">The thread's stack is nearly used up.</exception>
    internal static void Check()
    {
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            throw new InsufficientExecutionStackException(
                "A value or module is nested too deeply for this thread's stack, or contains itself.");
    }
}

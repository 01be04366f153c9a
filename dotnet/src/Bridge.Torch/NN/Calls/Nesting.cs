using System.Runtime.CompilerServices;

namespace Bridge.Torch;

/// <summary>A guard of recursive functions over nested values: a stack overflow would end the process.</summary>
internal static class Nesting
{
    /// <summary>Throws if the thread's stack is nearly used up. To be called at each level of a recursion.</summary>
    /// <exception cref="InsufficientExecutionStackException">The thread's stack is nearly used up.</exception>
    internal static void Check()
    {
        if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            throw new InsufficientExecutionStackException("A value is nested too deeply for this thread's stack, or contains itself.");
    }
}

using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Bridge.Hooks;

/// <summary>Whether this thread has stack left for one call more.</summary>
/// <remarks>
/// <para>A stack overflow ends the process, so each call of a module asks at its entry. The runtime is asked only where a thread is deeper than
/// it ever was: what is less deep has enough left. Stacks grow downwards, so the complement of an address is a depth, and 0, where a thread
/// begins, is less than any.</para>
/// <para>How deep a thread was is its own, and a word of a thread's own costs a call of the system's loader where the runtime is
/// hosted. The process's first thread needs none: its stack stays where it is as long as the process lives, so an address between two that it has been
/// at is its, whoever asks. Any other thread's stack may become another's when it ends.</para>
/// </remarks>
public static class ThreadStack
{
    // Between these the first thread has been: it alone writes them, each only further out, the shallow one first. While there is no deep one
    // nothing lies between.
    private static nuint s_shallow;
    private static nuint s_deep;

    [ThreadStatic]
    private static nuint s_asked;

    [ThreadStatic]
    private static bool s_isFirst;

    /// <summary>Throws when the thread's stack is nearly used up, naming the module.</summary>
    /// <param name="target">The module that is about to be called.</param>
    /// <exception cref="InsufficientExecutionStackException">Modules call each other without end.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    [SkipLocalsInit]
    public static unsafe void Check(object target)
    {
        byte here;
        var depth = ~(nuint)(&here);
        if (depth > Volatile.Read(ref s_deep) || depth < Volatile.Read(ref s_shallow))
        {
            CheckThread(target, depth);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CheckThread(object target, nuint depth)
    {
        if (depth > s_asked)
        {
            if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            {
                ThrowExhausted(target);
            }

            if (s_asked == 0)
            {
                s_isFirst = IsFirst();
            }

            s_asked = depth;
        }

        if (!s_isFirst)
        {
            return;
        }

        if (s_deep == 0 || depth < s_shallow)
        {
            Volatile.Write(ref s_shallow, depth);
        }

        if (depth > s_deep)
        {
            Volatile.Write(ref s_deep, depth);
        }
    }

    // Linux has a link that names the process and the thread, "1234/task/1234" in the first one. Where there is none, every thread asks its own word.
    private static bool IsFirst()
    {
        try
        {
            return new FileInfo("/proc/thread-self").LinkTarget?.Split('/') is [var process, _, var thread] && process == thread;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    [DoesNotReturn]
    private static void ThrowExhausted(object target) =>
        throw new InsufficientExecutionStackException(
            $"Not enough stack to call {target.GetType()}: modules call each other endlessly, or are nested too deeply for this thread. "
                + "Look for a forward or a hook that calls its own module, or run on a thread with a larger stack.");
}

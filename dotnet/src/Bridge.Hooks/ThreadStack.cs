using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Bridge.Hooks;

/// <summary>Checks that the current thread has enough stack for another call.</summary>
/// <remarks>
/// <para>A stack overflow ends the process, so each call of a module checks first. .NET's slow check runs only if the thread is deeper
/// than ever before. Stacks grow downwards, so depth is the complement of an address, and 0 is less than any depth.</para>
/// <para>Each thread tracks its deepest address in a thread-static field, which is slow to read in a hosted runtime. So the main thread
/// also tracks its shallowest and its deepest address in plain static fields. The main thread's stack exists as long as the process, so an
/// address between these two is never on another thread's stack.</para>
/// </remarks>
public static class ThreadStack
{
    // The range of the main thread's depths so far. Only the main thread writes the two fields, s_shallow first. While s_deep is 0, the
    // range is empty.
    private static nuint s_shallow;
    private static nuint s_deep;

    [ThreadStatic]
    private static nuint s_deepest;

    [ThreadStatic]
    private static bool s_isMain;

    /// <summary>Throws an exception that names the module's class, if the stack of the thread is nearly used up.</summary>
    /// <param name="target">The module that is about to be called.</param>
    /// <exception cref="InsufficientExecutionStackException">Modules call each other endlessly, or are nested too deeply.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    [SkipLocalsInit]
    public static unsafe void Check(object target)
    {
        byte local;
        var depth = ~(nuint)(&local);
        if (depth > Volatile.Read(ref s_deep) || depth < Volatile.Read(ref s_shallow))
        {
            CheckThread(target, depth);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void CheckThread(object target, nuint depth)
    {
        if (depth > s_deepest)
        {
            if (!RuntimeHelpers.TryEnsureSufficientExecutionStack())
            {
                ThrowExhausted(target);
            }

            if (s_deepest == 0)
            {
                s_isMain = IsMainThread();
            }

            s_deepest = depth;
        }

        if (!s_isMain)
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

    // /proc/thread-self is a link such as "1234/task/1235": the ids of the process and of the thread, which are equal for the main thread.
    // On other systems no thread counts as the main thread, so every thread reads its own field.
    private static bool IsMainThread()
    {
        if (!OperatingSystem.IsLinux())
        {
            return false;
        }

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

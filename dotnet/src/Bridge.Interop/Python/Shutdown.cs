using System.Runtime.InteropServices;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>Stops threads that still compute when the process ends.</summary>
/// <remarks>
/// Once finalization has begun, CPython before 3.14 terminates a thread that asks for the GIL. This unwinds .NET's frames and aborts the
/// process. The C runtime destroys libtorch's globals while threads still use them. So while one thread shuts Python down, C# code on
/// the others sleeps forever at its next call of libtorch or Python. A thread that holds the GIL continues until it releases the GIL.
/// </remarks>
internal static class Shutdown
{
    [ThreadStatic]
    private static bool _withoutGil;

    // The nesting depth of computations and of calls of Python on the thread.
    [ThreadStatic]
    private static int _depth;

    // The thread that shuts Python down.
    private static Thread? _stopping;

    // The number of threads with a depth above 0 that are not asleep.
    private static int _computing;

    /// <summary>Counts this thread as computing, before it releases the GIL.</summary>
    internal static void BeginCompute()
    {
        _withoutGil = true;
        if (_depth++ == 0) Interlocked.Increment(ref _computing);
    }

    /// <summary>Ends a computation, after this thread has taken the GIL again.</summary>
    internal static void EndCompute()
    {
        _withoutGil = false;
        if (--_depth == 0) Interlocked.Decrement(ref _computing);
    }

    /// <summary>Counts this thread as computing, before it takes the GIL to call Python.</summary>
    /// <returns>The state to pass to <see cref="ExitPython"/>.</returns>
    internal static bool EnterPython()
    {
        Park();
        // Counted, because CPython would terminate a .NET thread that waits for the GIL during finalization.
        if (_depth++ == 0) Interlocked.Increment(ref _computing);
        var before = _withoutGil;
        _withoutGil = false;
        return before;
    }

    internal static void ExitPython(bool before)
    {
        _withoutGil = before;
        if (--_depth == 0) Interlocked.Decrement(ref _computing);
    }

    /// <summary>Sleeps forever if another thread is shutting Python down and this thread does not hold the GIL.</summary>
    internal static void Park()
    {
        if (Volatile.Read(ref _stopping) is null || MayContinue()) return;
        if (_depth > 0) Interlocked.Decrement(ref _computing);
        Thread.Sleep(Timeout.Infinite);
    }

    /// <summary>Records that this thread shuts Python down, so that other threads sleep (<see cref="Park"/>).</summary>
    /// <returns>The number of threads that still compute and are not asleep yet.</returns>
    internal static int Begin()
    {
        if (Interlocked.CompareExchange(ref _stopping, Thread.CurrentThread, null) is null) Abi.Intercept(Park);
        return Volatile.Read(ref _computing);
    }

    /// <summary>Prepares the end of a process that C# ends on this thread (<see cref="Environment.Exit"/>).</summary>
    /// <remarks>
    /// Python threads that run an operator without any C# cannot be stopped. So the C runtime must not run the exit handlers that destroy
    /// libtorch's globals. Handlers registered here run first: they flush files and end the process with the exit code.
    /// </remarks>
    internal static unsafe void End()
    {
        Begin();
        if (OperatingSystem.IsWindows()) return; // Windows ends all other threads first.
        var libc = NativeLibrary.GetMainProgramHandle();
        var end = NativeLibrary.GetExport(libc, "_exit");
        // Exit handlers run in reverse order, so the flush is registered last.
        if (NativeLibrary.TryGetExport(libc, "on_exit", out var onExit))
            ((delegate* unmanaged<IntPtr, IntPtr, int>)onExit)(end, IntPtr.Zero);
        else
            AtExit(libc, end, Environment.ExitCode);
        AtExit(libc, NativeLibrary.TryGetExport(libc, "fcloseall", out var flush) ? flush : NativeLibrary.GetExport(libc, "fflush"), 0);
    }

    private static unsafe void AtExit(IntPtr libc, IntPtr function, nint argument) =>
        ((delegate* unmanaged<IntPtr, nint, IntPtr, int>)NativeLibrary.GetExport(libc, "__cxa_atexit"))(function, argument, IntPtr.Zero);

    private static bool MayContinue() => _stopping == Thread.CurrentThread || (Python.HasThreadState && !_withoutGil);
}

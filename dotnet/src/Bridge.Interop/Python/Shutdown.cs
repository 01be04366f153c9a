using System.Runtime.InteropServices;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>The end of the process while threads still compute.</summary>
/// <remarks>
/// Once Python has ended, a thread that asks for the GIL is terminated on the spot, which unwinds .NET's frames and aborts the process; and the C runtime
/// destroys libtorch even while threads run in it. So when Python begins to shut down, every thread but the one that does so is put to sleep at its next
/// call of libtorch or of Python, unless it holds the GIL; one that does goes on until it releases it.
/// </remarks>
internal static class Shutdown
{
    [ThreadStatic]
    private static bool _withoutGil;

    [ThreadStatic]
    private static int _depth;

    private static Thread? _stopping;
    private static int _computing;

    /// <summary>The thread is about to release the GIL and compute.</summary>
    internal static void BeginCompute()
    {
        _withoutGil = true;
        if (_depth++ == 0) Interlocked.Increment(ref _computing);
    }

    /// <summary>The thread has the GIL again.</summary>
    internal static void EndCompute()
    {
        _withoutGil = false;
        if (--_depth == 0) Interlocked.Decrement(ref _computing);
    }

    /// <summary>The thread is about to call Python, which takes the GIL for that time.</summary>
    /// <returns>What <see cref="ExitPython"/> is given.</returns>
    internal static bool EnterPython()
    {
        Park();
        // A .NET thread that waits for the GIL when Python ends would be terminated there: it counts as computing meanwhile.
        if (_depth++ == 0) Interlocked.Increment(ref _computing);
        var before = _withoutGil;
        _withoutGil = false;
        return before;
    }

    /// <summary>The call of Python is over.</summary>
    internal static void ExitPython(bool before)
    {
        _withoutGil = before;
        if (--_depth == 0) Interlocked.Decrement(ref _computing);
    }

    /// <summary>Sleeps forever if the process is shutting down and this thread may not go on.</summary>
    internal static void Park()
    {
        if (Volatile.Read(ref _stopping) is null || MayGoOn()) return;
        if (_depth > 0) Interlocked.Decrement(ref _computing);
        Thread.Sleep(Timeout.Infinite);
    }

    /// <summary>Python begins to shut down, on this thread.</summary>
    /// <returns>How many threads compute for Python and have not been put to sleep yet.</returns>
    internal static int Begin()
    {
        if (Interlocked.CompareExchange(ref _stopping, Thread.CurrentThread, null) is null) Abi.Intercept(Park);
        return Volatile.Read(ref _computing);
    }

    /// <summary>C# ends the process (<see cref="Environment.Exit"/>), on this thread.</summary>
    /// <remarks>
    /// Python's threads may be in an operator that no C# called, where nothing stops them. So what the C runtime would do at its end, which destroys libtorch
    /// under them, is left out: it flushes its files, and ends the process with its code.
    /// </remarks>
    internal static unsafe void End()
    {
        Begin();
        if (OperatingSystem.IsWindows()) return; // it ends all other threads first
        var libc = NativeLibrary.GetMainProgramHandle();
        var end = NativeLibrary.GetExport(libc, "_exit");
        // Last in, first out: these run before any other, in the opposite order.
        if (NativeLibrary.TryGetExport(libc, "on_exit", out var register)) ((delegate* unmanaged<IntPtr, IntPtr, int>)register)(end, IntPtr.Zero);
        else AtExit(libc, end, Environment.ExitCode);
        AtExit(libc, NativeLibrary.TryGetExport(libc, "fcloseall", out var flush) ? flush : NativeLibrary.GetExport(libc, "fflush"), 0);
    }

    private static unsafe void AtExit(IntPtr libc, IntPtr function, nint argument) =>
        ((delegate* unmanaged<IntPtr, nint, IntPtr, int>)NativeLibrary.GetExport(libc, "__cxa_atexit"))(function, argument, IntPtr.Zero);

    private static bool MayGoOn() => _stopping == Thread.CurrentThread || (Python.IsPythonsThread && !_withoutGil);
}

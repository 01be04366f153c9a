using System.Runtime.InteropServices;

namespace Bridge.Host;

/// <summary>Ends this process when the one that started it is gone, whatever runs here then.</summary>
/// <remarks>
/// Two ways, as neither is enough. The kernel sends a signal when the thread that started this process ends, which reaches a stopped process too;
/// and a thread sees that nobody can write requests any more, which is also so when Python closed its end and goes on.
/// </remarks>
internal static unsafe partial class Guard
{
    private const int DeathSignal = 1;
    private const nuint Kill = 9;
    private const short HungUp = 0x10 | 0x08 | 0x20;
    private const int Interrupted = 4;

    /// <param name="requests">The descriptor of the pipe of requests.</param>
    /// <param name="parent">The process that started this one.</param>
    internal static void Begin(int requests, int parent)
    {
        if (OperatingSystem.IsLinux()) _ = prctl(DeathSignal, Kill, 0, 0, 0);
        // It ended before the signal was asked for.
        if (getppid() != parent) Environment.Exit(0);
        new Thread(() => Watch(requests)) { IsBackground = true, Name = "bridge-guard" }.Start();
    }

    private static void Watch(int requests)
    {
        var watched = new Watched { Descriptor = requests };
        while (true)
        {
            var found = poll(&watched, 1, -1);
            if (found < 0 && Marshal.GetLastPInvokeError() == Interrupted) continue;
            // Not Environment.Exit: it waits for what runs, and that may hang.
            if (found < 0 || (watched.Found & HungUp) != 0) _exit(0);
        }
    }

    [LibraryImport("libc")]
    private static partial int prctl(int option, nuint first, nuint second, nuint third, nuint fourth);

    [LibraryImport("libc")]
    private static partial int getppid();

    [LibraryImport("libc", SetLastError = true)]
    private static partial int poll(Watched* watched, nuint count, int milliseconds);

    [LibraryImport("libc")]
    private static partial void _exit(int code);

    private struct Watched
    {
        internal int Descriptor;
        internal short Asked;
        internal short Found;
    }
}

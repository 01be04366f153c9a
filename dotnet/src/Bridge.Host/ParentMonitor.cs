using System.Runtime.InteropServices;

namespace Bridge.Host;

/// <summary>Ends this process when its parent process ends, whatever it is running.</summary>
/// <remarks>
/// Two mechanisms are needed. The kernel sends a signal when the thread that started this process ends, which reaches a stopped process,
/// too. A thread polls the pipe of requests, which also detects that Python closed its end and still runs.
/// </remarks>
internal static unsafe partial class ParentMonitor
{
    private const int DeathSignal = 1;
    private const nuint Kill = 9;
    private const short HungUpEvents = 0x10 | 0x08 | 0x20;
    private const int Interrupted = 4;

    /// <summary>Starts to watch the parent process.</summary>
    /// <param name="requests">The file descriptor of the pipe of requests.</param>
    /// <param name="parent">The id of the parent process.</param>
    internal static void Start(int requests, int parent)
    {
        if (OperatingSystem.IsLinux()) _ = prctl(DeathSignal, Kill, 0, 0, 0);
        // The parent ended before the signal was requested.
        if (getppid() != parent) Environment.Exit(0);
        new Thread(() => WaitForHangUp(requests)) { IsBackground = true, Name = "bridge-guard" }.Start();
    }

    private static void WaitForHangUp(int requests)
    {
        var descriptor = new PollDescriptor { Descriptor = requests };
        while (true)
        {
            var count = poll(&descriptor, 1, -1);
            if (count < 0 && Marshal.GetLastPInvokeError() == Interrupted) continue;
            // Environment.Exit would wait for running threads, which may hang.
            if (count < 0 || (descriptor.ReturnedEvents & HungUpEvents) != 0) _exit(0);
        }
    }

    [LibraryImport("libc")]
    private static partial int prctl(int option, nuint first, nuint second, nuint third, nuint fourth);

    [LibraryImport("libc")]
    private static partial int getppid();

    [LibraryImport("libc", SetLastError = true)]
    private static partial int poll(PollDescriptor* descriptor, nuint count, int milliseconds);

    [LibraryImport("libc")]
    private static partial void _exit(int code);

    private struct PollDescriptor
    {
        internal int Descriptor;
        internal short Events;
        internal short ReturnedEvents;
    }
}

using System.Runtime.InteropServices;

namespace Bridge.Host;

/// <summary>Ends this process, even in the middle of a call, when its parent process ends.</summary>
/// <remarks>
/// On Linux, the kernel kills this process, even if it is stopped, when the parent's thread that started this process ends. In addition,
/// a thread of this process polls the pipe of requests, which hangs up when Python closes the pipe or ends.
/// </remarks>
internal static unsafe partial class ParentMonitor
{
    private const int DeathSignal = 1; // PR_SET_PDEATHSIG
    private const nuint Kill = 9; // SIGKILL
    private const short HungUpEvents = 0x10 | 0x08 | 0x20; // POLLHUP, POLLERR, POLLNVAL
    private const int Interrupted = 4; // EINTR

    /// <summary>Starts to watch the parent process.</summary>
    /// <param name="requests">The file descriptor of the pipe of requests.</param>
    /// <param name="parent">The id of the parent process.</param>
    internal static void Start(int requests, int parent)
    {
        if (OperatingSystem.IsLinux()) _ = prctl(DeathSignal, Kill, 0, 0, 0);
        // The parent may have ended before the signal was requested.
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
            // Environment.Exit would run exit handlers, which may hang while other threads run.
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

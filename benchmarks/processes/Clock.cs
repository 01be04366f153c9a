using System.Runtime.InteropServices;

namespace BenchmarkModels;

/// <summary>How long this thread has computed.</summary>
internal static class Clock
{
    /// <summary>Nanoseconds of its own processor time: what else the machine does is not in it.</summary>
    internal static double Processor()
    {
        const int thread = 3;
        return clock_gettime(thread, out var time) == 0
            ? (1e9 * time.Seconds) + time.Nanoseconds : throw new PlatformNotSupportedException();
    }

    [DllImport("libc")]
    private static extern int clock_gettime(int clock, out Moment time);

    private struct Moment
    {
        public long Seconds;
        public long Nanoseconds;
    }
}

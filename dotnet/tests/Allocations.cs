namespace Bridge.Tests;

/// <summary>Measures allocations on this thread. Compiled into each test assembly that needs it.</summary>
internal static class Allocations
{
    /// <summary>
    /// Returns the fewest bytes of ten runs. A collection started by another thread ends this thread's allocation context, whose rest
    /// counts as allocated: up to 8 KiB in some of the runs, never in all.
    /// </summary>
    public static long Of(Action run)
    {
        var least = long.MaxValue;
        for (var i = 0; i < 10; i++)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            run();
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return least;
    }

    /// <summary>Returns the fewest bytes of a thousand calls, after two hundred calls.</summary>
    public static long OfCalls(Action call)
    {
        Repeat(200, call);
        return Of(() => Repeat(1000, call));
    }

    private static void Repeat(int times, Action call)
    {
        for (var i = 0; i < times; i++) call();
    }
}

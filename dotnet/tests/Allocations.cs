namespace Bridge.Tests;

/// <summary>What code allocates on this thread, for tests that say: nothing. Compiled into each test assembly that asks.</summary>
internal static class Allocations
{
    /// <summary>The bytes of the least of ten runs. A collection that another thread begins ends this thread's allocation
    /// context, and what was free in it counts as allocated: up to 8 KiB in a run of the ten, never in all.</summary>
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

    /// <summary>The same of a call, made a thousand times a run, after two hundred calls that warm it.</summary>
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

using System.Runtime.CompilerServices;

namespace Bridge.Hooks.Tests;

/// <remarks>The process's first thread, whose stack is known without asking, belongs to the test runner: tests/interop/test_recursion.py has it.</remarks>
public class ThreadStackTests
{
    [Fact]
    public void A_thread_with_a_small_stack_is_told_of_its_own_end_where_one_with_a_large_stack_was_before()
    {
        int[] sizes = [16 << 20, 512 << 10, 16 << 20, 512 << 10, 512 << 10];
        var levels = Array.ConvertAll(sizes, size => Levels(size));

        Assert.DoesNotContain(0, levels);
        Assert.True(levels[0] > 8 * levels[1] && levels[2] > 8 * levels[3]);
        Assert.True(IsNear(levels[0], levels[2]) && IsNear(levels[1], levels[3]) && IsNear(levels[1], levels[4]));
    }

    [Fact]
    public void A_thread_that_came_near_its_end_may_go_on_and_is_told_again()
    {
        var (first, again) = (0, 0);
        OnThread(1 << 20, () => (first, again) = (Descend(0), Descend(0)));

        Assert.True(first > 100);
        Assert.True(IsNear(first, again));
    }

    // The code that asks may be compiled anew meanwhile, and then takes a little more or less itself.
    private static bool IsNear(int levels, int others) => Math.Abs(levels - others) <= levels / 50;

    private static int Levels(int size)
    {
        var levels = 0;
        OnThread(size, () => levels = Descend(0));
        return levels;
    }

    private static void OnThread(int size, Action body)
    {
        var thread = new Thread(() => body(), size);
        thread.Start();
        thread.Join();
    }

    // How often it called itself until there was too little stack left: each time with as much, and never as a loop.
    [MethodImpl(MethodImplOptions.NoOptimization | MethodImplOptions.NoInlining)]
    private static int Descend(int level)
    {
        try
        {
            ThreadStack.Check("a target");
        }
        catch (InsufficientExecutionStackException exception)
        {
            Assert.Contains("System.String", exception.Message);
            return level;
        }

        return Descend(level + 1);
    }
}

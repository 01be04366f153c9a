using System.Runtime.CompilerServices;

namespace Bridge.Hooks.Tests;

/// <summary>
/// The check of the remaining stack. tests/interop/test_recursion.py tests the main thread, which belongs to the test runner.
/// </summary>
public class ThreadStackTests
{
    [Fact]
    public void A_small_stack_is_checked_where_a_larger_one_was_before()
    {
        int[] sizes = [16 << 20, 512 << 10, 16 << 20, 512 << 10, 512 << 10];
        var levels = Array.ConvertAll(sizes, size => Levels(size));

        Assert.True(IsNear(levels[0], levels[2]));
        // glibc may give a thread the stack of a thread that has ended, of up to four times the size.
        Assert.All([levels[1], levels[3], levels[4]], small => Assert.InRange(small, levels[0] / 100, levels[0] / 8));
    }

    [Fact]
    public void A_thread_continues_after_the_exception_and_is_checked_again()
    {
        var (first, again) = (0, 0);
        OnThread(1 << 20, () => (first, again) = (Descend(0), Descend(0)));

        Assert.True(first > 100);
        Assert.True(IsNear(first, again));
    }

    // The method may be recompiled meanwhile, and then needs a little more or less stack.
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

    // Returns the number of recursive calls until the stack is nearly used up. Not optimized, so that it is not a loop.
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

using System.Reflection;

namespace Bridge.Hooks;

/// <summary>
/// Marks an exception that represents a Python <c>BaseException</c> which is not an <c>Exception</c> (KeyboardInterrupt, SystemExit):
/// it passes through a call without running always-called hooks, and an always-called hook that throws it is not silenced.
/// </summary>
public interface INotAnError;

/// <summary>Distinguishes interrupts from errors.</summary>
public static class Interrupts
{
    // Real code does not nest deeper; the bound is for what reflection made circular.
    private const int Most = 1000;

    /// <summary>
    /// Whether an exception is an interrupt: marked <see cref="INotAnError"/>, or one of those that .NET itself wraps around what a task, a
    /// reflected method or a static constructor threw, with an interrupt inside. An exception that user code threw in place of an
    /// interrupt is an error. Allocates nothing for what is not a wrapper.
    /// </summary>
    /// <param name="exception">The exception.</param>
    public static bool Carries(Exception exception) => exception is INotAnError || (IsWrapper(exception) && Inside(exception));

    private static bool IsWrapper(Exception exception) =>
        exception is AggregateException or TargetInvocationException or TypeInitializationException;

    private static bool Inside(Exception wrapper)
    {
        var left = new Stack<Exception>([wrapper]);
        for (var seen = 0; seen < Most && left.TryPop(out var next); seen++)
        {
            if (next is INotAnError)
            {
                return true;
            }

            if (next is AggregateException many)
            {
                foreach (var inner in many.InnerExceptions)
                {
                    left.Push(inner);
                }
            }
            else if (IsWrapper(next) && next.InnerException is { } inner)
            {
                left.Push(inner);
            }
        }

        return false;
    }
}

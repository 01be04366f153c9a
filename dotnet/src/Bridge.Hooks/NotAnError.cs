using System.Reflection;

namespace Bridge.Hooks;

/// <summary>
/// Marks an interrupt: the counterpart of a Python <c>BaseException</c> that is not an <c>Exception</c>, such as KeyboardInterrupt.
/// An interrupt leaves a call without running always-called hooks, and is not silenced when an always-called hook throws it.
/// </summary>
public interface INotAnError;

/// <summary>Distinguishes interrupts from errors.</summary>
public static class InterruptCheck
{
    // The maximum number of nested exceptions that are examined.
    private const int MaxExceptions = 1000;

    /// <summary>
    /// Returns whether an exception is an interrupt: an <see cref="INotAnError"/>, or an <see cref="AggregateException"/>,
    /// <see cref="TargetInvocationException"/> or <see cref="TypeInitializationException"/> that contains an interrupt.
    /// </summary>
    /// <param name="exception">The exception.</param>
    public static bool IsInterrupt(Exception exception) =>
        exception is INotAnError || (IsWrapper(exception) && ContainsInterrupt(exception));

    private static bool IsWrapper(Exception exception) =>
        exception is AggregateException or TargetInvocationException or TypeInitializationException;

    private static bool ContainsInterrupt(Exception wrapper)
    {
        var pending = new Stack<Exception>([wrapper]);
        for (var count = 0; count < MaxExceptions && pending.TryPop(out var next); count++)
        {
            if (next is INotAnError)
            {
                return true;
            }

            if (next is AggregateException many)
            {
                foreach (var inner in many.InnerExceptions)
                {
                    pending.Push(inner);
                }
            }
            else if (IsWrapper(next) && next.InnerException is { } inner)
            {
                pending.Push(inner);
            }
        }

        return false;
    }
}

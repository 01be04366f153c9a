using System.Reflection;

namespace Bridge.Hooks;

/// <summary>
/// Marks the counterpart of a Python <c>BaseException</c> that is not an <c>Exception</c>, such as KeyboardInterrupt and SystemExit.
/// It leaves a call without running always-called hooks, and is not silenced when an always-called hook throws it.
/// </summary>
public interface INotAnError;

/// <summary>Tells interrupts from errors.</summary>
public static class Interrupts
{
    // Real code does not nest deeper; the limit is for cycles made by reflection.
    private const int MaxExceptions = 1000;

    /// <summary>
    /// Returns whether an exception is an interrupt: marked <see cref="INotAnError"/>, or an exception by which .NET wraps the
    /// exceptions of tasks, reflected methods and static constructors, with an interrupt inside. An exception that user code throws in
    /// place of an interrupt is an error. Allocates nothing for other exceptions.
    /// </summary>
    /// <param name="exception">The exception.</param>
    public static bool Carries(Exception exception) => exception is INotAnError || (IsWrapper(exception) && ContainsInterrupt(exception));

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

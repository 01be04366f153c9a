using System.Diagnostics;
using System.Reflection;

namespace Bridge.Interop;

/// <summary>Finds the Python exception that caused a C# exception.</summary>
internal static class ExceptionCause
{
    private const int MaxExamined = 1000;

    /// <summary>
    /// Returns the Python exception that caused a C# exception; null if there is none. Among the C# exception and its inner exceptions,
    /// prefers a <see cref="PythonInterrupt"/>, then a Python exception that is not detached (<see cref="PythonException.IsDetached"/>),
    /// then any other Python exception. If none of them is a Python exception, returns a Python exception that a catch or finally block
    /// was handling when the C# exception was thrown.
    /// </summary>
    internal static PythonException? Find(Exception thrown, CallExceptions.Scope scope)
    {
        PythonException? first = null;
        PythonInterrupt? detached = null;
        var pending = new Stack<Exception>([thrown]);
        for (var seen = 0; seen < MaxExamined && pending.TryPop(out var next); seen++)
        {
            var python = scope.Find(next);
            // A nested call detaches its interrupt (releases its Python object) and throws a new exception for the same interrupt. So the
            // search goes on after a detached interrupt: one that is not detached may follow.
            if (python is PythonInterrupt { IsDetached: false }) return python;
            detached ??= python as PythonInterrupt;
            if (first is null || (first.IsDetached && python is { IsDetached: false })) first = python;
            if (next is AggregateException { InnerExceptions: { } all }) foreach (var inner in all.Reverse()) pending.Push(inner);
            else if (next.InnerException is { } inner) pending.Push(inner);
        }

        return detached ?? first
            ?? scope.Entered.Where(item => IsThrownWhileHandling(thrown, item.Key)).Select(item => item.Value).FirstOrDefault();
    }

    // .NET does not tell which exception a handler handles. But the method with the handler is on the stacks of both exceptions: on that of
    // the thrown exception, at an offset inside the handler; on that of the handled exception, at an offset inside the try block.
    private static bool IsThrownWhileHandling(Exception thrown, Exception handled)
    {
        var handledFrames = new StackTrace(handled).GetFrames();
        foreach (var frame in new StackTrace(thrown).GetFrames())
        {
            if (frame.GetMethod() is not { } method) continue;
            foreach (var clause in Clauses(method))
            {
                if (IsWithin(frame, clause.HandlerOffset, clause.HandlerLength)
                    && handledFrames.Any(other => other.GetMethod() == method && IsWithin(other, clause.TryOffset, clause.TryLength)))
                    return true;
            }
        }

        return false;
    }

    private static IList<ExceptionHandlingClause> Clauses(MethodBase method)
    {
        try
        {
            return method.GetMethodBody()?.ExceptionHandlingClauses ?? [];
        }
        catch (Exception exception) when (exception is InvalidOperationException or NotSupportedException)
        {
            return []; // a dynamic method has no body to inspect
        }
    }

    private static bool IsWithin(StackFrame frame, int start, int length) =>
        frame.GetILOffset() is var offset && offset >= start && offset < start + length;
}

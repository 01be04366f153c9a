using System.Diagnostics;
using System.Reflection;

namespace Bridge.Interop;

/// <summary>Finds the Python exception that caused a C# exception.</summary>
internal static class ExceptionCause
{
    /// <summary>The maximum number of inner exceptions that are examined.</summary>
    private const int MaxExamined = 1000;

    /// <summary>
    /// Returns the Python exception that is the cause: an interrupt if there is one, else the first of the inner exceptions, detached ones
    /// last, else an exception that was being handled, or passed through a finally block, when this one was thrown; null if there is none.
    /// </summary>
    internal static PythonException? Find(Exception thrown, CallExceptions.Scope scope)
    {
        PythonException? first = null;
        PythonInterrupt? detached = null;
        var left = new Stack<Exception>([thrown]);
        for (var seen = 0; seen < MaxExamined && left.TryPop(out var next); seen++)
        {
            var python = scope.Find(next);
            // An interrupt that entered in a nested call was detached at its end, which raised it again: the object raised there comes
            // first.
            if (python is PythonInterrupt { IsDetached: false }) return python;
            detached ??= python as PythonInterrupt;
            if (first is null || (first.IsDetached && python is { IsDetached: false })) first = python;
            if (next is AggregateException { InnerExceptions: { } all }) foreach (var inner in all.Reverse()) left.Push(inner);
            else if (next.InnerException is { } inner) left.Push(inner);
        }

        return detached ?? first
            ?? scope.Entered.Where(item => IsThrownWhileHandling(thrown, item.Key)).Select(item => item.Value).FirstOrDefault();
    }

    // .NET does not tell which exception is being handled. But a method that threw within a handler is on both stacks: on that of the
    // thrown exception inside the handler, and on that of the handled exception inside the try block of that handler.
    private static bool IsThrownWhileHandling(Exception thrown, Exception handled)
    {
        var before = new StackTrace(handled).GetFrames();
        foreach (var frame in new StackTrace(thrown).GetFrames())
        {
            if (frame.GetMethod() is not { } method) continue;
            foreach (var clause in Clauses(method))
            {
                if (IsWithin(frame, clause.HandlerOffset, clause.HandlerLength)
                    && before.Any(other => other.GetMethod() == method && IsWithin(other, clause.TryOffset, clause.TryLength)))
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

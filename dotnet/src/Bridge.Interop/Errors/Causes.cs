using System.Diagnostics;
using System.Reflection;

namespace Bridge.Interop;

/// <summary>Which Python exception caused an exception of C#.</summary>
internal static class Causes
{
    /// <summary>The most inner exceptions that are examined: real code does not wrap more.</summary>
    private const int Most = 1000;

    /// <summary>
    /// The Python exception that is the cause: an interrupt, if there is one, or the first among the inner exceptions, copies last; else one that
    /// was being handled, or passed through a finally, when this one was thrown. What was handled before is not a cause.
    /// </summary>
    internal static PythonException? Find(Exception thrown, PythonErrors.Entry entry)
    {
        PythonException? first = null;
        PythonInterrupt? copied = null;
        var left = new Stack<Exception>([thrown]);
        for (var seen = 0; seen < Most && left.TryPop(out var next); seen++)
        {
            var python = entry.Of(next);
            // One that entered on a thread of .NET's while this thread ran a call of its own within this one ended with that call, which raised it
            // again: the object itself is the one that came of it.
            if (python is PythonInterrupt { IsDetached: false }) return python;
            copied ??= python as PythonInterrupt;
            if (first is null || (first.IsDetached && python is { IsDetached: false })) first = python;
            if (next is AggregateException { InnerExceptions: { } all }) foreach (var inner in all.Reverse()) left.Push(inner);
            else if (next.InnerException is { } inner) left.Push(inner);
        }

        return copied ?? first ?? entry.Entered.Where(item => WhileHandling(thrown, item.Key)).Select(item => item.Value).FirstOrDefault();
    }

    // .NET does not say what is being handled. But a method that threw from within a handler is on the stack of what was thrown, inside of that
    // handler's code, and on the stack of what it handles, inside of the block which the handler belongs to.
    private static bool WhileHandling(Exception thrown, Exception handled)
    {
        var before = new StackTrace(handled).GetFrames();
        foreach (var frame in new StackTrace(thrown).GetFrames())
        {
            if (frame.GetMethod() is not { } method) continue;
            foreach (var clause in Clauses(method))
            {
                if (Within(frame, clause.HandlerOffset, clause.HandlerLength)
                    && before.Any(other => other.GetMethod() == method && Within(other, clause.TryOffset, clause.TryLength)))
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
            return []; // made at run time: it has no body to look into
        }
    }

    private static bool Within(StackFrame frame, int offset, int length) => frame.GetILOffset() is var at && at >= offset && at < offset + length;
}

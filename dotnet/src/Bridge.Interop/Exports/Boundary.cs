using System.Collections.Concurrent;
using System.Reflection;

namespace Bridge.Interop;

/// <summary>How every export begins and ends.</summary>
/// <remarks>
/// An exception that escaped an export would end the process, so each runs its body here, where everything is caught. What failed is left as
/// CPython's pending error, as any C function of Python leaves it: Python raises it in this very call, and no outcome is stored
/// anywhere, whatever else runs on the thread meanwhile. The GIL is held at both ends.
/// </remarks>
internal static unsafe class Boundary
{
    /// <summary>What C# threw, by the address of the Python exception that represents it.</summary>
    private static readonly ConcurrentDictionary<IntPtr, Exception> Thrown = new();

    /// <summary>Runs the body of an export that is a builtin of Python. A call that ends well allocates nothing here.</summary>
    /// <returns>A new reference to the result; zero when an error is pending.</returns>
    internal static IntPtr Run(delegate*<IntPtr*, int, IntPtr> body, IntPtr* arguments, nint count)
    {
        var entry = PythonErrors.Enter();
        var result = IntPtr.Zero;
        Exception? thrown = null;
        try
        {
            result = body(arguments, (int)count);
        }
        catch (Exception exception)
        {
            // Settled below: no Python on the stack of a handler, which .NET keeps until the handler ends.
            thrown = exception;
        }

        if (End(entry, thrown)) return result;
        if (result != IntPtr.Zero) Python.Decrease(result);
        return IntPtr.Zero;
    }

    /// <summary>
    /// What to throw for a Python exception that enters .NET. If it represents what C# threw, that is thrown again, so that attaching a
    /// Python hook does not change what C# catches.
    /// </summary>
    /// <param name="exception">The exception object; the reference is taken over.</param>
    /// <param name="typeName">The name of its class.</param>
    /// <param name="interrupt">It is not an <c>Exception</c>.</param>
    internal static Exception Raised(IntPtr exception, string typeName, bool interrupt)
    {
        var python = interrupt ? new PythonInterrupt(exception, typeName) : new PythonException(exception, typeName);
        if (Thrown.TryGetValue(exception, out var thrown)) python.Original = thrown;
        PythonErrors.Add(python);
        return thrown ?? python;
    }

    /// <summary>The Python exception at this address, which represented what C# threw, is gone.</summary>
    internal static void ForgetException(IntPtr exception) => Thrown.TryRemove(exception, out _);

    /// <summary>A new reference to a copy of an exception that holds no frames; zero if there can be none. No error is pending then.</summary>
    internal static IntPtr WithoutFrames(IntPtr exception)
    {
        var copy = Python.TryInvoke(Imports.WithoutFrames, &exception, 1);
        // An interrupt that comes just now does not belong to this call's exceptions yet, and is raised at its end.
        if (copy == IntPtr.Zero) _ = Python.Error();
        return copy;
    }

    /// <returns>The call gives its result; otherwise an error is pending.</returns>
    private static bool End(PythonErrors.Entry entry, Exception? thrown)
    {
        if (thrown is null && entry.IsQuiet)
        {
            entry.Leave();
            // An error may be pending that nobody has looked at: PyTorch leaves one where a mode raises while an operator in place takes a tensor's hooks away.
            return !Python.HasError;
        }

        try
        {
            Settle(entry, thrown);
        }
        catch (Exception exception)
        {
            // There is not enough stack or memory left to say more.
            if (!Python.HasError) Python.RaiseSystemError($"an error in .NET cannot be described: {exception.GetType()}");
        }

        entry.Leave();
        return !Python.HasError;
    }

    /// <summary>Leaves the outcome of the call as the pending error, if it is one, and frees the frames of all that entered meanwhile.</summary>
    private static void Settle(PythonErrors.Entry entry, Exception? thrown)
    {
        // .NET wraps what a constructor or a reflected method threw, which only obscures the message.
        while (thrown is TargetInvocationException { InnerException: { } inner }) thrown = inner;
        var raised = thrown is null ? null : entry.Of(thrown);
        var cause = thrown is null || raised is not null ? null : Causes.Find(thrown, entry);
        // Nothing may swallow an interrupt, or make something else of it.
        if (raised is not PythonInterrupt { IsDetached: false }) raised = cause as PythonInterrupt ?? entry.Interrupt ?? raised;

        var item = (raised ?? cause)?.NewReference() ?? IntPtr.Zero;
        entry.Detach(raised ?? cause);
        if (raised is not PythonInterrupt && entry.Interrupt is { } late)
        {
            if (item != IntPtr.Zero) Python.Decrease(item);
            (raised, item) = (late, late.NewReference());
        }

        if (raised is not null) Python.Raise(item);
        else if (thrown is not null) Describe(Python.Released(() => new Failure(thrown)), thrown, item);
    }

    /// <summary>Leaves a Python exception pending that represents what C# threw.</summary>
    /// <param name="failure">What is known of it.</param>
    /// <param name="thrown">It.</param>
    /// <param name="cause">The Python exception that it came of, or zero; the reference is taken over.</param>
    private static void Describe(Failure failure, Exception thrown, IntPtr cause)
    {
        var arguments = stackalloc IntPtr[7];
        var made = 0;
        try
        {
            arguments[made++] = cause != IntPtr.Zero ? cause : Python.None();
            arguments[made] = Python.Number(failure.ModuleId);
            made++;
            foreach (var text in (string[])[failure.ModuleType, failure.Kind, failure.Type, failure.Message, failure.Stack])
            {
                arguments[made] = Python.Text(text);
                made++;
            }

            var error = Python.TryInvoke(Imports.Describe, arguments, made);
            if (error == IntPtr.Zero) return; // an interrupt came, or Python's own recursion limit
            // If it comes back to .NET, C# sees the exception that it threw.
            Thrown[error] = thrown;
            Python.RaiseNew(error);
        }
        finally
        {
            while (made > 0) Python.Decrease(arguments[--made]);
        }
    }
}

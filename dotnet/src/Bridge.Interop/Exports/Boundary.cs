using System.Collections.Concurrent;
using System.Reflection;

namespace Bridge.Interop;

/// <summary>Runs the bodies of exports, the functions that Python calls, so that no exception leaves .NET.</summary>
/// <remarks>
/// An exception that left an export would end the process. Instead, an exception of the body becomes CPython's pending error, as in any C
/// function, and Python raises the error at this call. The GIL is held when an export begins and when it ends.
/// </remarks>
internal static unsafe class Boundary
{
    /// <summary>The exceptions that C# threw, by the address of the Python exception that represents each.</summary>
    private static readonly ConcurrentDictionary<IntPtr, Exception> Thrown = new();

    /// <summary>Runs the body of an export. Allocates nothing unless an exception enters or leaves, or on a thread's first call.</summary>
    /// <returns>The address of the result, a new reference; zero if an error is pending.</returns>
    internal static IntPtr Run(delegate*<BorrowedReference*, int, OwnedReference> body, BorrowedReference* arguments, nint count)
    {
        var scope = CallExceptions.Enter();
        OwnedReference result = default;
        Exception? thrown = null;
        try
        {
            result = body(arguments, (int)count);
        }
        catch (Exception exception)
        {
            // Handled below: .NET keeps the frames of the throwing code until this block ends, and Python must not run on top of them.
            thrown = exception;
        }

        if (End(scope, thrown)) return result.Steal();
        result.Dispose();
        return IntPtr.Zero;
    }

    /// <summary>
    /// Returns the exception to throw for a Python exception that enters .NET. If the Python exception represents a C# exception, returns
    /// the C# exception, so that attaching a Python hook does not change what C# catches.
    /// </summary>
    /// <param name="exception">The exception object.</param>
    /// <param name="typeName">The name of the exception's class.</param>
    /// <param name="interrupt">Whether the class, such as KeyboardInterrupt, does not derive from <c>Exception</c>.</param>
    internal static Exception ToException(OwnedReference exception, string typeName, bool interrupt)
    {
        var address = exception.Borrow().Address;
        var python = interrupt ? new PythonInterrupt(exception, typeName) : new PythonException(exception, typeName);
        if (Thrown.TryGetValue(address, out var thrown)) python.Original = thrown;
        CallExceptions.Add(python);
        return thrown ?? python;
    }

    /// <summary>Forgets the C# exception of a Python exception that was freed.</summary>
    internal static void ForgetException(IntPtr exception) => Thrown.TryRemove(exception, out _);

    /// <summary>
    /// Returns a copy of an exception without its traceback, or a RuntimeError if the exception cannot be copied; null, without a pending
    /// error, if the Python function fails, for example by an interrupt.
    /// </summary>
    internal static OwnedReference WithoutFrames(BorrowedReference exception)
    {
        var copy = Python.TryCall(Imports.WithoutFrames, &exception, 1);
        // FetchError adds an interrupt that arrived during the copy to the exceptions of this call. The end of the call raises it.
        if (copy.IsNull) _ = Python.FetchError();
        return copy;
    }

    /// <summary>Ends a call. Returns whether the call has a result; otherwise an error is pending.</summary>
    private static bool End(CallExceptions.Scope scope, Exception? thrown)
    {
        if (thrown is null && scope.IsEmpty)
        {
            scope.Leave();
            // PyTorch leaves an error pending if a torch function mode raises while an in-place operator removes a tensor's hooks.
            return !Python.HasError;
        }

        try
        {
            SetError(scope, thrown);
        }
        catch (Exception exception)
        {
            // There is not enough stack or memory left to describe the exception.
            if (!Python.HasError) Python.SetSystemError($"an error in .NET cannot be described: {exception.GetType()}");
        }

        scope.Leave();
        return !Python.HasError;
    }

    /// <summary>
    /// Sets the pending error if the call threw or was interrupted. Frees the tracebacks of the Python exceptions that entered .NET.
    /// </summary>
    private static void SetError(CallExceptions.Scope scope, Exception? thrown)
    {
        // .NET wraps the exceptions of constructors and reflected methods.
        while (thrown is TargetInvocationException { InnerException: { } inner }) thrown = inner;
        var raised = thrown is null ? null : scope.Find(thrown);
        var cause = thrown is null || raised is not null ? null : ExceptionCause.Find(thrown, scope);
        // An interrupt must be neither swallowed nor replaced.
        if (raised is not PythonInterrupt { IsDetached: false }) raised = cause as PythonInterrupt ?? scope.Interrupt ?? raised;

        var item = (raised ?? cause) is { } first ? first.NewReference() : default;
        scope.Detach(raised ?? cause);
        // Detaching runs Python code, during which an interrupt may arrive.
        if (raised is not PythonInterrupt && scope.Interrupt is { } late)
        {
            item.Dispose();
            raised = late;
            item = late.NewReference();
        }

        if (raised is not null) Python.RestoreError(item);
        else if (thrown is not null) SetError(Python.WithoutGil(() => new ExceptionDetails(thrown)), thrown, item);
    }

    /// <summary>Sets the pending error to a new Python exception that represents a C# exception.</summary>
    /// <param name="details">The details of the exception.</param>
    /// <param name="thrown">The exception.</param>
    /// <param name="cause">The Python exception that caused the C# exception, or null.</param>
    private static void SetError(ExceptionDetails details, Exception thrown, OwnedReference cause)
    {
        using var arguments = new OwnedArguments(stackalloc IntPtr[7]);
        arguments.Add(cause.IsNull ? Imports.None.NewReference() : cause);
        arguments.Add(Python.NewInt(details.ModuleId));
        arguments.Add(Python.NewText(details.ModuleType));
        arguments.Add(Python.NewText(details.Kind));
        arguments.Add(Python.NewText(details.Type));
        arguments.Add(Python.NewText(details.Message));
        arguments.Add(Python.NewText(details.Stack));
        var error = arguments.TryCall(Imports.Describe);
        if (error.IsNull) return; // an interrupt arrived, or Python's recursion limit is reached
        // If this error enters .NET again, C# catches the same exception that it threw.
        Thrown[error.Borrow().Address] = thrown;
        Python.SetError(error);
    }
}

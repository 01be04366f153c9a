namespace Bridge.Interop;

/// <summary>A Python exception on its way through C#, which C# may catch. If it leaves C#, Python raises the same object again.</summary>
/// <remarks>
/// At the end of the call in which the exception entered .NET, a copy without the traceback replaces the Python object. A traceback keeps
/// the locals of Python's frames alive, such as tensors, and C# may keep the exception until the next garbage collection.
/// </remarks>
public class PythonException : Exception, Hooks.IForeignException
{
    private IntPtr _object; // An owned reference.

    internal PythonException(OwnedReference exception, string typeName)
        : base($"Python's {typeName} is passing through C#; it is raised again where Python called .NET.")
    {
        _object = exception.Steal();
        TypeName = typeName;
    }

    /// <summary>Releases the reference when the GIL is next held.</summary>
    ~PythonException()
    {
        var item = Interlocked.Exchange(ref _object, IntPtr.Zero);
        if (item != IntPtr.Zero) Python.DecRefLater(item);
    }

    /// <summary>The name of the exception's class in Python, such as <c>ValueError</c>.</summary>
    public string TypeName { get; }

    /// <summary>The C# exception that this Python exception represents, if any.</summary>
    internal Exception? Original { get; set; }

    /// <summary>Whether <see cref="Detach"/> has released the Python object.</summary>
    internal bool IsDetached { get; private set; }

    /// <summary>Returns a new reference to the exception object, or to a new SystemError if no object is left. The GIL is held.</summary>
    internal OwnedReference NewReference() => _object == IntPtr.Zero
        ? Python.NewSystemError($"C# threw a {TypeName} of an earlier call again, but no copy of the exception could be kept")
        : new BorrowedReference(_object).NewReference();

    /// <summary>Replaces the Python object by a copy without the traceback, if the copy is needed. The GIL is held.</summary>
    internal void Detach()
    {
        var item = _object;
        if (item == IntPtr.Zero) return;
        IsDetached = true;
        // If there is an original, C# sees it instead of this exception, so no copy is needed.
        _object = Original is null ? Boundary.WithoutFrames(new(item)).Steal() : IntPtr.Zero;
        // Last: freeing the frames may run Python code.
        Python.DecRef(item);
    }
}

/// <summary>
/// A Python exception whose class does not derive from <c>Exception</c>, such as KeyboardInterrupt. C# cannot swallow it: Python raises it
/// even if C# catches it. Hooks registered with <c>always_call</c> do not run for it (A-4 in docs/contract.md).
/// </summary>
public sealed class PythonInterrupt : PythonException, Hooks.INotAnError
{
    internal PythonInterrupt(OwnedReference exception, string typeName) : base(exception, typeName) { }
}

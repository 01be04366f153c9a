namespace Bridge.Interop;

/// <summary>A Python exception on its way through C#, which C# may catch. If it leaves C#, Python raises the same object again.</summary>
/// <remarks>
/// The exception object belongs to the call in which it was raised: its traceback keeps the locals of Python's frames alive, tensors too,
/// and only a garbage collection would tell when C# no longer needs it. At the end of that call a copy without the traceback takes its
/// place.
/// </remarks>
public class PythonException : Exception, Hooks.IForeignException
{
    // An owned reference.
    private IntPtr _object;

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

    /// <summary>The name of its class in Python, such as <c>ValueError</c>.</summary>
    public string TypeName { get; }

    /// <summary>The C# exception that this Python exception represents, if any.</summary>
    internal Exception? Original { get; set; }

    /// <summary>Whether the call in which it entered has ended, and its object is a copy.</summary>
    internal bool IsDetached { get; private set; }

    /// <summary>Returns a new reference to the exception object. The GIL is held.</summary>
    internal OwnedReference NewReference() => _object == IntPtr.Zero
        ? Python.NewSystemError($"C# threw a {TypeName} of an earlier call, which could not be stored")
        : new BorrowedReference(_object).NewReference();

    /// <summary>Replaces the exception object by a copy without its traceback, at the end of the call. The GIL is held.</summary>
    internal void Detach()
    {
        var item = _object;
        if (item == IntPtr.Zero) return;
        IsDetached = true;
        // A represented C# exception is thrown as itself, so it needs no copy.
        _object = Original is null ? Boundary.WithoutFrames(new(item)).Steal() : IntPtr.Zero;
        // Last: freeing the frames may run Python code.
        Python.DecRef(item);
    }
}

/// <summary>
/// A Python exception that is not an error (KeyboardInterrupt, SystemExit): nothing may swallow it, and always-called hooks do not see it
///
/// </summary>
public sealed class PythonInterrupt : PythonException, Hooks.INotAnError
{
    internal PythonInterrupt(OwnedReference exception, string typeName) : base(exception, typeName) { }
}

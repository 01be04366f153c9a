namespace Bridge.Interop;

/// <summary>
/// A Python exception on its way through C#. It is raised again, the very same object, where Python called; C# may catch it like any other.
/// </summary>
/// <remarks>
/// The object belongs to the call in which it was raised, for its traceback keeps all that was alive in Python's frames, tensors too, and only
/// .NET's collector would know when C# is done with it. When that call ends, what C# may have kept becomes a copy without frames.
/// </remarks>
public class PythonException : Exception, Hooks.IForeignException
{
    private IntPtr _object;

    internal PythonException(IntPtr exception, string typeName)
        : base($"Python's {typeName} is passing through C#; it is raised again where Python called .NET.")
    {
        _object = exception;
        TypeName = typeName;
    }

    /// <summary>Gives the reference back when the GIL is next held.</summary>
    ~PythonException()
    {
        var reference = Interlocked.Exchange(ref _object, IntPtr.Zero);
        if (reference != IntPtr.Zero) Python.Drop(reference);
    }

    /// <summary>The name of its class in Python, such as <c>ValueError</c>.</summary>
    public string TypeName { get; }

    /// <summary>What C# threw, if this Python exception represents that.</summary>
    internal Exception? Original { get; set; }

    /// <summary>The call that it entered in is over: its object is a copy.</summary>
    internal bool IsDetached { get; private set; }

    /// <summary>A new reference to the exception object. The GIL is held.</summary>
    internal IntPtr NewReference()
    {
        if (_object == IntPtr.Zero) return Python.NewSystemError($"C# threw a {TypeName} of an earlier call, which could not be stored");
        Python.Increase(_object);
        return _object;
    }

    /// <summary>The call is over: a copy without frames takes the object's place. The GIL is held.</summary>
    internal void Detach()
    {
        var item = _object;
        if (item == IntPtr.Zero) return;
        IsDetached = true;
        // What C# threw itself is thrown again as that, and needs no copy.
        _object = Original is null ? Boundary.WithoutFrames(item) : IntPtr.Zero;
        // Last: what dies with it may run Python code.
        Python.Decrease(item);
    }
}

/// <summary>A Python exception that is not an error (KeyboardInterrupt, SystemExit): nothing may swallow it, and always-called hooks do not see it .</summary>
public sealed class PythonInterrupt : PythonException, Hooks.INotAnError
{
    internal PythonInterrupt(IntPtr exception, string typeName) : base(exception, typeName) { }
}

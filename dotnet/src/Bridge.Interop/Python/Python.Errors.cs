using System.Runtime.InteropServices;

namespace Bridge.Interop;

/// <summary>CPython's pending error: taken out where Python failed below, left where an export fails.</summary>
internal static unsafe partial class Python
{

    /// <summary>An error is pending.</summary>
    internal static bool HasError => Imports.PyErr_Occurred() != IntPtr.Zero;

    /// <summary>A new reference to a str; half of a surrogate pair is one in Python too.</summary>
    internal static IntPtr Text(string text)
    {
        var order = BitConverter.IsLittleEndian ? -1 : 1;
        fixed (char* start = text)
        fixed (byte* errors = "surrogatepass\0"u8)
            return Checked(Imports.PyUnicode_DecodeUTF16(start, (nint)text.Length * sizeof(char), errors, &order));
    }

    /// <summary>A new reference to a bytes object.</summary>
    internal static IntPtr Bytes(ReadOnlySpan<byte> bytes)
    {
        fixed (byte* start = bytes) return Checked(Imports.PyBytes_FromStringAndSize(start, bytes.Length));
    }

    /// <summary>Calls a Python function; a new reference to its result, or zero, and what it raised is pending.</summary>
    internal static IntPtr TryInvoke(IntPtr function, IntPtr* arguments, int count) => Imports.PyObject_Vectorcall(function, arguments, (nuint)count, IntPtr.Zero);

    /// <summary>Leaves an exception pending that was raised before, with the traceback that it has.</summary>
    /// <param name="exception">The reference is taken over.</param>
    internal static void Raise(IntPtr exception)
    {
        if (Imports.PyErr_SetRaisedException != null)
        {
            Imports.PyErr_SetRaisedException(exception);
            return;
        }

        var type = TypeOf(exception);
        Increase(type);
        Imports.PyErr_Restore(type, exception, Imports.PyException_GetTraceback(exception));
    }

    /// <summary>Leaves a new exception pending, whose context is what Python is handling.</summary>
    /// <param name="exception">The reference is taken over.</param>
    internal static void RaiseNew(IntPtr exception)
    {
        Imports.PyErr_SetObject(TypeOf(exception), exception);
        Decrease(exception);
    }

    /// <summary>Leaves a SystemError pending.</summary>
    internal static void RaiseSystemError(string message) => RaiseNew(NewSystemError(message));

    /// <summary>A new reference to a SystemError.</summary>
    internal static IntPtr NewSystemError(string message)
    {
        var text = Text(message);
        try
        {
            return Invoke(Imports.SystemError, &text, 1);
        }
        finally
        {
            Decrease(text);
        }
    }

    /// <summary>What a function of CPython gave, unless it failed.</summary>
    internal static IntPtr Checked(IntPtr item) => item != IntPtr.Zero ? item : throw Error();

    /// <summary>Takes the pending error out of the interpreter: what is to be thrown for it.</summary>
    internal static Exception Error() => Taken(keep: false);

    /// <summary>The same for an operator below a call of libtorch: what Python code raised in it is kept.</summary>
    internal static Exception ErrorBelow() => Taken(keep: true);

    private static Exception Taken(bool keep)
    {
        IntPtr exception;
        if (Imports.PyErr_GetRaisedException != null)
        {
            exception = Imports.PyErr_GetRaisedException();
        }
        else
        {
            // Python 3.11 keeps type, value and traceback apart; normalized, the value is the exception object.
            IntPtr type, value, traceback;
            Imports.PyErr_Fetch(&type, &value, &traceback);
            Imports.PyErr_NormalizeException(&type, &value, &traceback);
            exception = value;
            if (type != IntPtr.Zero) Decrease(type);
            if (traceback != IntPtr.Zero)
            {
                Imports.PyException_SetTraceback(value, traceback);
                Decrease(traceback);
            }
        }

        if (exception == IntPtr.Zero) return new InvalidOperationException("A Python function failed without an exception.");
        // PyTorch's own error comes from no frame of Python's.
        if (keep && Imports.PyException_GetTraceback(exception) is var frames && frames != IntPtr.Zero)
        {
            Decrease(frames);
            Keep(exception);
        }

        return Raised(exception);
    }

    // What is not an Exception only passes through. The reference is taken over.
    private static Exception Raised(IntPtr exception) =>
        Boundary.Raised(exception, NameOf(TypeOf(exception)), interrupt: Imports.PyErr_GivenExceptionMatches(exception, Imports.Exception) == 0);

    /// <summary>What the operator that this thread runs fails with, of which libtorch passes on the text alone.</summary>
    [ThreadStatic]
    private static IntPtr _kept;

    /// <summary>Keeps an exception until that operator has failed.</summary>
    internal static void Keep(IntPtr exception)
    {
        Increase(exception);
        var before = _kept;
        _kept = exception;
        if (before != IntPtr.Zero) Decrease(before);
    }

    /// <summary>The error that Python code below a call of libtorch left, if it was that.</summary>
    internal static Exception? Pending()
    {
        Shutdown.Park();
        var state = Imports.PyGILState_Ensure();
        try
        {
            var kept = _kept;
            _kept = IntPtr.Zero;
            if (!HasError) return kept == IntPtr.Zero ? null : Raised(kept);
            if (kept != IntPtr.Zero) Decrease(kept);
            return Error();
        }
        finally
        {
            Imports.PyGILState_Release(state);
        }
    }

    private static string NameOf(IntPtr type)
    {
        var name = Checked(Imports.PyType_GetName(type));
        try
        {
            nint length;
            return Marshal.PtrToStringUTF8((IntPtr)Imports.PyUnicode_AsUTF8AndSize(name, &length), checked((int)length));
        }
        finally
        {
            Decrease(name);
        }
    }
}

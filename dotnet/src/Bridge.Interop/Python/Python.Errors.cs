using System.Runtime.InteropServices;

namespace Bridge.Interop;

/// <summary>CPython's error indicator, and the objects that errors are made of.</summary>
internal static unsafe partial class Python
{
    /// <summary>The exception with which this thread's running operator fails, kept since libtorch passes on only its text.</summary>
    [ThreadStatic]
    private static IntPtr _operatorError;

    internal static bool HasError => !Imports.PyErr_Occurred().IsNull;

    /// <summary>Returns a new str. Unpaired surrogates are kept.</summary>
    internal static OwnedReference NewText(string text)
    {
        var order = BitConverter.IsLittleEndian ? -1 : 1;
        fixed (char* start = text)
        fixed (byte* errors = "surrogatepass\0"u8)
            return ThrowIfNull(Imports.PyUnicode_DecodeUTF16(start, (nint)text.Length * sizeof(char), errors, &order));
    }

    internal static OwnedReference NewBytes(scoped ReadOnlySpan<byte> bytes)
    {
        fixed (byte* start = bytes) return ThrowIfNull(Imports.PyBytes_FromStringAndSize(start, bytes.Length));
    }

    internal static OwnedReference NewSystemError(string message)
    {
        using var text = NewText(message);
        var argument = text.Borrow();
        return Call(Imports.SystemError, &argument, 1);
    }

    /// <summary>Sets the pending error to an exception that was raised before, with its traceback.</summary>
    internal static void RestoreError(OwnedReference exception)
    {
        if (Imports.PyErr_SetRaisedException != null)
        {
            Imports.PyErr_SetRaisedException(exception.Steal());
            return;
        }

        var item = exception.Borrow();
        Imports.PyErr_Restore(TypeOf(item).NewReference().Steal(), exception.Steal(), Imports.PyException_GetTraceback(item).Steal());
    }

    /// <summary>Sets the pending error to a new exception, whose <c>__context__</c> is the exception that Python is handling.</summary>
    internal static void SetError(OwnedReference exception)
    {
        using var item = exception;
        Imports.PyErr_SetObject(TypeOf(item.Borrow()), item.Borrow());
    }

    /// <summary>Sets the pending error to a new SystemError.</summary>
    internal static void SetSystemError(string message) => SetError(NewSystemError(message));

    /// <summary>Returns the result of a CPython function; throws the pending error if the result is null.</summary>
    internal static OwnedReference ThrowIfNull(OwnedReference item) => !item.IsNull ? item : throw FetchError();

    /// <summary>Clears the pending error and returns the exception to throw for it.</summary>
    internal static Exception FetchError() => Fetch(save: false);

    /// <summary>
    /// Clears the pending error of an operator that a Python kernel called, and returns the exception to throw for it. If Python code
    /// raised the error, also saves it (<see cref="SaveOperatorError"/>).
    /// </summary>
    internal static Exception FetchOperatorError() => Fetch(save: true);

    private static Exception Fetch(bool save)
    {
        OwnedReference exception;
        if (Imports.PyErr_GetRaisedException != null)
        {
            exception = Imports.PyErr_GetRaisedException();
        }
        else
        {
            // Python 3.11 keeps type, value and traceback apart. Normalized, the value is the exception object.
            OwnedReference type, traceback;
            Imports.PyErr_Fetch(&type, &exception, &traceback);
            Imports.PyErr_NormalizeException(&type, &exception, &traceback);
            if (!traceback.IsNull) _ = Imports.PyException_SetTraceback(exception.Borrow(), traceback.Borrow());
            type.Dispose();
            traceback.Dispose();
        }

        if (exception.IsNull) return new InvalidOperationException("A Python function failed without an exception.");
        if (save)
        {
            // An error that PyTorch itself raised has no traceback.
            using var traceback = Imports.PyException_GetTraceback(exception.Borrow());
            if (!traceback.IsNull) SaveOperatorError(exception.Borrow());
        }

        return ToException(exception);
    }

    // KeyboardInterrupt and SystemExit are interrupts, because they do not derive from Exception.
    private static Exception ToException(OwnedReference exception)
    {
        var item = exception.Borrow();
        return Boundary.ToException(exception, NameOf(TypeOf(item)), Imports.PyErr_GivenExceptionMatches(item, Imports.Exception) == 0);
    }

    /// <summary>Keeps the exception with which the running operator of this thread is about to fail.</summary>
    internal static void SaveOperatorError(BorrowedReference exception)
    {
        IncRef(exception);
        var before = _operatorError;
        _operatorError = exception.Address;
        if (before != IntPtr.Zero) DecRef(before);
    }

    /// <summary>Returns the exception that Python code raised during a call of libtorch; null if there is none. Takes the GIL.</summary>
    internal static Exception? TakeOperatorError()
    {
        Shutdown.Park();
        var state = Imports.PyGILState_Ensure();
        try
        {
            var saved = new OwnedReference(_operatorError);
            _operatorError = IntPtr.Zero;
            if (!HasError) return saved.IsNull ? null : ToException(saved);
            saved.Dispose();
            return FetchError();
        }
        finally
        {
            Imports.PyGILState_Release(state);
        }
    }

    private static string NameOf(BorrowedReference type)
    {
        using var name = ThrowIfNull(Imports.PyType_GetName(type));
        nint length;
        return Marshal.PtrToStringUTF8((IntPtr)Imports.PyUnicode_AsUTF8AndSize(name.Borrow(), &length), checked((int)length));
    }
}

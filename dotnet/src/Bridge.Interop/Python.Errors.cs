using System.Runtime.InteropServices;

namespace Bridge.Interop;

/// <summary>CPython's pending error: taken out where Python failed below, left where an export fails.</summary>
internal static unsafe partial class Python
{
    private static delegate* unmanaged<IntPtr, void> _setRaised;
    private static delegate* unmanaged<IntPtr, IntPtr, IntPtr, void> _setError;
    private static delegate* unmanaged<IntPtr, IntPtr> _traceback;
    private static delegate* unmanaged<IntPtr, IntPtr, void> _setObject;
    private static delegate* unmanaged<IntPtr, IntPtr> _typeName;
    private static delegate* unmanaged<IntPtr, nint*, byte*> _utf8;
    private static delegate* unmanaged<char*, nint, byte*, int*, IntPtr> _text;
    private static delegate* unmanaged<byte*, nint, IntPtr> _bytes;
    private static IntPtr _systemError;

    /// <param name="table">The addresses, in the order that <c>bridge.clr.capi</c> writes them.</param>
    internal static void BindErrors(long* table)
    {
        _setRaised = (delegate* unmanaged<IntPtr, void>)table[0];
        _setError = (delegate* unmanaged<IntPtr, IntPtr, IntPtr, void>)table[1];
        _traceback = (delegate* unmanaged<IntPtr, IntPtr>)table[2];
        _setObject = (delegate* unmanaged<IntPtr, IntPtr, void>)table[3];
        _typeName = (delegate* unmanaged<IntPtr, IntPtr>)table[4];
        _utf8 = (delegate* unmanaged<IntPtr, nint*, byte*>)table[5];
        _text = (delegate* unmanaged<char*, nint, byte*, int*, IntPtr>)table[6];
        _bytes = (delegate* unmanaged<byte*, nint, IntPtr>)table[7];
        _systemError = (IntPtr)table[8];
        Boundary.Bind((IntPtr)table[9], (IntPtr)table[10]);
    }

    /// <summary>An error is pending.</summary>
    internal static bool HasError => _occurred() != IntPtr.Zero;

    /// <summary>A new reference to a str; half of a surrogate pair is one in Python too.</summary>
    internal static IntPtr Text(string text)
    {
        var order = BitConverter.IsLittleEndian ? -1 : 1;
        fixed (char* start = text)
        fixed (byte* errors = "surrogatepass\0"u8)
            return Checked(_text(start, (nint)text.Length * sizeof(char), errors, &order));
    }

    /// <summary>A new reference to a bytes object.</summary>
    internal static IntPtr Bytes(ReadOnlySpan<byte> bytes)
    {
        fixed (byte* start = bytes) return Checked(_bytes(start, bytes.Length));
    }

    /// <summary>Calls a Python function; a new reference to its result, or zero, and what it raised is pending.</summary>
    internal static IntPtr TryInvoke(IntPtr function, IntPtr* arguments, int count) => _vectorcall(function, arguments, (nuint)count, IntPtr.Zero);

    /// <summary>Leaves an exception pending that was raised before, with the traceback that it has.</summary>
    /// <param name="exception">The reference is taken over.</param>
    internal static void Raise(IntPtr exception)
    {
        if (_setRaised != null)
        {
            _setRaised(exception);
            return;
        }

        var type = TypeOf(exception);
        Increase(type);
        _setError(type, exception, _traceback(exception));
    }

    /// <summary>Leaves a new exception pending, whose context is what Python is handling.</summary>
    /// <param name="exception">The reference is taken over.</param>
    internal static void RaiseNew(IntPtr exception)
    {
        _setObject(TypeOf(exception), exception);
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
            return Invoke(_systemError, &text, 1);
        }
        finally
        {
            Decrease(text);
        }
    }

    /// <summary>What a function of CPython gave, unless it failed.</summary>
    internal static IntPtr Checked(IntPtr item) => item != IntPtr.Zero ? item : throw Error();

    /// <summary>Takes the pending error out of the interpreter: what is to be thrown for it.</summary>
    internal static Exception Error()
    {
        IntPtr exception;
        if (_raised != null)
        {
            exception = _raised();
        }
        else
        {
            // Python 3.11 keeps type, value and traceback apart; normalized, the value is the exception object.
            IntPtr type, value, traceback;
            _fetch(&type, &value, &traceback);
            _normalize(&type, &value, &traceback);
            exception = value;
            if (type != IntPtr.Zero) Decrease(type);
            if (traceback != IntPtr.Zero)
            {
                _setTraceback(value, traceback);
                Decrease(traceback);
            }
        }

        if (exception == IntPtr.Zero) return new InvalidOperationException("A function of Python failed and raised nothing.");
        // What is no Exception only passes.
        return Boundary.Raised(exception, NameOf(TypeOf(exception)), interrupt: _matches(exception, _exceptionType) == 0);
    }

    /// <summary>The error that Python code below a call of libtorch left, if it was that.</summary>
    private static Exception? Pending()
    {
        Leaving.Park();
        var state = _ensure();
        try
        {
            return HasError ? Error() : null;
        }
        finally
        {
            _release(state);
        }
    }

    private static string NameOf(IntPtr type)
    {
        var name = Checked(_typeName(type));
        try
        {
            nint length;
            return Marshal.PtrToStringUTF8((IntPtr)_utf8(name, &length), checked((int)length));
        }
        finally
        {
            Decrease(name);
        }
    }
}

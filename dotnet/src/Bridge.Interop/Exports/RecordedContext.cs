using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>
/// The Python context whose calls a recording observes, so that C# can record a call from Python without running the recorder's hooks.
/// </summary>
/// <remarks>
/// Python keeps the recordings of a context in a context variable. In this context, and in those that inherit from it, the variable refers
/// to the same object until another recording begins or the recording ends. Callers hold the GIL.
/// </remarks>
internal static unsafe class RecordedContext
{
    private static CallRecorder? _recorder;

    // Owned references.
    private static IntPtr _variable;
    private static IntPtr _value;

    /// <summary>
    /// Gets the only recording in the process, if it observes the current context, keeps no values, and this thread is in no recorded call;
    /// otherwise null.
    /// </summary>
    internal static CallRecorder? Recorder
    {
        get
        {
            if (_recorder is not { Ended: false, KeepsValues: false } recorder || CallRecorder.Active != 1
                || RecordedFrame.Current is not null)
                return null;
            OwnedReference found;
            if (Imports.PyContextVar_Get(new(_variable), default, &found) != 0)
            {
                Imports.PyErr_Clear();
                return null;
            }

            var isObserved = found.Borrow().Address == _value;
            found.Dispose();
            return isObserved ? recorder : null;
        }
    }

    /// <summary>Sets the context of a recording: the context variable and its value.</summary>
    internal static void Set(CallRecorder recorder, BorrowedReference variable, BorrowedReference value)
    {
        Clear();
        (_variable, _value) = (variable.NewReference().Steal(), value.NewReference().Steal());
        _recorder = recorder;
    }

    /// <summary>Forgets the context of a recording that ends, unless another recording has set its own.</summary>
    internal static void Leave(CallRecorder? recorder)
    {
        if (recorder == _recorder) Clear();
    }

    private static void Clear()
    {
        _recorder = null;
        var (variable, value) = (_variable, _value);
        (_variable, _value) = (0, 0);
        if (variable != 0) Python.DecRef(variable);
        if (value != 0) Python.DecRef(value);
    }
}

namespace Bridge.Interop;

/// <summary>
/// Detects <c>__torch_function__</c> modes, dispatch modes and <c>torch.jit.trace</c> on this thread. They see only calls that PyTorch
/// makes, so while one is active, PyTorch makes the calls that C# would otherwise make itself.
/// </summary>
internal static class ActiveModes
{
    private const int Unknown = 0, None = 1, Some = 2, Subclass = 3;

    [ThreadStatic]
    private static int _state;

    /// <summary>
    /// Whether a <c>__torch_function__</c> mode or <c>torch.jit.trace</c> is active, or a tensor subclass has entered C# since the thread's
    /// outermost call from Python began.
    /// </summary>
    internal static bool Any
    {
        get
        {
            var state = _state;
            return state != None && (state != Unknown || Detect());
        }
    }

    /// <summary>Whether a dispatch mode or <c>torch.jit.trace</c> is active, each of which must see every operator.</summary>
    internal static bool HasDispatchModeOrTrace => HasDispatchMode || IsTracing;

    /// <summary>Forgets which modes are active, because Python code ran or will run.</summary>
    internal static void Invalidate()
    {
        if (_state != Subclass) _state = Unknown;
    }

    /// <summary>Records that nothing is active, as the caller has just found.</summary>
    internal static void SetNone() => _state = None;

    /// <summary>
    /// Records that a tensor subclass entered C# during a call from Python. The record is kept until the outermost call ends, since C# may
    /// pass the tensor to any module.
    /// </summary>
    internal static void AddSubclass()
    {
        if (MirrorLink.IsEntered) _state = Subclass;
    }

    /// <summary>Forgets everything at the end of the outermost call from Python.</summary>
    internal static void Reset() => _state = Unknown;

    private static bool Detect()
    {
        var any = HasFunctionMode || IsTracing;
        _state = any ? Some : None;
        return any;
    }

    private static unsafe bool HasDispatchMode => Imports.AnyModes == 0
        ? IsPositive(Imports.DispatchModes) : ((delegate* unmanaged[SuppressGCTransition]<byte, byte>)Imports.AnyModes)(0) != 0;

    private static unsafe bool HasFunctionMode => Imports.FunctionMode == 0
        ? IsPositive(Imports.FunctionModes) : ((delegate* unmanaged[SuppressGCTransition]<byte>)Imports.FunctionMode)() != 0;

    private static unsafe bool IsTracing => Imports.TraceState == 0
        ? IsNotNone(Imports.TracingState) : *((delegate* unmanaged[SuppressGCTransition]<IntPtr*>)Imports.TraceState)() != IntPtr.Zero;

    // Called only if libtorch does not export the C++ function, because the equivalent Python function takes ten times as long.
    private static unsafe bool IsPositive(BorrowedReference function)
    {
        using var gil = new Python.Gil();
        using var number = Python.Call(function, null, 0);
        return Python.ToInt64Unchecked(number.Borrow()) != 0;
    }

    private static unsafe bool IsNotNone(BorrowedReference function)
    {
        using var gil = new Python.Gil();
        using var state = Python.Call(function, null, 0);
        return state.Borrow() != Imports.None;
    }
}

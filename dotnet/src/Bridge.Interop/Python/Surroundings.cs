namespace Bridge.Interop;

/// <summary>What Python has around this thread's calls that would see PyTorch's functions, which C# does not call: then Python makes hooked calls.</summary>
internal static class Surroundings
{
    private const int Unknown = 0, Plain = 1, Observed = 2, Subclass = 3;

    [ThreadStatic]
    private static int _state;

    /// <summary>No mode of <c>__torch_function__</c>, no tensor of a class of its own and no <c>torch.jit.trace</c>.</summary>
    internal static bool ArePlain
    {
        get
        {
            var state = _state;
            return state == Plain || (state == Unknown && Look());
        }
    }

    /// <summary>Something follows the thread's calls function by function: a dispatch mode, or <c>torch.jit.trace</c>.</summary>
    internal static unsafe bool AreFollowed =>
        (Imports.AnyModes == 0 ? AnyOf(Imports.DispatchModes) : ((delegate* unmanaged[SuppressGCTransition]<byte, byte>)Imports.AnyModes)(0) != 0) || IsTraced;

    /// <summary>Python has run, or is about to hand control over: what is around may be something else now.</summary>
    internal static void Forget()
    {
        if (_state != Subclass) _state = Unknown;
    }

    /// <summary>A call begins for which <see cref="ArePlain"/> was true just now.</summary>
    internal static void Renew() => _state = Plain;

    /// <summary>A tensor of a class of its own entered: its call may hand it to any module.</summary>
    internal static void SeeSubclass()
    {
        if (MirrorLink.IsEntered) _state = Subclass;
    }

    /// <summary>The outermost call from Python is over.</summary>
    internal static void End() => _state = Unknown;

    private static bool Look()
    {
        var observed = HasFunctionMode || IsTraced;
        _state = observed ? Observed : Plain;
        return !observed;
    }

    private static unsafe bool HasFunctionMode =>
        Imports.FunctionMode == 0 ? AnyOf(Imports.FunctionModes) : ((delegate* unmanaged[SuppressGCTransition]<byte>)Imports.FunctionMode)() != 0;

    private static unsafe bool IsTraced =>
        Imports.TraceState == 0 ? Gives(Imports.TracingState) : *((delegate* unmanaged[SuppressGCTransition]<IntPtr*>)Imports.TraceState)() != IntPtr.Zero;

    // Where libtorch hides its own functions Python's are asked, which take ten times as long, and microseconds where no other code has called them lately.
    private static unsafe bool AnyOf(IntPtr number)
    {
        using var gil = new Python.Gil();
        var found = Python.Invoke(number, null, 0);
        var any = Python.Value(found) != 0;
        Python.Decrease(found);
        return any;
    }

    private static unsafe bool Gives(IntPtr function)
    {
        using var gil = new Python.Gil();
        var found = Python.Invoke(function, null, 0);
        Python.Decrease(found);
        return found != Imports.None;
    }
}

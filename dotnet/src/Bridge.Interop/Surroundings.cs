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

    /// <summary>Something follows the thread's calls function by function: a dispatch mode, or <c>torch.jit.trace</c>. The GIL is held.</summary>
    internal static unsafe bool AreFollowed
    {
        get
        {
            var modes = Imports.AnyModes == 0 ? Number(Imports.DispatchModes) != 0
                : ((delegate* unmanaged[SuppressGCTransition]<byte, byte>)Imports.AnyModes)(0) != 0;
            return modes || (Imports.TraceState == 0 ? IsTraced : *((delegate* unmanaged[SuppressGCTransition]<IntPtr*>)Imports.TraceState)() != IntPtr.Zero);
        }
    }

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

    /// <summary>Asks Python; the GIL may be held.</summary>
    private static unsafe bool Look()
    {
        bool observed;
        using (new Python.Gil()) observed = Number(Imports.FunctionModes) != 0 || IsTraced;
        _state = observed ? Observed : Plain;
        return !observed;
    }

    private static unsafe long Number(IntPtr function)
    {
        var number = Python.Invoke(function, null, 0);
        var value = Python.Value(number);
        Python.Decrease(number);
        return value;
    }

    private static unsafe bool IsTraced
    {
        get
        {
            var tracing = Python.Invoke(Imports.TracingState, null, 0);
            Python.Decrease(tracing);
            return tracing != Imports.None;
        }
    }
}

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
        using (new Python.Gil())
        {
            var modes = Python.Invoke(Imports.FunctionModes, null, 0);
            observed = Python.Value(modes) != 0;
            Python.Decrease(modes);
            var tracing = Python.Invoke(Imports.TracingState, null, 0);
            observed |= tracing != Imports.None;
            Python.Decrease(tracing);
        }

        _state = observed ? Observed : Plain;
        return !observed;
    }
}

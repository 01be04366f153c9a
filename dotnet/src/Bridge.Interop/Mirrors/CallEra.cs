namespace Bridge.Interop;

/// <summary>
/// A period of time. It ends when <see cref="Acquire"/> or <see cref="Keep"/> adds modules or Python objects that running calls may still
/// use. These are released when no call that began in this era or an earlier one is running any more.
/// </summary>
/// <remarks>
/// An era counts the outermost calls, hooks and backward passes from Python, one per thread, that began in it and have not ended. Each
/// call acquires the modules that it can reach when it begins; <see cref="Acquire"/> is for modules that are added to a collection later.
/// The GIL is held throughout and serves as the lock.
/// </remarks>
internal sealed class CallEra
{
    private static CallEra _first = new();
    private static CallEra _last = _first;

    private int _calls;
    private CallEra? _next;
    private MirrorLink[] _acquired = [];
    private IntPtr[] _objects = []; // Owned references.

    /// <summary>Whether a call is in progress on any thread.</summary>
    internal static bool HasCalls => _first._calls > 0;

    /// <summary>Begins the outermost call of a thread and returns its era, whose <see cref="End"/> ends the call.</summary>
    internal static CallEra Begin()
    {
        _last._calls++;
        return _last;
    }

    /// <summary>Ends a call, and releases the modules and objects that were kept only for ended calls. This may run Python code.</summary>
    internal void End()
    {
        if (--_calls > 0) return;
        var ended = _first;
        while (_first is { _calls: 0, _next: { } next }) _first = next;
        // Releases only after _first is set, since a release may let another thread run, which reads HasCalls.
        for (var first = _first; ended != first; ended = ended._next!)
        {
            MirrorLink.ReleaseTensors(ended._acquired);
            MirrorLink.ReleaseMirrors(ended._acquired);
            foreach (var item in ended._objects) Python.DecRef(item);
        }
    }

    /// <summary>Acquires the tensors and the Python modules of new C# modules until the calls in progress have ended.</summary>
    internal static void Acquire(MirrorLink[] links)
    {
        if (!HasCalls || links.Length == 0) return;
        MirrorLink.AcquireTensors(links);
        _last._acquired = links;
        BeginNext();
    }

    /// <summary>Keeps Python objects alive until the calls in progress have ended.</summary>
    internal static void Keep(ReadOnlySpan<IntPtr> objects)
    {
        if (!HasCalls) return;
        foreach (var item in objects) Python.IncRef(new(item));
        _last._objects = objects.ToArray();
        BeginNext();
    }

    private static void BeginNext() => _last = _last._next = new CallEra();
}

namespace Bridge.Interop;

/// <summary>
/// An era of calls and hooks from Python. Modules added to a collection stay acquired until every call of this and earlier eras has ended.
/// </summary>
/// <remarks>
/// An era ends when modules or objects are added: calls in progress may reach them without having acquired them. The GIL is held throughout
/// and serves as the lock.
/// </remarks>
internal sealed class CallEra
{
    private static CallEra _first = new();
    private static CallEra _last = _first;

    private int _calls;
    private CallEra? _next;
    private MirrorLink[] _acquired = [];

    // Owned references.
    private IntPtr[] _objects = [];

    /// <summary>Whether a call is in progress on any thread.</summary>
    internal static bool HasCalls => _first._calls > 0;

    /// <summary>Begins the outermost call of a thread and returns its era, whose <see cref="End"/> ends the call.</summary>
    internal static CallEra Begin()
    {
        _last._calls++;
        return _last;
    }

    /// <summary>Ends a call. Releases what only the ended eras kept, which may run Python code.</summary>
    internal void End()
    {
        if (--_calls > 0) return;
        var ended = _first;
        while (_first is { _calls: 0, _next: { } next }) _first = next;
        // After _first is set: a release may let another thread run, which reads HasCalls.
        for (var left = _first; ended != left; ended = ended._next!)
        {
            MirrorLink.ReleaseTensors(ended._acquired);
            MirrorLink.ReleaseMirrors(ended._acquired);
            foreach (var item in ended._objects) Python.DecRef(item);
        }
    }

    /// <summary>Acquires links until the calls in progress have ended.</summary>
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

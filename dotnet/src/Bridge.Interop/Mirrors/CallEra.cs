namespace Bridge.Interop;

/// <summary>
/// The calls and hooks from Python that began in the same period, and what came into a collection at its end: they may reach it without
/// having acquired it, so it is acquired until they, and those of earlier periods, have ended.
/// </summary>
/// <remarks>Used with the GIL held, which is the lock.</remarks>
internal sealed class CallEra
{
    private static CallEra _first = new();
    private static CallEra _last = _first;

    private int _calls;
    private CallEra? _next;
    private MirrorLink[] _acquired = [];
    private IntPtr[] _objects = [];

    /// <summary>Some call is under way, on any thread.</summary>
    internal static bool HasCalls => _first._calls > 0;

    /// <summary>The outermost call of a thread begins. Whoever gets this ends it.</summary>
    internal static CallEra Begin()
    {
        _last._calls++;
        return _last;
    }

    /// <summary>It ends. What only such calls have kept is freed, which may run code.</summary>
    internal void End()
    {
        if (--_calls > 0) return;
        var ended = _first;
        while (_first is { _calls: 0, _next: { } next }) _first = next;
        // Only now: freeing may let another thread run, which asks the first one whether there are calls.
        for (var left = _first; ended != left; ended = ended._next!)
        {
            MirrorLink.Yield(ended._acquired);
            MirrorLink.Free(ended._acquired);
            foreach (var item in ended._objects) Python.Decrease(item);
        }
    }

    /// <summary>The calls under way have the links until they end.</summary>
    internal static void Acquire(MirrorLink[] links)
    {
        if (!HasCalls || links.Length == 0) return;
        MirrorLink.Use(links);
        _last._acquired = links;
        Close();
    }

    /// <summary>They keep Python's objects.</summary>
    internal static void Keep(ReadOnlySpan<IntPtr> objects)
    {
        if (!HasCalls) return;
        foreach (var item in objects) Python.Increase(item);
        _last._objects = objects.ToArray();
        Close();
    }

    private static void Close() => _last = _last._next = new CallEra();
}

namespace Bridge.Hooks;

/// <summary>Counts the listeners in the process that see the calls of every module: global hooks (G-3) and recorders.</summary>
/// <remarks>
/// There is a single counter, so a call reads one word to find out whether there are listeners. The counter is incremented before a
/// listener becomes active and decremented after the listener is removed. So a call that reads zero misses no listener that was active when
/// the call began.
/// </remarks>
public static class ListenerCount
{
    private static int _count;

    /// <summary>Gets whether there are no listeners.</summary>
    public static bool IsZero => Volatile.Read(ref _count) == 0;

    /// <summary>Adds a listener.</summary>
    public static void Increment() => Interlocked.Increment(ref _count);

    /// <summary>Removes a listener.</summary>
    public static void Decrement() => Interlocked.Decrement(ref _count);
}

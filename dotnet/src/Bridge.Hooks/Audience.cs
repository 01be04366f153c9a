namespace Bridge.Hooks;

/// <summary>How many things in the process want to know of calls of any module: global hooks (G-3), and recordings in another runtime.</summary>
/// <remarks>
/// One word, so that a call without any of them reads one word. It is raised before the thing is there and lowered after it is gone: whoever
/// sees zero has missed nothing that was there when the call began. Whoever sees more asks each of them.
/// </remarks>
public static class Audience
{
    private static int _count;

    /// <summary>Nothing wants to know of calls.</summary>
    public static bool IsNone => Volatile.Read(ref _count) == 0;

    /// <summary>One thing more wants to.</summary>
    public static void Raise() => Interlocked.Increment(ref _count);

    /// <summary>One of those does not any more.</summary>
    public static void Lower() => Interlocked.Decrement(ref _count);
}

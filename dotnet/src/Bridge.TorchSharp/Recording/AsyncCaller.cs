namespace Bridge.TorchSharp;

/// <summary>An open call of the model's own code, which may go on on other threads: the caller of the calls that begin there.</summary>
/// <remarks>
/// It flows with the execution context, into tasks, parallel loops, new threads and the code after an <c>await</c>. It must not refer to
/// the model, which would then live as long as the context.
/// </remarks>
/// <param name="recording">The counter of the recording.</param>
/// <param name="number">The number of the call's first event.</param>
/// <param name="depth">The number of enclosing calls on the thread.</param>
/// <param name="enclosing">The enclosing call on the thread that may go on on other threads; null if there is none.</param>
internal sealed class AsyncCaller(EventCounter recording, long number, int depth, AsyncCaller? enclosing)
{
    private static readonly AsyncLocal<AsyncCaller?> _current = new();
    // The caller before, which may be on another thread or in another recording.
    private readonly AsyncCaller? _outer = FirstOpen(_current.Value);
    private bool _ended;

    /// <summary>Gets the number of enclosing calls on the thread.</summary>
    internal int Depth => depth;

    private bool IsOpen => !Volatile.Read(ref _ended) && !recording.Stopped;

    /// <summary>Begins a call on this thread.</summary>
    /// <param name="recording">The counter of the recording.</param>
    /// <param name="number">The number of the call's first event.</param>
    /// <param name="depth">The number of enclosing calls on the thread.</param>
    /// <param name="enclosing">The enclosing call on the thread that may go on on other threads; null if there is none.</param>
    internal static AsyncCaller Begin(EventCounter recording, long number, int depth, AsyncCaller? enclosing) =>
        _current.Value = new(recording, number, depth, enclosing);

    /// <summary>Returns the number of the first event of the open call in which this thread's code was started; -1 for none.</summary>
    internal static long Find(EventCounter recording)
    {
        var at = FirstOpen(_current.Value);
        while (at is not null && at.Recording != recording) at = FirstOpen(at._outer);
        return at?.Number ?? -1;
    }

    /// <summary>Ends the calls of this thread that are as deep as a given depth or deeper.</summary>
    /// <param name="innermost">The innermost call of the thread.</param>
    /// <param name="depth">The depth.</param>
    /// <returns>The innermost call that is left.</returns>
    internal static AsyncCaller? End(AsyncCaller innermost, int depth)
    {
        AsyncCaller? at = innermost;
        for (; at is not null && at.Depth >= depth; at = at.Enclosing) Volatile.Write(ref at._ended, true);
        // The context may be another: an asynchronous method restores that of its caller.
        if (FirstOpen(_current.Value) is var open && open != _current.Value) _current.Value = open;
        return at;
    }

    private EventCounter Recording => recording;

    private long Number => number;

    private AsyncCaller? Enclosing => enclosing;

    private static AsyncCaller? FirstOpen(AsyncCaller? at)
    {
        while (at is { IsOpen: false }) at = at._outer;
        return at;
    }
}

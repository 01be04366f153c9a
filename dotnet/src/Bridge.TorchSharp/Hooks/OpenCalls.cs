namespace Bridge.TorchSharp;

/// <summary>A thread's module calls that have begun and not ended, outermost first.</summary>
/// <remarks>
/// TorchSharp runs no hook when an exception ends a call. So the thread's stack is captured when an exception is thrown, and compared with
/// the stack in the listener hook that runs next: a call whose frame is gone has ended. A call is matched to a frame by the class of its
/// module. Counting frames is not enough, because the stack may also have calls of modules without listeners.
/// </remarks>
internal sealed class OpenCalls<T>
{
    private T[] _calls = new T[16];
    private CallStack? _stackAtThrow;

    internal int Count { get; private set; }

    /// <summary>Captures the stack, if a call is open. Called when an exception is thrown on this thread.</summary>
    internal void OnException()
    {
        if (Count == 0 || _stackAtThrow is not null) return;
        _stackAtThrow = CallStack.Empty; // Set first, because capturing may throw and catch exceptions itself.
        _stackAtThrow = CallStack.Capture();
    }

    internal ref T this[int index] => ref _calls[index];

    internal ref T Innermost => ref _calls[Count - 1];

    internal ref T Push()
    {
        if (Count == _calls.Length) Array.Resize(ref _calls, 2 * Count);
        return ref _calls[Count++];
    }

    internal void Pop() => _calls[--Count] = default!;

    /// <summary>Gets whether calls may have ended by an exception. If so, <see cref="CountAlive"/> tells how many have not ended.</summary>
    internal bool MayHaveEnded => _stackAtThrow is not null;

    /// <summary>Lets all calls in this list count as ended, from the thread's next hook on. Another thread may call this.</summary>
    internal void Forget() => _stackAtThrow = CallStack.Empty;

    /// <summary>Records that all calls in this list are on the stack. If an exception is still propagating, keeps the stack.</summary>
    /// <param name="now">The stack now. If a forward hook is running, without the frame of the hook's call.</param>
    internal void Confirm(CallStack now) => _stackAtThrow = CallStack.IsThrowing ? now : null;

    /// <summary>Returns how many calls have not ended. Call this only in a hook: it searches the stack for the hook's frame.</summary>
    /// <param name="entering">Whether the hook is a pre hook, whose call is not in this list yet.</param>
    /// <param name="module">Returns the class of a call's module.</param>
    internal int CountAlive(bool entering, Func<T, Type> module)
    {
        var before = _stackAtThrow!;
        var (with, without) = CallStack.CaptureOutsideHook();
        // If a finally block called this hook's module, the exception is still propagating, and may end more calls after the block.
        Confirm(entering ? with : without);
        var common = before.CountCommon(entering ? without : with);
        return CountAlive(strict: true) ?? CountAlive(strict: false)!.Value;

        int? CountAlive(bool strict)
        {
            var (frame, alive) = (before.Count, 0);
            for (var i = Count - 1; i >= 0; i--)
            {
                var found = before.LastCall(frame, module(_calls[i]), strict);
                if (found < 0 && strict) return null;
                if (found < 0) continue;
                frame = found;
                if (frame < common && alive == 0) alive = i + 1;
            }

            return alive;
        }
    }
}

namespace Bridge.TorchSharp;

/// <summary>The calls that a thread is in, outermost first.</summary>
/// <remarks>
/// An exception leaves a call without a word: no hook runs (rule 30). So the thread's stack is looked at when one is thrown, where these calls still
/// are what is on it, and again at the next event: the calls are over whose frames are not there any more. Calls of other modules may be
/// between them, which are told from these by their class.
/// </remarks>
internal sealed class OpenCalls<T>
{
    private T[] _calls = new T[16];
    private CallStack? _thrown;

    internal int Count { get; private set; }

    /// <summary>An exception was thrown on this thread.</summary>
    internal void Thrown()
    {
        if (Count == 0 || _thrown is not null) return;
        _thrown = CallStack.Empty; // What follows may throw, and catch that.
        _thrown = CallStack.Here();
    }

    internal ref T this[int index] => ref _calls[index];

    internal ref T Push()
    {
        if (Count == _calls.Length) Array.Resize(ref _calls, 2 * Count);
        return ref _calls[Count++];
    }

    /// <summary>Ends the last call.</summary>
    internal void Pop() => _calls[--Count] = default!;

    /// <summary>Whether some of them may be over by an exception: then <see cref="Alive"/> tells how many are not.</summary>
    internal bool IsDoubtful => _thrown is not null;

    /// <summary>These are on the stack, whatever was thrown before.</summary>
    /// <param name="now">The stack, without the call that a hook has ended.</param>
    internal void Settle(CallStack now) => _thrown = CallStack.IsThrowing ? now : null;

    /// <summary>How many are not over, in a hook of a call.</summary>
    /// <param name="entering">The call is not among them yet.</param>
    /// <param name="module">The class of a call's module.</param>
    internal int Alive(bool entering, Func<T, Type> module)
    {
        var before = _thrown!;
        var (with, without) = CallStack.OfHook();
        // In a finally block, it is on its way, and ends more calls after the block.
        Settle(entering ? with : without);
        var left = before.Common(entering ? without : with);
        return Left(strict: true) ?? Left(strict: false)!.Value;

        int? Left(bool strict)
        {
            var (frame, alive) = (before.Count, 0);
            for (var i = Count - 1; i >= 0; i--)
            {
                var found = before.LastCall(frame, module(_calls[i]), strict);
                if (found < 0 && strict) return null;
                if (found < 0) continue;
                frame = found;
                if (frame < left && alive == 0) alive = i + 1;
            }

            return alive;
        }
    }
}

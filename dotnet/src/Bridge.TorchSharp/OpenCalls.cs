using System.Diagnostics;

namespace Bridge.TorchSharp;

/// <summary>The calls that a thread is in, outermost first.</summary>
/// <remarks>
/// An exception leaves a call without a word: no hook runs (rule 30). Where one was thrown since the last event, the thread's frames of
/// <c>call</c> tell how many calls there still are; that is exact where every module that is called is one of the model's.
/// </remarks>
internal sealed class OpenCalls<T>
{
    private T[] _calls = new T[16];
    private bool _thrown;

    internal int Count { get; private set; }

    /// <summary>An exception was thrown on this thread.</summary>
    internal void Thrown() => _thrown |= Count > 0;

    internal ref T this[int index] => ref _calls[index];

    internal ref T Push()
    {
        if (Count == _calls.Length) Array.Resize(ref _calls, 2 * Count);
        return ref _calls[Count++];
    }

    /// <summary>Ends the last call.</summary>
    internal void Pop() => _calls[--Count] = default!;

    /// <summary>Whether some of them may be over by an exception: then <see cref="Alive"/> tells how many are not.</summary>
    internal bool IsDoubtful => _thrown;

    /// <summary>How many are not over, in a hook of a call.</summary>
    /// <param name="entering">The call is not among them yet.</param>
    internal int Alive(bool entering)
    {
        _thrown = false;
        var frames = new StackTrace(false).GetFrames().Count(frame => IsCall(frame.GetMethod()));
        return Math.Min(Count, entering ? frames - 1 : frames);
    }

    private static bool IsCall(System.Reflection.MethodBase? method) =>
        method is { Name: "call", DeclaringType: { IsGenericType: true, FullName: { } name } }
        && (name.StartsWith("TorchSharp.torch+nn+Module`", StringComparison.Ordinal) || name.StartsWith("TorchSharp.torch+jit+ScriptModule`", StringComparison.Ordinal));
}

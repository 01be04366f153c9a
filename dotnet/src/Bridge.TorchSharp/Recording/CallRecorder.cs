using System.Runtime.CompilerServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Records the calls of a module.</summary>
/// <param name="recording">The recording.</param>
/// <param name="number">The module's number in the recording.</param>
/// <param name="arguments">Reads the arguments.</param>
/// <param name="result">Reads the result.</param>
internal sealed class CallRecorder<TArgs, TResult>(
    Recording recording, int number, Arguments<TArgs> arguments, ValueReader<TResult> result)
    : CallListener<TArgs, TResult>
{
    private readonly EventCounter _order = recording.Order;
    private readonly ModuleNode _node = recording.Nodes[number];
    // Whether _node.Called is set: a call need not read the node.
    private bool _called;
    // Only code that is not TorchSharp's may call the module's children on other threads.
    private readonly bool _mayCall = recording.Nodes[number] is { Children.Count: > 0 } node && !recording.IsBuiltIn(node);

    internal override bool Entered(object module, ref TArgs args)
    {
        if (_order.Stopped) return false;
        var thread = recording.Current();
        if (_mayCall || !thread.CanBeginPlainly || !arguments.TryRead(in args, ref thread.Last, out var tensor)) Begin(thread, in args);
        else if (thread.Begin(number, tensor) && !_called) _node.Called = _called = true;
        return false;
    }

    internal override void Computed(object module, in TArgs args, ref TResult output)
    {
        if (_order.Stopped) return;
        var thread = recording.Current();
        if (!_mayCall && thread.IsInPlainCall && thread.Open.Innermost == number && result.TryRead(output, ref thread.Last, out var tensor))
            thread.End(number, tensor);
        else
            End(thread, output);
    }

    // Kept out of the methods above, which then have less code to read from memory: that is a fifth of the time between long operations.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Begin(ThreadRecording thread, in TArgs args)
    {
        thread.Meter?.Suspend();
        if (thread.Open.MayHaveEnded) thread.CloseCalls(thread.Open.CountAlive(entering: true, recording.ClassOf));
        var (values, count) = (thread.EmptyValues, thread.Open.Count);
        arguments.Read(in args, values);
        // An exception that was thrown and caught during the reading of values has not ended a call.
        if (thread.Open.MayHaveEnded) thread.Confirm(count, CallStack.CaptureOutsideHook().With);
        if (thread.Begin(number, values, _mayCall)) _node.Called = true;
        thread.Meter?.Resume();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void End(ThreadRecording thread, TResult output)
    {
        thread.Meter?.Suspend();
        if (thread.Open.MayHaveEnded) thread.CloseCalls(thread.Open.CountAlive(entering: false, recording.ClassOf));
        // The call may have begun before the recording.
        if (thread.Open.Count == 0 || thread.Open.Innermost != number) return;
        thread.CloseCalls(thread.Open.Count - 1);
        var (values, count) = (thread.EmptyValues, thread.Open.Count);
        result.Read(output, values);
        if (thread.Open.MayHaveEnded) thread.Confirm(count, CallStack.CaptureOutsideHook().Without);
        thread.End(number, values);
        thread.Meter?.Resume();
    }
}

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
    // Only code that is not TorchSharp's may call the module's children on other threads.
    private readonly bool _mayCall = recording.Nodes[number] is { Children.Count: > 0 } node && !recording.IsBuiltIn(node);

    internal override bool Entered(object module, ref TArgs args)
    {
        if (_order.Stopped) return false;
        var thread = recording.Current();
        thread.Meter?.Suspend();
        if (thread.Open.MayHaveEnded) thread.CloseCalls(thread.Open.CountAlive(entering: true, recording.ClassOf));
        var (values, count) = (thread.EmptyValues, thread.Open.Count);
        arguments.Read(in args, values);
        // An exception that was thrown and caught during the reading of values has not ended a call.
        if (thread.Open.MayHaveEnded) thread.Confirm(count, CallStack.CaptureOutsideHook().With);
        if (thread.Begin(number, values, _mayCall)) _node.Called = true;
        thread.Meter?.Resume();
        return false;
    }

    internal override void Computed(object module, in TArgs args, ref TResult output)
    {
        if (_order.Stopped) return;
        var thread = recording.Current();
        thread.Meter?.Suspend();
        if (thread.Open.MayHaveEnded) thread.CloseCalls(thread.Open.CountAlive(entering: false, recording.ClassOf));
        // The call may have begun before the recording.
        if (thread.Open.Count == 0 || thread.Open[thread.Open.Count - 1] != number) return;
        thread.CloseCalls(thread.Open.Count - 1);
        var (values, count) = (thread.EmptyValues, thread.Open.Count);
        result.Read(output, values);
        if (thread.Open.MayHaveEnded) thread.Confirm(count, CallStack.CaptureOutsideHook().Without);
        thread.End(number, values);
        thread.Meter?.Resume();
    }
}

using System.Diagnostics;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Converts the words of logged events to events with numbers of calls. The events of all threads are decoded in order.</summary>
/// <param name="digests">Whether tensors have digests.</param>
/// <param name="timed">Whether the readings of a <see cref="CallMeter"/> follow the values.</param>
internal sealed class EventDecoder(bool digests, bool timed)
{
    // The open calls that may go on on other threads, by the numbers of their first events.
    private readonly Dictionary<long, OpenCall> _callers = [];
    private int _calls;

    /// <summary>
    /// Gets the strings and digests of the event's thread. The payload of a string, or of a tensor with a digest, is an index in this list.
    /// </summary>
    internal List<string> Texts { get; private set; } = [];

    /// <summary>Gets the number of calls that enclose the event.</summary>
    internal int Depth { get; private set; }

    /// <summary>Gets the event's time and memory; null for the beginning of a call, and if they were not measured.</summary>
    internal CallCost? Cost { get; private set; }

    /// <summary>Gets whether the event's call is inside another call of the module; false if time is not measured.</summary>
    internal bool Nested { get; private set; }

    /// <summary>Replaces the content of the buffer by an event.</summary>
    /// <param name="logged">The event.</param>
    /// <param name="calls">The last call of the event's thread at each depth.</param>
    /// <param name="texts">The strings and digests of the thread.</param>
    /// <param name="buffer">The buffer.</param>
    internal void Decode(in EventLog.LogEntry logged, List<OpenCall> calls, List<string> texts, TraceBuffer buffer)
    {
        buffer.Clear();
        Texts = texts;
        var place = logged.Depth;
        if (logged.Phase == TracePhase.Pre) Begin(logged, calls);
        var call = calls[place];
        if (logged.Phase == TracePhase.Forward && call.Caller >= 0) _callers.Remove(call.Caller);
        Depth = call.Depth;
        buffer.Write(logged.Node, 0, call.Number, call.Parent, logged.Phase, HookScope.Global, 0);
        var words = logged.Values;
        for (var i = 0; i < logged.Count; i++)
        {
            var value = EventValues.ReadFirst(ref words, digests);
            var head = value.Header;
            if (head.Kind == ValueKind.Tensor) buffer.AddTensor(head.DType, head.DeviceType, head.DeviceIndex, value.Sizes, value.Payload);
            else buffer.AddLiteral(head.Kind, value.Payload);
        }

        Nested = timed && IsNested(calls, place);
        Cost = timed ? Measure(logged.Phase, words[0], words[1], calls, place) : null;
    }

    private void Begin(in EventLog.LogEntry logged, List<OpenCall> calls)
    {
        var place = logged.Depth;
        for (var i = place; i < calls.Count; i++)
            if (calls[i].Caller >= 0) _callers.Remove(calls[i].Caller);
        calls.RemoveRange(place, calls.Count - place);
        var enclosing = new OpenCall(Number: -1, Node: -1, Parent: -1, Depth: -1);
        if (place > 0) enclosing = calls[place - 1];
        else if (logged.HasCaller && _callers.TryGetValue(logged.Values[^1], out var caller)) enclosing = caller;
        var call = new OpenCall(_calls++, logged.Node, enclosing.Number, enclosing.Depth + 1, logged.IsCaller ? logged.Number : -1);
        if (call.Caller >= 0) _callers.Add(call.Caller, call);
        calls.Add(call);
    }

    private static bool IsNested(List<OpenCall> calls, int place)
    {
        for (var i = 0; i < place; i++)
            if (calls[i].Node == calls[place].Node) return true;
        return false;
    }

    private static CallCost? Measure(TracePhase phase, long ticks, long bytes, List<OpenCall> calls, int place)
    {
        if (phase == TracePhase.Pre)
        {
            calls[place] = calls[place] with { Ticks = ticks, Bytes = bytes };
            return null;
        }

        var call = calls[place];
        var time = Stopwatch.GetElapsedTime(call.Ticks, ticks);
        if (place > 0) calls[place - 1] = calls[place - 1] with { Inside = calls[place - 1].Inside + time };
        return new(time, time - call.Inside, bytes - call.Bytes);
    }

    /// <summary>A call that may still be open.</summary>
    /// <param name="Number">The number of the call.</param>
    /// <param name="Node">The number of the module.</param>
    /// <param name="Parent">The number of the enclosing call, which may be on another thread; -1 for none.</param>
    /// <param name="Depth">The number of enclosing calls.</param>
    /// <param name="Caller">The number of the first event, if the call may go on on other threads; else -1.</param>
    /// <param name="Ticks">The ticks at its beginning.</param>
    /// <param name="Bytes">The bytes that the thread had allocated at its beginning.</param>
    /// <param name="Inside">The time of the calls inside that have returned.</param>
    internal readonly record struct OpenCall(
        int Number, int Node, int Parent, int Depth, long Caller = -1, long Ticks = 0, long Bytes = 0, TimeSpan Inside = default);
}

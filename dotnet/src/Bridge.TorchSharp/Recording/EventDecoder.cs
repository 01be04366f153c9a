using System.Diagnostics;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Converts the words of logged events to events with numbers of calls. The events of all threads are decoded in order.</summary>
/// <param name="digests">Whether tensors have digests.</param>
/// <param name="timed">Whether the readings of a <see cref="CallMeter"/> follow the values.</param>
internal sealed class EventDecoder(bool digests, bool timed)
{
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
        (Texts, Depth) = (texts, logged.Depth);
        var parent = Depth == 0 ? -1 : calls[Depth - 1].Number;
        if (logged.Phase == TracePhase.Pre)
        {
            calls.RemoveRange(Depth, calls.Count - Depth);
            calls.Add(new(_calls++, logged.Node));
        }

        buffer.Write(logged.Node, 0, calls[Depth].Number, parent, logged.Phase, HookScope.Global, 0);
        var words = logged.Values;
        for (var i = 0; i < logged.Count; i++)
        {
            var value = EventValues.ReadFirst(ref words, digests);
            var head = value.Header;
            if (head.Kind == ValueKind.Tensor) buffer.AddTensor(head.DType, head.DeviceType, head.DeviceIndex, value.Sizes, value.Payload);
            else buffer.AddLiteral(head.Kind, value.Payload);
        }

        Nested = timed && IsNested(calls);
        Cost = timed ? Measure(logged.Phase, words[0], words[1], calls) : null;
    }

    private bool IsNested(List<OpenCall> calls)
    {
        for (var i = 0; i < Depth; i++)
            if (calls[i].Node == calls[Depth].Node) return true;
        return false;
    }

    private CallCost? Measure(TracePhase phase, long ticks, long bytes, List<OpenCall> calls)
    {
        if (phase == TracePhase.Pre)
        {
            calls[Depth] = calls[Depth] with { Ticks = ticks, Bytes = bytes };
            return null;
        }

        var call = calls[Depth];
        var time = Stopwatch.GetElapsedTime(call.Ticks, ticks);
        if (Depth > 0) calls[Depth - 1] = calls[Depth - 1] with { Inside = calls[Depth - 1].Inside + time };
        return new(time, time - call.Inside, bytes - call.Bytes);
    }

    /// <summary>A call that may still be open.</summary>
    /// <param name="Number">The number of the call.</param>
    /// <param name="Node">The number of the module.</param>
    /// <param name="Ticks">The ticks at its beginning.</param>
    /// <param name="Bytes">The bytes that the thread had allocated at its beginning.</param>
    /// <param name="Inside">The time of the calls inside that have returned.</param>
    internal readonly record struct OpenCall(int Number, int Node, long Ticks = 0, long Bytes = 0, TimeSpan Inside = default);
}

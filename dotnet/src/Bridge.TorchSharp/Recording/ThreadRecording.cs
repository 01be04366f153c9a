using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>A thread's part of a recording. It must not refer to the model, which would then live as long as the thread.</summary>
internal sealed class ThreadRecording(EventCounter order, TraceOptions options, Elements? elements, EventStream? stream)
{
    private readonly List<EventDecoder.OpenCall> _streamedCalls = [];
    private EventValues? _values;

    internal EventCounter Order => order;

    /// <summary>Gets the thread's meter; null if time and memory are not measured.</summary>
    internal CallMeter? Meter { get; } = options.Timing ? new() : null;

    internal OpenCalls<int> Open { get; } = new();

    internal EventLog Log { get; private set; } = new();

    /// <summary>Gets an empty buffer for the values of an event.</summary>
    internal EventValues EmptyValues
    {
        get
        {
            if (_values is not { IsReading: false } values) return AllocateValues();
            values.Clear();
            return values;
        }
    }

    /// <inheritdoc cref="EventLog.Write"/>
    internal bool Write(TracePhase phase, int node, int depth, EventValues values)
    {
        if (Meter is { } meter) values.AddReading(meter.Ticks, meter.Bytes);
        if (stream is null) return Log.Write(order, phase, node, depth, values);
        var written = stream.Write(order, phase, node, depth, values, _streamedCalls);
        // Values that are still being read refer to their texts.
        if (_values is not { IsReading: true }) values.Texts.Clear();
        return written;
    }

    internal void CloseCalls(int count)
    {
        while (Open.Count > count) Open.Pop();
    }

    internal void Confirm(int count, CallStack now)
    {
        CloseCalls(count);
        Open.Confirm(now);
    }

    /// <inheritdoc cref="Recording.DropEvents"/>
    internal void DropEvents(bool reuse)
    {
        if (reuse) Log.ReleaseArray();
        (Log, _values) = (new(), null);
    }

    private EventValues AllocateValues()
    {
        var digests = options.FindNonFinite || options.Values != TraceValues.None;
        var values = new EventValues(Log.Texts, digests, elements) { FindsNonFinite = options.FindNonFinite };
        _values ??= values;
        return values;
    }
}

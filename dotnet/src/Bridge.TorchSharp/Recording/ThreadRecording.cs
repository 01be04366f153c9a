using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>A thread's part of a recording. It must not refer to the model, which would then live as long as the thread.</summary>
internal sealed class ThreadRecording(EventCounter order, TraceOptions options, Elements? elements, EventStream? stream)
{
    /// <summary>The tensor of the last event, within a call: kept alive no longer.</summary>
    internal LastTensor Last;

    private readonly List<EventDecoder.OpenCall> _streamedCalls = [];
    private readonly bool _isPlain = stream is null && options is { Timing: false, FindNonFinite: false, Values: TraceValues.None };
    private EventValues? _values;
    private AsyncCaller? _caller;

    internal EventCounter Order => order;

    /// <summary>Gets the thread's meter; null if time and memory are not measured.</summary>
    internal CallMeter? Meter { get; } = options.Timing ? new() : null;

    internal OpenCalls<int> Open { get; } = new();

    internal EventLog Log { get; private set; } = new();

    /// <summary>
    /// Gets whether a call is open, and an event with a tensor has nothing but shape, element type and device, and is kept in memory.
    /// </summary>
    internal bool IsInPlainCall => _isPlain && Open.Count > 0 && !Open.MayHaveEnded;

    /// <summary>
    /// Gets whether an event as in <see cref="IsInPlainCall"/> can begin a call: no call on another thread is the caller.
    /// </summary>
    internal bool CanBeginPlainly => _isPlain && !Open.MayHaveEnded && (Open.Count > 0 || AsyncCaller.Find(order) < 0);

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

    /// <summary>Writes the beginning of a call.</summary>
    /// <param name="node">The module's number.</param>
    /// <param name="values">The arguments.</param>
    /// <param name="mayCall">Whether the module may call others on other threads.</param>
    /// <returns>Whether the event was written: false if the recording is stopped.</returns>
    internal bool Begin(int node, EventValues values, bool mayCall)
    {
        var depth = Open.Count;
        var caller = depth == 0 ? AsyncCaller.Find(order) : -1;
        var number = Write(TracePhase.Pre, node, mayCall ? depth | EventLog.IsCaller : depth, values, caller);
        Open.Push() = node;
        if (mayCall && number >= 0) _caller = AsyncCaller.Begin(order, number, depth, _caller);
        return number >= 0;
    }

    /// <inheritdoc cref="Begin(int, EventValues, bool)"/>
    /// <summary>Writes the beginning of a call, if <see cref="CanBeginPlainly"/>.</summary>
    /// <param name="node">The module's number.</param>
    /// <param name="argument">The only argument.</param>
    internal bool Begin(int node, TensorInfo argument)
    {
        var number = Log.Write(order, TracePhase.Pre, node, Open.Count, argument);
        Open.Push() = node;
        return number >= 0;
    }

    /// <summary>Writes the end of the innermost call, which was removed from <see cref="Open"/>.</summary>
    /// <param name="node">The module's number.</param>
    /// <param name="values">The result.</param>
    internal void End(int node, EventValues values) => Write(TracePhase.Forward, node, Open.Count, values);

    /// <inheritdoc cref="End(int, EventValues)"/>
    /// <summary>Writes the end of the innermost call, which is still in <see cref="Open"/>, if <see cref="IsInPlainCall"/>.</summary>
    internal void End(int node, TensorInfo result)
    {
        Open.Pop();
        if (Open.Count == 0) Last = default;
        Log.Write(order, TracePhase.Forward, node, Open.Count, result);
    }

    internal void CloseCalls(int count)
    {
        while (Open.Count > count) Open.Pop();
        if (count == 0) Last = default;
        if (_caller?.Depth >= count) _caller = AsyncCaller.End(_caller, count);
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

    private long Write(TracePhase phase, int node, int place, EventValues values, long caller = -1)
    {
        if (Meter is { } meter) values.AddReading(meter.Ticks, meter.Bytes);
        if (caller >= 0)
        {
            values.AddWord(caller);
            place |= EventLog.HasCaller;
        }

        if (stream is null) return Log.Write(order, phase, node, place, values);
        var number = stream.Write(order, phase, node, place, values, _streamedCalls);
        // Values that are still being read refer to their texts.
        if (_values is not { IsReading: true }) values.Texts.Clear();
        return number;
    }

    private EventValues AllocateValues()
    {
        var digests = options.FindNonFinite || options.Values != TraceValues.None;
        var values = new EventValues(Log.Texts, digests, elements) { FindsNonFinite = options.FindNonFinite };
        _values ??= values;
        return values;
    }
}

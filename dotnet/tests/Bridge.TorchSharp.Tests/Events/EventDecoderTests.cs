using System.Diagnostics;
using Bridge.Hooks;

namespace Bridge.TorchSharp.Tests;

/// <summary>Computing the time and the memory of calls from the readings of a meter.</summary>
public sealed class EventDecoderTests
{
    private readonly EventDecoder _decoder = new(digests: false, timed: true);
    private readonly List<EventDecoder.OpenCall> _calls = [];

    [Fact]
    public void The_own_time_is_without_the_calls_inside()
    {
        Assert.Null(Decode(TracePhase.Pre, 0, 0, 10, 100));
        Assert.Null(Decode(TracePhase.Pre, 1, 1, 12, 110));
        Assert.Equal((3, 3, 20), Decode(TracePhase.Forward, 1, 1, 15, 130));
        Assert.Null(Decode(TracePhase.Pre, 1, 1, 16, 130));
        Assert.Equal((4, 4, 0), Decode(TracePhase.Forward, 1, 1, 20, 130));
        Assert.Equal((20, 13, 50), Decode(TracePhase.Forward, 0, 0, 30, 150));
    }

    [Fact]
    public void The_time_of_a_call_that_failed_is_its_callers_own()
    {
        Decode(TracePhase.Pre, 0, 0, 0, 0);
        Decode(TracePhase.Pre, 1, 1, 1, 0);
        Decode(TracePhase.Pre, 2, 2, 2, 0);
        Decode(TracePhase.Pre, 3, 1, 5, 0);
        Decode(TracePhase.Forward, 3, 1, 7, 0);
        Assert.Equal((9, 7, 0), Decode(TracePhase.Forward, 0, 0, 9, 0));
    }

    [Fact]
    public void A_call_inside_a_call_of_the_same_module_is_nested()
    {
        Decode(TracePhase.Pre, 0, 0, 0, 0);
        Decode(TracePhase.Pre, 1, 1, 0, 0);
        Assert.False(_decoder.Nested);
        Decode(TracePhase.Pre, 0, 2, 0, 0);
        Assert.True(_decoder.Nested);
        Decode(TracePhase.Forward, 0, 2, 0, 0);
        Assert.True(_decoder.Nested);
        Decode(TracePhase.Forward, 1, 1, 0, 0);
        Decode(TracePhase.Forward, 0, 0, 0, 0);
        Assert.False(_decoder.Nested);
    }

    // Times are in seconds here.
    private (double Time, double OwnTime, long Bytes)? Decode(TracePhase phase, int node, int depth, long seconds, long bytes)
    {
        var values = new EventValues([], digests: false);
        values.Add(ValueKind.Int, 7);
        values.AddReading(seconds * Stopwatch.Frequency, bytes);
        using var buffer = new TraceBuffer();
        var logged = new EventLog.LogEntry { Node = node, Place = depth, Phase = phase, Count = 1, Values = values.Words };
        _decoder.Decode(logged, _calls, [], buffer);
        Assert.Equal(1, buffer.Values.Length);
        return _decoder.Cost is { } cost ? (cost.Time.TotalSeconds, cost.OwnTime.TotalSeconds, cost.ManagedBytes) : null;
    }
}

using Bridge.Hooks;

namespace Bridge.TorchSharp.Tests;

/// <summary>Merging the events of several threads into a trace.</summary>
public sealed class EventReplayTests
{
    private readonly EventCounter _order = new();

    [Fact]
    public void Events_of_two_threads_are_ordered_by_number_and_enclosed_by_their_own_threads()
    {
        var (one, two) = (new EventLog(), new EventLog());
        Write(one, TracePhase.Pre, 10, 0);
        Write(two, TracePhase.Pre, 20, 0);
        Write(one, TracePhase.Pre, 11, 1);
        Write(two, TracePhase.Pre, 21, 1);
        Write(two, TracePhase.Forward, 21, 1);
        Write(one, TracePhase.Forward, 11, 1);
        Write(two, TracePhase.Forward, 20, 0);
        Write(one, TracePhase.Pre, 12, 1);
        Assert.Equal("+10:0<-1 +20:1<-1 +11:2<0 +21:3<1 -21:3<1 -11:2<0 -20:1<-1 +12:4<0", Replayed(one, two));
    }

    [Fact]
    public void A_call_that_never_returned_encloses_nothing()
    {
        var log = new EventLog();
        Write(log, TracePhase.Pre, 1, 0);
        Write(log, TracePhase.Pre, 2, 1);
        Write(log, TracePhase.Pre, 3, 2);
        // Calls 2 and 3 failed, and call 1 caught the exception.
        Write(log, TracePhase.Pre, 4, 1);
        Write(log, TracePhase.Forward, 4, 1);
        Write(log, TracePhase.Forward, 1, 0);
        Assert.Equal("+1:0<-1 +2:1<0 +3:2<1 +4:3<0 -4:3<0 -1:0<-1", Replayed(log));
    }

    [Fact]
    public void A_thread_without_events_has_no_effect()
    {
        var log = new EventLog();
        Write(log, TracePhase.Pre, 1, 0);
        Assert.Equal("+1:0<-1", Replayed(new(), log, new()));
        Assert.Equal("", Replayed(new EventLog()));
    }

    [Fact]
    public void The_numbers_of_events_may_overflow_after_the_last()
    {
        var (log, order) = (new EventLog(), new EventCounter(2));
        var values = new EventValues(log.Texts, digests: false);
        for (var i = 0; i < 3; i++) log.Write(order, TracePhase.Pre, i, i, values);
        var replay = new EventReplay([log], order.First, order.Count, digests: false);
        Assert.Equal(2, replay.Events(new(false, false)).Count());
    }

    private void Write(EventLog log, TracePhase phase, int node, int depth) =>
        log.Write(_order, phase, node, depth, new EventValues(log.Texts, digests: false));

    private string Replayed(params EventLog[] logs)
    {
        var replay = new EventReplay(logs, _order.First, logs.Sum(log => log.Written), digests: false);
        List<string> found = [];
        foreach (var record in replay.Events(new(false, false)).Select(buffer => buffer.Events[0]))
        {
            var phase = record.Phase == TracePhase.Pre ? '+' : '-';
            found.Add(FormattableString.Invariant($"{phase}{record.Path}:{record.Call}<{record.Parent}"));
        }

        return string.Join(' ', found);
    }
}

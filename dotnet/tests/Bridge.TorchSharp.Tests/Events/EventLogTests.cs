using Bridge.Hooks;

namespace Bridge.TorchSharp.Tests;

/// <summary>Writing and reading the events of a thread.</summary>
public sealed class EventLogTests
{
    private readonly EventCounter _order = new();
    private readonly EventLog _log = new();

    [Fact]
    public void Events_are_read_as_written_across_arrays()
    {
        var values = new EventValues(_log.Texts, digests: false);
        for (var i = 0; i < 5000; i++)
        {
            values.Clear();
            for (var k = 0; k < i % 7; k++) values.Add(ValueKind.Int, i + k);
            Assert.InRange(_log.Write(_order, i % 3 == 0 ? TracePhase.Forward : TracePhase.Pre, i * 2, i / 2, values), 0, long.MaxValue);
        }

        Assert.Equal(5000, _log.Written);
        var number = 0;
        foreach (var array in _log.Words)
        {
            ReadOnlySpan<long> words = array;
            while (!words.IsEmpty)
            {
                var found = EventLog.ReadFirst(ref words);
                Assert.Equal(
                    (number, number * 2, number / 2, number % 3 == 0 ? TracePhase.Forward : TracePhase.Pre),
                    ((int)found.Number, found.Node, found.Depth, found.Phase));
                Assert.Equal(number % 7, found.Count);
                var rest = found.Values;
                for (var k = 0; k < found.Count; k++)
                    Assert.Equal(number + k, EventValues.ReadFirst(ref rest, digests: false).Payload);
                Assert.True(rest.IsEmpty);
                number++;
            }
        }

        Assert.Equal(5000, number);
    }

    [Fact]
    public void An_event_after_the_end_does_not_change_the_words_being_read()
    {
        var values = new EventValues(_log.Texts, digests: false);
        for (var i = 0; i < 2000; i++) _log.Write(_order, TracePhase.Pre, i, 0, values);
        Assert.Equal(2000, _order.Stop());
        var length = 0;
        for (var k = 0; k < 5000; k++) values.Add(ValueKind.Int, k);
        foreach (var array in _log.Words)
        {
            // A chunk is allocated before the event is refused a number.
            Assert.InRange(_log.Write(_order, TracePhase.Pre, 0, 0, values), long.MinValue, -1);
            length += array.Count;
        }

        Assert.Equal(3 * 2000, length);
        Assert.Equal(2000, _log.Written);
    }

    [Fact]
    public void The_next_log_reuses_the_array_without_its_events()
    {
        var values = new EventValues(_log.Texts, digests: false);
        for (var i = 0; i < 2000; i++) _log.Write(_order, TracePhase.Pre, i, i, values);
        var arrays = _log.Words.Select(array => array.Array).ToArray();
        _log.ReleaseArray();
        var next = new EventLog();
        next.Write(_order, TracePhase.Forward, 7, 3, values);
        var only = next.Words.Single();
        Assert.Contains(only.Array, arrays);
        ReadOnlySpan<long> words = only;
        var found = EventLog.ReadFirst(ref words);
        Assert.Equal((2000, 7, 3, TracePhase.Forward), ((int)found.Number, found.Node, found.Depth, found.Phase));
        Assert.True(words.IsEmpty);
        // A third log has an array of its own.
        var third = new EventLog();
        third.Write(_order, TracePhase.Pre, 1, 0, values);
        Assert.NotSame(only.Array, third.Words.Single().Array);
    }

    [Fact]
    public void An_event_with_many_values_is_in_one_array()
    {
        var values = new EventValues(_log.Texts, digests: false);
        for (var i = 0; i < 1_000_000; i++) values.Add(ValueKind.Int, i);
        _log.Write(_order, TracePhase.Pre, 0, 0, values);
        ReadOnlySpan<long> words = _log.Words.Single(array => array.Count > 0);
        Assert.Equal(1_000_000, EventLog.ReadFirst(ref words).Count);
    }

    [Fact]
    public void Nothing_is_written_after_the_end()
    {
        var values = new EventValues(_log.Texts, digests: false);
        Assert.InRange(_log.Write(_order, TracePhase.Pre, 0, 0, values), 0, long.MaxValue);
        Assert.Equal(1, _order.Stop());
        Assert.InRange(_log.Write(_order, TracePhase.Forward, 0, 0, values), long.MinValue, -1);
        Assert.Equal(1, _log.Written);
    }

    [Fact]
    public void A_tensor_is_read_with_and_without_its_digest()
    {
        var values = new EventValues(_log.Texts, digests: true);
        values.AddTensor(new(6, 1, 2), [3, 4], "abc");
        values.Add("text");
        values.AddTensor(new(-1, 0, -1), [], null);
        var words = values.Words;
        var first = EventValues.ReadFirst(ref words, digests: true);
        var header = first.Header;
        Assert.Equal((ValueKind.Tensor, 6, 1, 2), (header.Kind, header.DType, header.DeviceType, header.DeviceIndex));
        Assert.Equal([3, 4], first.Sizes.ToArray());
        Assert.Equal("abc", _log.Texts[(int)first.Payload]);
        var second = EventValues.ReadFirst(ref words, digests: true);
        Assert.Equal((ValueKind.Str, "text"), (second.Header.Kind, _log.Texts[(int)second.Payload]));
        var third = EventValues.ReadFirst(ref words, digests: true);
        header = third.Header;
        Assert.Equal((-1, 0, -1), (header.DType, header.DeviceType, header.DeviceIndex));
        Assert.Equal((-1L, 0), (third.Payload, third.Sizes.Length));
        Assert.True(words.IsEmpty);
    }
}

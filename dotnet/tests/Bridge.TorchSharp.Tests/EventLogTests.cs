using Bridge.Hooks;

namespace Bridge.TorchSharp.Tests;

/// <summary>The words of one thread's events.</summary>
public sealed class EventLogTests
{
    private readonly EventOrder _order = new();
    private readonly EventLog _log = new();

    [Fact]
    public void Events_are_read_as_they_were_written_whichever_array_they_are_in()
    {
        var leaves = new Leaves(_log.Texts, digests: false);
        for (var i = 0; i < 5000; i++)
        {
            leaves.Clear();
            for (var k = 0; k < i % 7; k++) leaves.Add(ValueKind.Int, i + k);
            Assert.True(_log.Write(_order, i % 3 == 0 ? TracePhase.Forward : TracePhase.Pre, i * 2, i / 2, leaves));
        }

        Assert.Equal(5000, _log.Written);
        var number = 0;
        foreach (var array in _log.Words)
        {
            ReadOnlySpan<long> words = array;
            while (!words.IsEmpty)
            {
                var found = EventLog.Take(ref words);
                Assert.Equal((number, number * 2, number / 2, number % 3 == 0 ? TracePhase.Forward : TracePhase.Pre), ((int)found.Number, found.Node, found.Depth, found.Phase));
                Assert.Equal(number % 7, found.Count);
                var values = found.Values;
                for (var k = 0; k < found.Count; k++) Assert.Equal(number + k, Leaves.Take(ref values, digests: false).Payload);
                Assert.True(values.IsEmpty);
                number++;
            }
        }

        Assert.Equal(5000, number);
    }

    [Fact]
    public void An_event_that_comes_after_the_end_changes_nothing_that_is_being_read()
    {
        var leaves = new Leaves(_log.Texts, digests: false);
        for (var i = 0; i < 2000; i++) _log.Write(_order, TracePhase.Pre, i, 0, leaves);
        Assert.Equal(2000, _order.End());
        var length = 0;
        for (var k = 0; k < 5000; k++) leaves.Add(ValueKind.Int, k);
        foreach (var array in _log.Words)
        {
            // Room is made for it before it learns that it gets no number.
            Assert.False(_log.Write(_order, TracePhase.Pre, 0, 0, leaves));
            length += array.Count;
        }

        Assert.Equal(3 * 2000, length);
        Assert.Equal(2000, _log.Written);
    }

    [Fact]
    public void The_next_log_has_the_memory_and_nothing_that_was_in_it()
    {
        var leaves = new Leaves(_log.Texts, digests: false);
        for (var i = 0; i < 2000; i++) _log.Write(_order, TracePhase.Pre, i, i, leaves);
        var arrays = _log.Words.Select(array => array.Array).ToArray();
        _log.Free();
        var next = new EventLog();
        next.Write(_order, TracePhase.Forward, 7, 3, leaves);
        var only = next.Words.Single();
        Assert.Contains(only.Array, arrays);
        ReadOnlySpan<long> words = only;
        var found = EventLog.Take(ref words);
        Assert.Equal((2000, 7, 3, TracePhase.Forward), ((int)found.Number, found.Node, found.Depth, found.Phase));
        Assert.True(words.IsEmpty);
        // Another one beside it has memory of its own.
        var third = new EventLog();
        third.Write(_order, TracePhase.Pre, 1, 0, leaves);
        Assert.NotSame(only.Array, third.Words.Single().Array);
    }

    [Fact]
    public void An_event_of_many_values_lies_in_one_array()
    {
        var leaves = new Leaves(_log.Texts, digests: false);
        for (var i = 0; i < 1_000_000; i++) leaves.Add(ValueKind.Int, i);
        _log.Write(_order, TracePhase.Pre, 0, 0, leaves);
        ReadOnlySpan<long> words = _log.Words.Single(array => array.Count > 0);
        Assert.Equal(1_000_000, EventLog.Take(ref words).Count);
    }

    [Fact]
    public void Nothing_is_written_after_the_end()
    {
        var leaves = new Leaves(_log.Texts, digests: false);
        Assert.True(_log.Write(_order, TracePhase.Pre, 0, 0, leaves));
        Assert.Equal(1, _order.End());
        Assert.False(_log.Write(_order, TracePhase.Forward, 0, 0, leaves));
        Assert.Equal(1, _log.Written);
    }

    [Fact]
    public void A_tensor_is_read_with_its_digest_or_without()
    {
        var leaves = new Leaves(_log.Texts, digests: true);
        leaves.AddTensor(6, 1, 2, [3, 4], "abc");
        leaves.Add("text");
        leaves.AddTensor(-1, 0, -1, [], null);
        var words = leaves.Words;
        var first = Leaves.Take(ref words, digests: true);
        Assert.Equal((ValueKind.Tensor, 6, 1, 2), (first.Head.Kind, first.Head.DType, first.Head.DeviceType, first.Head.DeviceIndex));
        Assert.Equal([3, 4], first.Sizes.ToArray());
        Assert.Equal("abc", _log.Texts[(int)first.Payload]);
        var second = Leaves.Take(ref words, digests: true);
        Assert.Equal((ValueKind.Str, "text"), (second.Head.Kind, _log.Texts[(int)second.Payload]));
        var third = Leaves.Take(ref words, digests: true);
        Assert.Equal((-1, 0, -1, -1L, 0), (third.Head.DType, third.Head.DeviceType, third.Head.DeviceIndex, third.Payload, third.Sizes.Length));
        Assert.True(words.IsEmpty);
    }
}

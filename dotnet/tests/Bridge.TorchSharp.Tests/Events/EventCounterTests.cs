namespace Bridge.TorchSharp.Tests;

/// <summary>Assigning the numbers of events.</summary>
public sealed class EventCounterTests
{
    [Fact]
    public void Each_number_is_assigned_once_and_none_after_the_end()
    {
        var order = new EventCounter();
        var given = new List<long>[4];
        using var begun = new Barrier(5);
        var threads = Enumerable.Range(0, 4).Select(k => new Thread(() =>
        {
            given[k] = [];
            begun.SignalAndWait();
            for (long number; (number = order.Next()) >= 0;) given[k].Add(number);
        })).ToArray();
        foreach (var thread in threads) thread.Start();
        begun.SignalAndWait();
        while (given.Any(numbers => numbers is not { Count: > 100 })) Thread.Yield();
        var count = order.Stop();
        foreach (var thread in threads) thread.Join();
        Assert.True(order.Stopped);
        Assert.Equal(count, given.Sum(numbers => (long)numbers.Count));
        Assert.Equal(Enumerable.Range(0, (int)count).Select(number => (long)number), given.SelectMany(numbers => numbers).Order());
        Assert.All(given, numbers => Assert.Equal(numbers.Order(), numbers));
    }

    [Fact]
    public void A_counter_stops_and_resumes_without_a_gap()
    {
        var order = new EventCounter();
        Assert.Equal(0, order.Next());
        Assert.Equal(1, order.Next());
        Assert.Equal(2, order.Stop());
        Assert.True(order.Next() < 0);
        Assert.Equal(2, order.Stop());
        order.Resume();
        Assert.False(order.Stopped);
        Assert.Equal(2, order.Next());
        Assert.Equal(3, order.Count);
    }

    [Fact]
    public void A_counter_stops_at_its_limit()
    {
        var order = new EventCounter(3);
        Assert.Equal([order.First, order.First + 1], [order.Next(), order.Next()]);
        order.Stop();
        Assert.False(order.LimitReached);
        order.Resume();
        Assert.Equal(order.First + 2, order.Next());
        Assert.True(order.Stopped && order.LimitReached);
        Assert.True(order.Next() < 0);
        Assert.Equal(3, order.Stop());
        order.Resume();
        Assert.True(order.Next() < 0);
        Assert.Equal(3, order.Count);
    }
}

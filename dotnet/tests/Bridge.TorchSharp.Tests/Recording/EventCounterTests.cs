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
        var count = order.End();
        foreach (var thread in threads) thread.Join();
        Assert.True(order.Ended);
        Assert.Equal(count, given.Sum(numbers => (long)numbers.Count));
        Assert.Equal(Enumerable.Range(0, (int)count).Select(number => (long)number), given.SelectMany(numbers => numbers).Order());
        Assert.All(given, numbers => Assert.Equal(numbers.Order(), numbers));
    }

    [Fact]
    public void A_counter_ends_once()
    {
        var order = new EventCounter();
        Assert.Equal(0, order.Next());
        Assert.Equal(1, order.Next());
        Assert.Equal(2, order.End());
        Assert.True(order.Next() < 0);
        Assert.True(order.End() < 0);
    }
}

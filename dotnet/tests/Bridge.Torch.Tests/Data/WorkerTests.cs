using System.Collections.Concurrent;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>Tests BatchEnumerator.cs with several workers, against what a program on TorchSharp 0.107.0 printed.</summary>
public sealed class WorkerTests : WithTorch
{
    [Theory]
    [InlineData(-1)]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(8)]
    public void Workers_do_not_change_the_order(int workers)
    {
        using var loader = new DataLoader<long, string>(new Items<long>(11, index =>
        {
            Thread.Sleep((int)(11 - index));
            return index;
        }), 4, (items, _) => string.Join(',', items), shuffle: true, seed: 42, num_worker: workers);
        Assert.Equal(["4,9,7,3", "1,6,2,8", "5,0,10"], loader);
        Assert.Equal(Math.Max(workers, 1), loader.num_workers);
    }

    /// <summary>Each worker waits for the other, so both must run. A third never does.</summary>
    [Fact]
    public void As_many_items_as_workers_are_read_at_once()
    {
        using var barrier = new Barrier(2);
        int now = 0, most = 0;
        using var loader = new DataLoader<bool, bool>(new Items<bool>(8, _ =>
        {
            var running = Interlocked.Increment(ref now);
            lock (barrier) most = Math.Max(most, running);
            var met = barrier.SignalAndWait(TimeSpan.FromSeconds(30));
            Interlocked.Decrement(ref now);
            return met;
        }), 8, (items, _) => items.All(met => met), num_worker: 2);
        Assert.Equal([true], loader);
        Assert.Equal(2, most);
    }

    [Fact]
    public void One_worker_is_the_calling_thread_which_reads_in_order_and_nothing_ahead()
    {
        var read = new List<(int Thread, long Index)>();
        using var loader = new DataLoader<long, long>(new Items<long>(6, index =>
        {
            read.Add((Environment.CurrentManagedThreadId, index));
            return index;
        }), 2, (items, _) => items.First(), shuffle: true, seed: 42);
        using var batches = loader.GetEnumerator();
        Assert.Empty(read);
        batches.MoveNext();
        Assert.Equal([4L, 0L], read.Select(entry => entry.Index));
        batches.MoveNext();
        Assert.Equal([4L, 0L, 5L, 3L], read.Select(entry => entry.Index));
        Assert.All(read, entry => Assert.Equal(Environment.CurrentManagedThreadId, entry.Thread));
    }

    /// <summary>no_grad belongs to its thread, so only the calling thread's items have it.</summary>
    [Fact]
    public void The_calling_thread_s_grad_mode_does_not_reach_the_workers()
    {
        using var barrier = new Barrier(2);
        var modes = new ConcurrentDictionary<int, bool>();
        using var loader = new DataLoader<int, int>(new Items<int>(2, _ =>
        {
            modes[Environment.CurrentManagedThreadId] = is_grad_enabled();
            barrier.SignalAndWait(TimeSpan.FromSeconds(30));
            return 0;
        }), 2, (items, _) => items.Count(), num_worker: 2);
        using (no_grad()) Assert.Equal([2], loader);
        Assert.Equal(2, modes.Count);
        Assert.All(modes, entry => Assert.Equal(entry.Key != Environment.CurrentManagedThreadId, entry.Value));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void An_error_of_the_data_set_comes_in_an_aggregate(int workers)
    {
        using var loader = new DataLoader<long, long>(
            new Items<long>(4, index => throw new InvalidOperationException($"boom {index}")), 4, (items, _) => items.First(),
            num_worker: workers);
        var error = Assert.Throws<AggregateException>(() => loader.First());
        Assert.All(error.InnerExceptions, inner => Assert.StartsWith("boom", Assert.IsType<InvalidOperationException>(inner).Message));
        if (workers == 1) Assert.Equal("boom 0", Assert.Single(error.InnerExceptions).Message);
    }
}

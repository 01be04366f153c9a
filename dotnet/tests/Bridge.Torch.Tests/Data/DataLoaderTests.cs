using TorchSharp;
using TorchSharp.Modules;
using TorchSharp.Utils;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>
/// Tests DataLoader.cs, LoaderFactories.cs, IndexOrder.cs and the order in BatchEnumerator.cs. All expected orders, counts and exceptions
/// are what a program on TorchSharp 0.107.0 printed.
/// </summary>
public sealed class DataLoaderTests : WithTorch
{
    [Theory]
    [InlineData(1, 42, "0")]
    [InlineData(2, 0, "0,1")]
    [InlineData(2, 1, "1,0")]
    [InlineData(5, 0, "3,4,1 0,2")]
    [InlineData(5, 42, "4,0,2 3,1")]
    [InlineData(10, 0, "7,8,1 6,2,9 5,3,4 0")]
    [InlineData(10, 1, "9,2,4 8,7,1 3,0,6 5")]
    [InlineData(10, 42, "4,9,7 3,1,6 2,8,5 0")]
    [InlineData(10, -7, "7,4,2 1,5,0 8,6,3 9")]
    public void A_seed_gives_torchsharp_s_order_in_every_enumeration(int count, int seed, string order)
    {
        using var loader = utils.data.DataLoader(new NamedItems(count), 3, shuffle: true, seed: seed);
        Assert.Equal((order, order), (Order(loader), Order(loader)));
        Assert.Equal(new FisherYatesShuffler(count, seed), loader.sampler);
    }

    [Fact]
    public void Without_a_seed_every_enumeration_has_another_order()
    {
        using var loader = utils.data.DataLoader(new NamedItems(50), 50, shuffle: true);
        var first = Order(loader).Split(',').Select(long.Parse).ToArray();
        var second = Order(loader).Split(',').Select(long.Parse).ToArray();
        Assert.Equal(Enumerable.Range(0, 50).Select(index => (long)index), first.Order());
        Assert.NotEqual(first, second);
    }

    [Fact]
    public void Without_shuffling_a_seed_does_nothing()
    {
        using var loader = utils.data.DataLoader(new NamedItems(5), 2, seed: 5);
        Assert.Equal("0,1 2,3 4", Order(loader));
        Assert.Equal([0, 1, 2, 3, 4], loader.sampler);
    }

    [Theory]
    [InlineData(new long[] { 4, 2, 0 }, false, "4,2 0")]
    [InlineData(new long[] { 4, 2, 0 }, true, "4,2")]
    [InlineData(new long[] { 4, 4, 4, 1, 1, 2, 0 }, false, "4,4 4,1 1,2 0")]
    public void Given_indices_are_the_order_but_not_the_count(long[] indices, bool dropLast, string order)
    {
        using var loader = utils.data.DataLoader(new NamedItems(5), 2, indices, drop_last: dropLast);
        Assert.Equal(order, Order(loader));
        Assert.Equal(dropLast ? 2 : 3, loader.Count);
        Assert.Same(indices, loader.sampler);
    }

    /// <summary>TorchSharp, too, counts one batch of no items.</summary>
    [Theory]
    [InlineData(0, 2, false, 1, "")]
    [InlineData(0, 2, true, 0, "")]
    [InlineData(1, 2, false, 1, "0")]
    [InlineData(1, 2, true, 0, "")]
    [InlineData(3, 2, false, 2, "0,1 2")]
    [InlineData(3, 2, true, 1, "0,1")]
    [InlineData(4, 2, true, 2, "0,1 2,3")]
    [InlineData(5, 100, false, 1, "0,1,2,3,4")]
    [InlineData(5, 100, true, 0, "")]
    [InlineData(-3, 2, false, -1, "")]
    public void The_last_batch_may_be_smaller_or_is_dropped(int items, int size, bool drop, long count, string order)
    {
        foreach (var shuffle in new[] { false, true })
        {
            using var loader = utils.data.DataLoader(new NamedItems(items), size, shuffle, seed: shuffle ? 0 : null, drop_last: drop);
            Assert.Equal(count, loader.Count);
            Assert.Equal(order.Split([' ', ',']).Length, Order(loader).Split([' ', ',']).Length);
            if (!shuffle) Assert.Equal(order, Order(loader));
        }
    }

    [Fact]
    public void A_size_of_zero_gives_no_batch_and_a_negative_one_fails_in_the_loop()
    {
        using var none = utils.data.DataLoader(new NamedItems(5), 0);
        Assert.Empty(none);
        Assert.Throws<DivideByZeroException>(() => none.Count);
        using var negative = utils.data.DataLoader(new NamedItems(5), -1);
        Assert.Equal(-3, negative.Count);
        using var batches = negative.GetEnumerator();
        Assert.Throws<ArgumentOutOfRangeException>(() => batches.MoveNext());
    }

    [Fact]
    public void A_missing_argument_fails_where_it_is_used()
    {
        Assert.Throws<NullReferenceException>(() => utils.data.DataLoader((utils.data.Dataset)null!, 2));
        Assert.Throws<NullReferenceException>(() => utils.data.DataLoader((utils.data.IterableDataset)null!, 2));
        Assert.NotNull(utils.data.DataLoader((utils.data.Dataset)null!, 2, [0L]));
        Assert.Throws<NullReferenceException>(() => utils.data.DataLoader(new NamedItems(2), 2, null!).GetEnumerator());
        using var uncollated = new DataLoader<long, long>(new Items<long>(2, index => index), 2, null!);
        Assert.Throws<NullReferenceException>(() => uncollated.First());
    }

    [Fact]
    public void The_properties_are_the_arguments()
    {
        var items = new NamedItems(11);
        using var loader = utils.data.DataLoader(items, 4, device: META, num_worker: 3, drop_last: true, disposeBatch: false);
        Assert.Equal((4, true, 3, false, true),
            (loader.batch_size, loader.drop_last, loader.num_workers, loader.DisposeBatch, loader.DisposeDataset));
        Assert.Equal(DeviceType.META, loader.Device.type);
        Assert.Same(items, loader.dataset);
        using var plain = utils.data.DataLoader(items, 4, num_worker: -1, disposeDataset: false);
        Assert.Equal((DeviceType.CPU, 1, false), (plain.Device.type, plain.num_workers, plain.DisposeDataset));
    }

    [Fact]
    public void The_items_are_counted_when_the_loader_is_made()
    {
        var counted = 0L;
        var items = new Growing();
        using var loader = utils.data.DataLoader(items, 2, shuffle: true, seed: 1);
        items.Size = 6;
        foreach (var batch in loader) counted += batch["x"].shape[0];
        Assert.Equal((3, 3), (counted, loader.Count));
    }

    [Fact]
    public void An_enumerator_starts_again_after_a_reset_and_goes_on_after_its_end()
    {
        using var loader = new DataLoader<long, string>(new Items<long>(4, index => index), 3, (items, _) => string.Join(',', items));
        var batches = loader.GetEnumerator();
        Assert.Null(batches.Current);
        Assert.True(batches.MoveNext());
        batches.Reset();
        Assert.Equal("0,1,2", batches.Current);
        Assert.True(batches.MoveNext());
        Assert.True(batches.MoveNext());
        Assert.False(batches.MoveNext());
        Assert.False(batches.MoveNext());
        Assert.Equal("3", batches.Current);
        batches.Reset();
        batches.MoveNext();
        batches.Dispose();
        Assert.True(batches.MoveNext());
        Assert.Equal("3", batches.Current);
    }

    /// <summary>The letters are calls: G is GetEnumerator, m is MoveNext, D is Dispose.</summary>
    [Fact]
    public void Each_step_asks_the_sampler_for_a_whole_batch()
    {
        var sampler = new Logged(5);
        using var loader = utils.data.DataLoader(new NamedItems(5), 2, sampler);
        Assert.Equal("", sampler.Calls);
        Assert.Equal(3, loader.Count());
        Assert.Equal("GmmmmmmmmD", sampler.Calls);
        sampler.Calls = "";
        _ = loader.First();
        Assert.Equal("GmmD", sampler.Calls);
        var batches = loader.GetEnumerator();
        sampler.Calls = "";
        batches.Reset();
        Assert.Equal("DG", sampler.Calls);
    }

    [Fact]
    public void An_item_that_cannot_be_read_is_skipped_with_its_batch()
    {
        using var loader = utils.data.DataLoader(new NamedItems(6, index =>
            index == 3 ? throw new InvalidOperationException("boom") : new() { ["x"] = tensor(index) }), 2);
        using var batches = loader.GetEnumerator();
        Assert.True(batches.MoveNext());
        var error = Assert.Throws<AggregateException>(() => batches.MoveNext());
        Assert.Equal("boom", Assert.IsType<InvalidOperationException>(Assert.Single(error.InnerExceptions)).Message);
        Assert.True(batches.MoveNext());
        Assert.Equal([4L, 5L], batches.Current["x"].ToArray<long>());
    }

    private static string Order(DataLoader loader) =>
        string.Join(' ', loader.Select(batch => string.Join(',', batch["x"].ToArray<long>())));

    private sealed class Growing : utils.data.Dataset
    {
        internal long Size { get; set; } = 3;

        public override long Count => Size;

        public override Dictionary<string, Tensor> GetTensor(long index) => new() { ["x"] = tensor(index) };
    }

    private sealed class Logged(long count) : IEnumerable<long>
    {
        internal string Calls { get; set; } = "";

        public IEnumerator<long> GetEnumerator()
        {
            Calls += "G";
            return new Enumerator(this, count);
        }

        System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => GetEnumerator();

        private sealed class Enumerator(Logged owner, long count) : IEnumerator<long>
        {
            public long Current { get; private set; } = -1;

            object System.Collections.IEnumerator.Current => Current;

            public bool MoveNext()
            {
                owner.Calls += "m";
                return ++Current < count;
            }

            public void Reset() => throw new NotSupportedException();

            public void Dispose() => owner.Calls += "D";
        }
    }
}

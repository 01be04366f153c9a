using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>
/// Tests what BatchEnumerator.cs disposes, and when. A program on TorchSharp 0.107.0 showed the same states, for one worker and for three.
/// </summary>
public sealed class BatchLifetimeTests : WithTorch
{
    public static TheoryData<bool, int> KeptAndWorkers => new() { { false, 1 }, { false, 3 }, { true, 1 }, { true, 3 } };

    [Theory]
    [MemberData(nameof(KeptAndWorkers))]
    public void Items_end_with_their_batch_s_making_and_batches_with_the_next_step(bool keep, int workers)
    {
        var items = new NamedItems(5);
        using var loader = utils.data.DataLoader(items, 2, num_worker: workers, disposeBatch: !keep);
        var batches = loader.GetEnumerator();
        batches.MoveNext();
        var first = batches.Current["x"];
        Assert.Equal([true, true, false], items.Given.Append(first).Select(tensor => tensor.IsInvalid));
        batches.MoveNext();
        var second = batches.Current["x"];
        Assert.Equal((!keep, false), (first.IsInvalid, second.IsInvalid));
        batches.Reset();
        Assert.Equal(!keep, second.IsInvalid);
        Assert.Same(second, batches.Current["x"]);
        batches.MoveNext();
        var again = batches.Current["x"];
        batches.Dispose();
        batches.Dispose();
        Assert.Equal(!keep, again.IsInvalid);
        Assert.All(items.Given, tensor => Assert.True(tensor.IsInvalid));
    }

    [Fact]
    public void The_last_batch_ends_with_the_enumeration()
    {
        using var loader = utils.data.DataLoader(new NamedItems(3), 2);
        var batches = loader.GetEnumerator();
        batches.MoveNext();
        batches.MoveNext();
        Assert.Equal([2L], batches.Current["x"].ToArray<long>());
        Assert.False(batches.MoveNext());
        Assert.True(batches.Current["x"].IsInvalid);
    }

    [Theory]
    [MemberData(nameof(KeptAndWorkers))]
    public void All_tensors_that_a_function_leaves_in_its_scope_count(bool keep, int workers)
    {
        List<Tensor> read = [], made = [];
        using var loader = new DataLoader<Tensor, Holder>(new Items<Tensor>(4, index =>
        {
            var item = tensor(index);
            var other = ones(1);
            lock (read) read.AddRange([item, other]);
            return item;
        }), 2, (items, _) =>
        {
            made.Add(ones(2));
            return new(stack(items.ToArray()));
        }, num_worker: workers, disposeBatch: !keep);
        var batches = loader.GetEnumerator();
        batches.MoveNext();
        var batch = batches.Current.Value;
        Assert.All(read, tensor => Assert.True(tensor.IsInvalid));
        Assert.False(made[0].IsInvalid || batch.IsInvalid);
        batches.MoveNext();
        Assert.Equal((!keep, !keep), (made[0].IsInvalid, batch.IsInvalid));
    }

    /// <summary>Also if the loader keeps batches.</summary>
    [Theory]
    [MemberData(nameof(KeptAndWorkers))]
    public void A_batch_that_is_an_item_ends_with_the_item(bool keep, int workers)
    {
        using var loader = new DataLoader<Tensor, Tensor>(new Items<Tensor>(2, index => tensor(index)), 1, (items, _) => items.First(),
            num_worker: workers, disposeBatch: !keep);
        Assert.True(loader.First().IsInvalid);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void Tensors_from_before_and_detached_ones_stay(int workers)
    {
        using var before = ones(2);
        var detached = new List<Tensor>();
        using var loader = new DataLoader<Tensor, Tensor>(new Items<Tensor>(4, _ =>
        {
            var item = ones(1).DetachFromDisposeScope();
            lock (detached) detached.Add(item);
            return item;
        }), 2, (_, _) =>
        {
            detached.Add(ones(3).DetachFromDisposeScope());
            return before;
        }, num_worker: workers);
        Assert.Equal(2, loader.Count());
        Assert.Equal(6, detached.Count);
        Assert.All(detached.Append(before), tensor => Assert.False(tensor.IsInvalid));
        foreach (var tensor in detached) tensor.Dispose();
    }

    /// <summary>A batch is in no scope, and taking its tensors out of or into one does not keep them.</summary>
    [Fact]
    public void The_user_s_scopes_have_no_part_in_a_batch()
    {
        using var outer = NewDisposeScope();
        using var loader = utils.data.DataLoader(new NamedItems(6), 2);
        var batches = loader.GetEnumerator();
        using (NewDisposeScope()) batches.MoveNext();
        Assert.Equal(0, outer.DisposablesCount);
        var detached = batches.Current["x"].DetachFromDisposeScope();
        Assert.False(detached.IsInvalid);
        batches.MoveNext();
        Assert.True(detached.IsInvalid);
        var attached = batches.Current["x"];
        var copy = attached.clone();
        outer.Attach(attached);
        batches.MoveNext();
        Assert.Equal((true, false), (attached.IsInvalid, copy.IsInvalid));
    }

    [Fact]
    public void A_collating_function_that_fails_keeps_the_last_batch_object_and_goes_on()
    {
        List<Tensor> made = [];
        using var loader = new DataLoader<long, string>(new Items<long>(6, index => index), 2, (items, _) =>
        {
            made.Add(ones(1));
            return items.First() == 2 ? throw new InvalidOperationException("boom") : string.Join(',', items);
        });
        var batches = loader.GetEnumerator();
        batches.MoveNext();
        Assert.Equal("boom", Assert.Throws<InvalidOperationException>(() => batches.MoveNext()).Message);
        Assert.Equal([true, true], made.Select(tensor => tensor.IsInvalid));
        Assert.Equal("0,1", batches.Current);
        Assert.True(batches.MoveNext());
        Assert.Equal("4,5", batches.Current);
        batches.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void The_loader_disposes_its_data_set_only_if_told_and_never_a_batch(bool own)
    {
        var items = new NamedItems(4);
        var loader = utils.data.DataLoader(items, 2, disposeDataset: own);
        using var batches = loader.GetEnumerator();
        batches.MoveNext();
        loader.Dispose();
        Assert.Equal(own ? 1 : 0, items.Disposed);
        loader.Dispose();
        Assert.Equal(own ? 2 : 0, items.Disposed);
        Assert.False(batches.Current["x"].IsInvalid);
        Assert.True(batches.MoveNext());
    }

    [Fact]
    public void Nothing_is_left_alive()
    {
        Settle();
        var before = Tensor.TotalCount;
        using (var loader = utils.data.DataLoader(new NamedItems(7, index => new() { ["a"] = ones(2), ["b"] = tensor(index) }), 2,
            num_worker: 2))
            Assert.Equal(4, loader.Count());
        Assert.Equal(before, Tensor.TotalCount);
    }

    /// <summary>What is IDisposable, but no tensor, is the user's.</summary>
    [Fact]
    public void Other_objects_are_not_disposed()
    {
        var disposed = 0;
        using var loader = new DataLoader<Counting, Counting>(new Items<Counting>(4, _ => new(() => disposed++)), 2,
            (items, _) => items.First());
        Assert.Equal(2, loader.Count());
        Assert.Equal(0, disposed);
    }

    private sealed record Holder(Tensor Value);

    private sealed class Counting(Action dispose) : IDisposable
    {
        public void Dispose() => dispose();
    }
}

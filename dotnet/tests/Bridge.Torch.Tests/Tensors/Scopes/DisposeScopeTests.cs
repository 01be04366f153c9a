using static TorchSharp.torch;

namespace Bridge.Torch.Tests;

/// <summary>DisposeScope.cs: what a scope frees, and how a tensor leaves it.</summary>
public sealed class DisposeScopeTests : WithTorch
{
    [Fact]
    public void A_scope_disposes_what_was_made_in_it_and_nothing_else()
    {
        using var before = ones([2]);
        Tensor inside;
        using (var scope = NewDisposeScope())
        {
            inside = before * 2;
            Assert.Equal(1, scope.DisposablesCount);
        }

        Assert.True(inside.IsInvalid);
        Assert.False(before.IsInvalid);
        using var after = ones([2]);
        Assert.False(after.IsInvalid);
    }

    [Fact]
    public void Tensors_move_between_scopes_and_leave_them()
    {
        using var outer = NewDisposeScope();
        var other = NewDisposeScope();
        var inner = NewDisposeScope();
        Assert.Same(inner, CurrentDisposeScope);
        Tensor[] made = [ones(1), ones(1), ones(1), ones(1)];
        Assert.Equal(4, inner.DisposablesView.Count);
        Assert.Same(made[0], inner.MoveToOuter(made[0]));
        Assert.True(other.Contains(made[0]));
        Assert.Equal((made[1], made[2]), inner.MoveToOther(outer, made[1], made[2]));
        Assert.Equal(2, outer.DisposablesCount);
        inner.Detach(made[3]);
        Assert.Equal(0, inner.DisposablesCount);
        inner.Attach(made[3]);
        Assert.True(inner.Contains(made[3]));
        inner.Dispose();
        Assert.True(made[3].IsInvalid);
        Assert.False(made[0].IsInvalid);
        other.Dispose();
        Assert.True(made[0].IsInvalid);
        Assert.False(made[1].IsInvalid);
        Assert.Throws<ObjectDisposedException>(() => other.DisposablesView);
        Assert.Throws<InvalidOperationException>(() => outer.Attach(new MemoryStream()));
    }

    [Fact]
    public void A_scope_disposes_everything_but_what_is_kept_and_stays_open()
    {
        using var scope = NewDisposeScope();
        var (first, second) = (ones(1), ones(1));
        Assert.Same(second, scope.DisposeEverythingBut(second));
        Assert.True(first.IsInvalid);
        Assert.False(second.IsInvalid);
        Assert.Equal(1, scope.DisposablesCount);
        scope.DisposeEverything();
        Assert.True(second.IsInvalid);
        var third = ones(1);
        Assert.True(scope.Contains(third));
        scope.MarkAsDisposed(third);
        Assert.False(scope.Contains(third));
        third.Dispose();
        using var result = WrappedTensorDisposeScope(() => ones(1) + 1);
        Assert.True(scope.Contains(result));
    }

    [Fact]
    public void Other_threads_may_dispose_and_detach_what_is_in_a_scope()
    {
        var kept = new System.Collections.Concurrent.ConcurrentBag<Tensor>();
        using (var scope = NewDisposeScope())
        {
            using var made = new System.Collections.Concurrent.BlockingCollection<Tensor>(64);
            var workers = Enumerable.Range(0, 3).Select(_ => new Thread(() =>
            {
                foreach (var (number, tensor) in made.GetConsumingEnumerable().Select((tensor, number) => (number, tensor)))
                {
                    if (number % 2 == 0) tensor.Dispose();
                    else kept.Add(tensor.DetachFromDisposeScope());
                }
            })).ToArray();
            foreach (var worker in workers) worker.Start();
            for (var number = 0; number < 20_000; number++) made.Add(empty([1]));
            made.CompleteAdding();
            foreach (var worker in workers) worker.Join();
            Assert.Equal(0, scope.DisposablesCount);
        }

        Assert.All(kept, tensor => Assert.False(tensor.IsInvalid));
        foreach (var tensor in kept) tensor.Dispose();
    }

    [Fact]
    public void Scopes_nest()
    {
        using var outer = NewDisposeScope();
        var one = ones([2]);
        Tensor two;
        using (NewDisposeScope()) two = ones([2]);
        Assert.True(two.IsInvalid);
        Assert.False(one.IsInvalid);
        var three = ones([2]);
        Assert.Equal(2, outer.DisposablesCount);
        outer.Dispose();
        Assert.True(one.IsInvalid);
        Assert.True(three.IsInvalid);
    }

    [Fact]
    public void Moved_to_the_outer_scope_a_tensor_dies_with_that()
    {
        Tensor moved;
        using (var outer = NewDisposeScope())
        {
            using (NewDisposeScope()) moved = ones([2]).MoveToOuterDisposeScope();
            Assert.False(moved.IsInvalid);
            Assert.Equal(1, outer.DisposablesCount);
        }

        Assert.True(moved.IsInvalid);
    }

    [Fact]
    public void Moved_out_of_the_outermost_scope_it_is_nobodys()
    {
        Tensor moved;
        using (NewDisposeScope()) moved = ones([2]).MoveToOuterDisposeScope();
        Assert.False(moved.IsInvalid);
        moved.Dispose();
    }

    [Fact]
    public void Detached_it_outlives_every_scope()
    {
        Tensor detached;
        using (NewDisposeScope())
        using (NewDisposeScope()) detached = ones([2]).DetachFromDisposeScope();
        Assert.False(detached.IsInvalid);
        Assert.Equal([1f, 1f], detached.ToArray<float>());
        detached.Dispose();
    }

    [Fact]
    public void A_tensor_disposed_by_hand_leaves_its_scope()
    {
        using var scope = NewDisposeScope();
        var tensor = ones([2]);
        tensor.Dispose();
        Assert.Equal(0, scope.DisposablesCount);
        tensor.Dispose();
        Assert.True(tensor.IsInvalid);
    }

    [Fact]
    public void Disposed_out_of_order_each_scope_still_frees_its_own()
    {
        var outer = NewDisposeScope();
        var first = ones([2]);
        var inner = NewDisposeScope();
        var second = ones([2]);
        outer.Dispose();
        Assert.True(first.IsInvalid);
        Assert.False(second.IsInvalid);
        var third = ones([2]); // the inner scope is still the thread's
        Assert.Equal(2, inner.DisposablesCount);
        inner.Dispose();
        Assert.True(second.IsInvalid);
        Assert.True(third.IsInvalid);
        using var fourth = ones([2]);
        using var last = NewDisposeScope();
        Assert.Equal(0, last.DisposablesCount);
        Assert.False(fourth.IsInvalid);
    }

    [Fact]
    public void After_scopes_ended_out_of_order_nothing_enters_a_dead_one()
    {
        var outer = NewDisposeScope();
        var inner = NewDisposeScope();
        outer.Dispose();
        inner.Dispose();
        Assert.Throws<ObjectDisposedException>(() => outer.DisposablesCount);
        using var tensor = ones([2]);
        Assert.False(outer.Contains(tensor) || inner.Contains(tensor));
        using (var next = NewDisposeScope())
        {
            var moved = ones([2]).MoveToOuterDisposeScope();
            Assert.False(outer.Contains(moved) || inner.Contains(moved) || next.Contains(moved));
            moved.Dispose();
        }
    }

    [Fact]
    public void Disposing_a_scope_twice_does_nothing_more()
    {
        var outer = NewDisposeScope();
        var scope = NewDisposeScope();
        scope.Dispose();
        scope.Dispose();
        var tensor = ones([2]);
        Assert.Equal(1, outer.DisposablesCount);
        outer.Dispose();
        Assert.True(tensor.IsInvalid);
    }

    [Fact]
    public void A_scope_is_its_threads_own()
    {
        using var scope = NewDisposeScope();
        Tensor? elsewhere = null;
        var thread = new Thread(() => elsewhere = ones([2]));
        thread.Start();
        thread.Join();
        Assert.Equal(0, scope.DisposablesCount);
        Assert.False(elsewhere!.IsInvalid);
        elsewhere.Dispose();
    }

    [Fact]
    public void Handles_are_freed_at_once()
    {
        Settle();
        var before = Tensor.Live;
        using (NewDisposeScope())
        {
            var sum = ones([2]);
            for (var i = 0; i < 100; i++) sum = sum + 1;
            Assert.True(Tensor.Live >= before + 101);
        }

        Assert.Equal(before, Tensor.Live);
    }
}

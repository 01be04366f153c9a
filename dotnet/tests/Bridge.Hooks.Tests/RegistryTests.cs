namespace Bridge.Hooks.Tests;

public class RegistryTests
{
    private static readonly Action Nothing = () => { };

    private static long[] Ids(HookRegistry<Action> registry) => [.. registry.Snapshot().ToArray().Select(e => e.Id)];

    [Fact]
    public void O2_prepended_hooks_are_in_reverse_order_at_the_front()
    {
        var registry = new HookRegistry<Action>();
        var a = registry.Add(Nothing);
        var b = registry.Add(Nothing, prepend: true);
        var c = registry.Add(Nothing, prepend: true);
        var d = registry.Add(Nothing);

        Assert.Equal([c.Id, b.Id, a.Id, d.Id], Ids(registry));
    }

    [Fact]
    public void O3_the_global_registries_have_no_prepend()
    {
        var pre = Assert.Throws<ArgumentException>(() => GlobalHooks.Pre.Add((object _, ref object?[] _) => { }, prepend: true));
        Assert.Contains("O-3", pre.Message);
        Assert.Throws<ArgumentException>(
            () => GlobalHooks.Forward.Add((object _, in object?[] _, ref object? _) => { }, prepend: true));
        Assert.True(GlobalHooks.IsEmpty);
    }

    [Fact]
    public void O4_the_place_of_a_removed_hook_is_not_reused()
    {
        var registry = new HookRegistry<Action>();
        var handles = Enumerable.Range(1, 4).Select(_ => registry.Add(Nothing)).ToArray();
        handles[1].remove();
        handles[2].remove();
        var e = registry.Add(Nothing);
        var f = registry.Add(Nothing);

        Assert.Equal([handles[0].Id, handles[3].Id, e.Id, f.Id], Ids(registry));
    }

    [Fact]
    public void O4_order_is_kept_through_random_changes()
    {
        var random = new Random(4);
        var registry = new HookRegistry<Action>();
        var expected = new List<HookHandle>();
        for (var step = 0; step < 2000; step++)
        {
            if (expected.Count > 0 && random.Next(5) < 2)
            {
                var index = random.Next(expected.Count);
                expected[index].remove();
                expected.RemoveAt(index);
            }
            else
            {
                var prepend = random.Next(3) == 0;
                expected.Insert(prepend ? 0 : expected.Count, registry.Add(Nothing, prepend));
            }

            Assert.Equal(expected.Select(h => h.Id), Ids(registry));
        }

        Assert.NotEmpty(expected);
    }

    [Fact]
    public void A1_pre_hooks_have_no_always_call()
    {
        var site = new HookSite<int, int>();
        var error = Assert.Throws<ArgumentException>(() => site.Pre.Add((object _, ref int _) => { }, alwaysCall: true));
        Assert.Contains("A-1", error.Message);
        Assert.Throws<ArgumentException>(() => GlobalHooks.Pre.Add((object _, ref object?[] _) => { }, alwaysCall: true));
        Assert.True(site.IsEmpty && GlobalHooks.IsEmpty);
    }

    [Fact]
    public void G1_a_null_hook_is_refused()
    {
        var registry = new HookRegistry<Action>();
        Assert.Throws<ArgumentNullException>("hook", () => registry.Add(null!));
        Assert.True(registry.IsEmpty);
    }

    [Fact]
    public void G8_a_delegate_registered_twice_is_two_hooks()
    {
        var registry = new HookRegistry<Action>();
        var first = registry.Add(Nothing);
        var second = registry.Add(Nothing);

        Assert.NotEqual(first.Id, second.Id);
        first.remove();
        Assert.Equal([second.Id], Ids(registry));
    }

    [Fact]
    public void D1_a_snapshot_does_not_change_with_the_registry()
    {
        var registry = new HookRegistry<Action>();
        var first = registry.Add(Nothing, alwaysCall: true);
        var snapshot = registry.Snapshot();
        first.remove();
        registry.Add(Nothing);
        registry.Add(Nothing);

        Assert.Equal(1, snapshot.Length);
        Assert.Equal((first.Id, Nothing, true), (snapshot[0].Id, snapshot[0].Hook, snapshot[0].AlwaysCall));
    }

    [Fact]
    public void IsEmpty_Count_Contains_and_Remove_agree()
    {
        var registry = new HookRegistry<Action>();
        Assert.True(registry is { IsEmpty: true, Count: 0 } && registry.Snapshot().IsEmpty);
        registry.Remove(0);
        Assert.Equal(0, registry.Count);

        var handle = registry.Add(Nothing);
        Assert.True(registry is { IsEmpty: false, Count: 1 } && registry.Contains(handle.Id));
        registry.Remove(handle.Id + 1);
        Assert.True(registry is { IsEmpty: false, Count: 1 } && !registry.Contains(handle.Id + 1));

        registry.Remove(handle.Id);
        registry.Remove(handle.Id);
        Assert.True(registry is { IsEmpty: true, Count: 0 });
    }

    [Fact]
    public void X4_parallel_writers_lose_no_hooks_and_keep_their_order()
    {
        const int Threads = 8;
        const int Each = 400;
        var registry = new HookRegistry<Action>();
        var kept = new long[Threads][];
        Parallel(Threads, t =>
        {
            var mine = new List<long>();
            for (var i = 0; i < Each; i++)
            {
                var handle = registry.Add(Nothing);
                if (i % 4 == 0)
                {
                    mine.Add(handle.Id);
                }
                else
                {
                    handle.remove();
                }
            }

            kept[t] = [.. mine];
        });

        var ids = Ids(registry);
        Assert.Equal(Threads * Each / 4, ids.Length);
        foreach (var mine in kept)
        {
            Assert.Equal(mine, ids.Where(mine.Contains));
        }
    }

    internal static void Parallel(int count, Action<int> body)
    {
        var errors = new Exception?[count];
        using var start = new Barrier(count);
        var threads = Enumerable.Range(0, count).Select(t => new Thread(() =>
        {
            try
            {
                start.SignalAndWait();
                body(t);
            }
            catch (Exception error)
            {
                errors[t] = error;
            }
        })).ToArray();
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => Assert.True(t.Join(TimeSpan.FromSeconds(60)), "the thread does not end"));
        Assert.All(errors, Assert.Null);
    }
}

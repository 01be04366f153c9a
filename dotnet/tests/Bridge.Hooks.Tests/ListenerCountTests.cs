namespace Bridge.Hooks.Tests;

public class ListenerCountTests
{
    [Fact]
    public void C5_global_hooks_of_either_kind_are_counted()
    {
        Assert.True(ListenerCount.IsZero);
        var pre = GlobalHooks.Pre.Add((object _, ref object?[] _) => { });
        Assert.False(ListenerCount.IsZero);
        var forward = GlobalHooks.Forward.Add((object _, in object?[] _, ref object? _) => { });
        pre.remove();
        Assert.False(ListenerCount.IsZero);
        forward.remove();
        Assert.True(ListenerCount.IsZero);
    }

    [Fact]
    public void H3_a_hook_removed_twice_is_uncounted_once()
    {
        var twice = GlobalHooks.Pre.Add((object _, ref object?[] _) => { });
        GlobalHooks.Pre.Remove(twice.Id);
        GlobalHooks.Pre.Remove(twice.Id);
        twice.remove();
        Assert.True(ListenerCount.IsZero);
        using (GlobalHooks.Pre.Add((object _, ref object?[] _) => { }))
        {
            Assert.False(ListenerCount.IsZero);
        }

        Assert.True(ListenerCount.IsZero);
    }

    [Fact]
    public void G1_an_invalid_registration_is_not_counted()
    {
        Assert.Throws<ArgumentNullException>(() => GlobalHooks.Pre.Add(null!));
        Assert.Throws<ArgumentException>(() => GlobalHooks.Pre.Add((object _, ref object?[] _) => { }, prepend: true));
        Assert.True(ListenerCount.IsZero);
    }

    [Fact]
    public void C5_module_hooks_are_not_counted()
    {
        var module = new Probe();
        module.Pre("a");
        Assert.True(ListenerCount.IsZero);
    }

    [Fact]
    public void X4_the_count_is_zero_after_parallel_registrations_and_removals()
    {
        RegistryTests.Parallel(8, _ =>
        {
            for (var i = 0; i < 500; i++)
            {
                using var handle = GlobalHooks.Pre.Add((object _, ref object?[] _) => { });
                Assert.False(ListenerCount.IsZero);
            }
        });
        Assert.True(ListenerCount.IsZero);
    }
}

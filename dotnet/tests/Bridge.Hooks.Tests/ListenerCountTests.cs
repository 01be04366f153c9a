namespace Bridge.Hooks.Tests;

public class ListenerCountTests
{
    [Fact]
    public void C5_somebody_is_to_be_asked_while_there_is_a_global_hook_of_either_kind()
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
    public void H3_a_hook_that_is_removed_twice_is_counted_once()
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
    public void G1_what_is_no_hook_is_not_counted()
    {
        Assert.Throws<ArgumentNullException>(() => GlobalHooks.Pre.Add(null!));
        Assert.Throws<ArgumentException>(() => GlobalHooks.Pre.Add((object _, ref object?[] _) => { }, prepend: true));
        Assert.True(ListenerCount.IsZero);
    }

    [Fact]
    public void C5_the_hooks_of_a_module_are_its_own()
    {
        var module = new Probe();
        module.Pre("a");
        Assert.True(ListenerCount.IsZero);
    }

    [Fact]
    public void X4_eight_threads_that_add_and_remove_leave_nobody()
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

using System.Runtime.CompilerServices;

namespace Bridge.Hooks.Tests;

public class HandleTests
{
    [Fact]
    public void H1_ids_ascend_across_registries_of_all_kinds()
    {
        var (a, b) = (new Probe(), new Probe());
        using var global = GlobalHooks.Pre.Add((object _, ref object?[] _) => { });
        HookHandle[] handles = [global, a.Pre("p"), b.Post("f"), b.Pre("q", prepend: true), a.Post("g", alwaysCall: true)];

        Assert.Equal(handles.Select(h => h.Id).Order().Distinct(), handles.Select(h => h.Id));
        Assert.True(handles[0].Id >= 0);
    }

    [Fact]
    public void H2_a_handle_keeps_neither_the_registry_nor_the_hook_alive()
    {
        var (handle, registry, captured) = Make();
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        Assert.False(registry.IsAlive);
        Assert.False(captured.IsAlive);
        handle.Dispose();
        handle.remove();

        [MethodImpl(MethodImplOptions.NoInlining)]
        static (HookHandle Handle, WeakReference Registry, WeakReference Captured) Make()
        {
            var registry = new HookRegistry<Action>();
            var captured = new object();
            return (registry.Add(() => GC.KeepAlive(captured)), new WeakReference(registry), new WeakReference(captured));
        }
    }

    [Fact]
    public void H2_dropping_a_handle_leaves_the_hook_registered()
    {
        var registry = new HookRegistry<Action>();
        Drop(registry);
        GC.Collect();
        GC.WaitForPendingFinalizers();

        Assert.Equal(1, registry.Count);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void Drop(HookRegistry<Action> registry) => registry.Add(() => { });
    }

    [Fact]
    public void H2_a_removed_hook_is_collected_while_its_handle_is_alive()
    {
        var registry = new HookRegistry<Action>();
        registry.Add(() => { });
        var (handle, captured) = Register(registry);
        handle.remove();
        GC.Collect();

        Assert.False(captured.IsAlive);
        Assert.Equal(1, registry.Count);
        GC.KeepAlive(handle);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static (HookHandle Handle, WeakReference Captured) Register(HookRegistry<Action> registry)
        {
            var captured = new object();
            return (registry.Add(() => GC.KeepAlive(captured)), new WeakReference(captured));
        }
    }

    [Fact]
    public void H3_removing_twice_removes_one_hook()
    {
        var registry = new HookRegistry<Action>();
        var first = registry.Add(() => { });
        var second = registry.Add(() => { });

        first.Dispose();
        first.remove();
        first.Dispose();

        Assert.False(registry.Contains(first.Id));
        Assert.True(registry.Contains(second.Id));
        Assert.Equal(1, registry.Count);
    }

    [Fact]
    public void H5_a_using_block_removes_the_hook_when_it_throws()
    {
        var module = new Probe();
        Action block = () =>
        {
            using (module.Pre("p"))
            {
                module.Call(1);
                throw new Failure("out");
            }
        };

        Assert.Throws<Failure>(block);
        Assert.Equal("p(1) m.forward(1)", module.Drain());
        Assert.True(module.Hooks.IsEmpty);
    }

    [Fact]
    public void A_handle_removes_from_any_owner()
    {
        var owner = new Owner();
        var handle = new HookHandle(owner);
        handle.remove();

        Assert.Equal([handle.Id], owner.Removed);
        Assert.Throws<ArgumentNullException>(() => new HookHandle(null!));
    }

    private sealed class Owner : IHookOwner
    {
        public List<long> Removed { get; } = [];

        public void Remove(long id) => Removed.Add(id);
    }
}

using System.Runtime.CompilerServices;
using TorchSharp;
using static TorchSharp.torch.nn;

namespace Bridge.Torch.Tests;

/// <summary>Tests HookableModule.cs: hooks on a module with one argument, in a process without Python.</summary>
public sealed class HookTests
{
    private readonly Echo _module = new();

    private List<string> Log => _module.Log;

    [Fact]
    public void C6_call_runs_pre_hooks_forward_and_forward_hooks_in_order()
    {
        _module.register_forward_pre_hook((_, input) => Note("pre1 " + input, (string)null!));
        _module.register_forward_pre_hook((_, input) => Note("pre2 " + input, (string)null!));
        _module.register_forward_hook((_, input, result) => Note($"post1 {input} {result}", (string)null!));
        _module.register_forward_hook((_, input, result) => Note($"post2 {input} {result}", (string)null!));
        Assert.Equal("x!", _module.call("x"));
        Assert.Equal(["pre1 x", "pre2 x", "forward x", "post1 x x!", "post2 x x!"], Log);
    }

    [Fact]
    public void Any_thread_may_register_and_remove()
    {
        const int threads = 4, each = 1500;
        var kept = new HookRemover[threads][];
        var fired = 0;
        Parallel.For(0, threads, new ParallelOptions { MaxDegreeOfParallelism = threads }, thread =>
        {
            kept[thread] = Enumerable.Range(0, each).Select(number =>
            {
                using (_module.register_forward_pre_hook((_, _) => null!)) { }
                return _module.register_forward_hook((_, _, _) => { fired++; return null!; }, prepend: number % 2 == 0);
            }).ToArray();
        });
        Assert.Equal(threads * each, _module.Registered.Count());
        _module.call("x");
        Assert.Equal(threads * each, fired);
        Parallel.ForEach(kept.SelectMany(handles => handles), handle => handle.remove());
        _module.call("x");
        Assert.Equal(threads * each, fired);
        Assert.Empty(_module.Registered);
    }

    [Fact]
    public void C3_forward_fires_no_hook_of_its_module_but_those_of_children_that_it_calls()
    {
        var child = new Echo("child");
        var parent = new Parent(child);
        parent.register_forward_hook((_, _, _) => throw new InvalidOperationException("forward must not fire this"));
        parent.register_forward_pre_hook((_, _) => throw new InvalidOperationException("nor this"));
        child.register_forward_hook((_, _, _) => Note("child", (string)null!));
        Assert.Equal("x!", parent.forward("x"));
        Assert.Equal(["child"], Log);
        Assert.Throws<InvalidOperationException>(() => parent.call("x"));
    }

    [Fact]
    public void P2_and_F2_what_a_hook_returns_replaces_and_the_next_one_sees_it()
    {
        _module.register_forward_pre_hook((_, input) => input + "1");
        _module.register_forward_pre_hook((_, input) => input + "2");
        _module.register_forward_hook((_, input, result) => $"{result}<{input}>");
        _module.register_forward_hook((_, _, result) => result + ".");
        Assert.Equal("x12!<x12>.", _module.call("x"));
    }

    [Fact]
    public void O2_prepend_goes_in_front_of_the_modules_hooks()
    {
        _module.register_forward_pre_hook((_, _) => Note("second", (string)null!));
        _module.register_forward_pre_hook((_, _) => Note("first", (string)null!), prepend: true);
        _module.register_forward_hook((_, _, _) => Note("fourth", (string)null!));
        _module.register_forward_hook((_, _, _) => Note("third", (string)null!), prepend: true);
        _module.call("x");
        Assert.Equal(["first", "second", "forward x", "third", "fourth"], Log);
    }

    [Fact]
    public void O4_order_stays_that_of_registration_whatever_was_removed()
    {
        var hooks = Enumerable.Range(1, 4).Select(i => _module.register_forward_hook((_, _, _) => Note($"p{i}", (string)null!))).ToArray();
        hooks[1].remove();
        hooks[2].remove();
        foreach (var i in new[] { 5, 6 }) _module.register_forward_hook((_, _, _) => Note($"p{i}", (string)null!));
        _module.call("x");
        Assert.Equal(["forward x", "p1", "p4", "p5", "p6"], Log); // TorchSharp reuses freed positions: p1, p6, p5, p4
    }

    [Fact]
    public void Hooks_that_see_the_module_only_stand_in_the_same_list()
    {
        _module.register_forward_hook((Action<Module>)(_ => Log.Add("plain1")));
        _module.register_forward_hook((_, _, _) => Note("typed", (string)null!));
        _module.register_forward_hook((Action<Module>)(module => Log.Add("plain2 " + module.GetName())));
        _module.register_forward_pre_hook((_, _) => Note("typed pre", (string)null!));
        _module.register_forward_pre_hook((Action<Module>)(_ => Log.Add("plain pre")));
        Assert.Equal("x!", _module.call("x"));
        Assert.Equal(["typed pre", "plain pre", "forward x", "plain1", "typed", "plain2 echo"], Log);
    }

    [Fact]
    public void G8_one_delegate_registered_twice_fires_twice_and_needs_two_removals()
    {
        Func<Module<string, string>, string, string, string> hook = (_, _, _) => Note("hook", (string)null!);
        var first = _module.register_forward_hook(hook);
        var second = _module.register_forward_hook(hook);
        _module.call("x");
        Assert.Equal(["forward x", "hook", "hook"], Log);
        first.remove();
        _module.call("y");
        Assert.Equal(["forward x", "hook", "hook", "forward y", "hook"], Log);
        second.Dispose();
        _module.call("z");
        Assert.Equal(6, Log.Count);
    }

    [Fact]
    public void H3_removing_twice_or_both_ways_does_nothing_more()
    {
        var gone = _module.register_forward_hook((_, _, _) => Note("gone", (string)null!));
        var stays = _module.register_forward_hook((_, _, _) => Note("stays", (string)null!));
        gone.remove();
        gone.remove();
        gone.Dispose();
        _module.call("x");
        Assert.Equal(["forward x", "stays"], Log);
        stays.Dispose();
    }

    [Fact]
    public void H2_a_handle_does_not_keep_its_module_alive_and_may_outlive_it()
    {
        var (handle, module) = Registered();
        for (var i = 0; i < 10 && module.IsAlive; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        Assert.False(module.IsAlive);
        handle.remove();
    }

    [Fact]
    public void A_hook_lives_as_long_as_its_module_though_its_handle_was_dropped()
    {
        _module.register_forward_hook((_, _, _) => Note("hook", (string)null!));
        for (var i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        _module.call("x");
        Assert.Equal(["forward x", "hook"], Log);
    }

    [Fact]
    public void C5_a_call_that_began_bare_stays_bare()
    {
        _module.During = () => _module.register_forward_hook((_, _, _) => Note("late", (string)null!));
        _module.call("x");
        Assert.Equal(["forward x"], Log);
        _module.During = null;
        _module.call("y");
        Assert.Equal(["forward x", "forward y", "late"], Log);
    }

    [Fact]
    public void D1_a_hook_registered_by_a_pre_hook_of_a_hooked_call_runs_in_it_unless_its_phase_has_begun()
    {
        _module.register_forward_pre_hook((_, _) =>
        {
            _module.register_forward_pre_hook((_, _) => Note("pre of next call", (string)null!));
            _module.register_forward_hook((_, _, _) => Note("forward hook of this call", (string)null!));
            return null!;
        });
        _module.call("x");
        Assert.Equal(["forward x", "forward hook of this call"], Log);
    }

    [Fact]
    public void D1_a_hook_that_removes_a_later_one_does_not_stop_it_in_this_call()
    {
        HookRemover? later = null;
        _module.register_forward_hook((_, _, _) =>
        {
            later!.remove();
            return Note("remover", (string)null!);
        });
        later = _module.register_forward_hook((_, _, _) => Note("later", (string)null!));
        _module.call("x");
        _module.call("y");
        Assert.Equal(["forward x", "remover", "later", "forward y", "remover"], Log);
    }

    [Fact]
    public void X2_an_exception_in_a_pre_hook_stops_the_call_and_always_call_hooks_still_run()
    {
        _module.register_forward_pre_hook((_, _) => throw new ArgumentException("mine"));
        _module.register_forward_hook((_, _, _) => Note("not this", (string)null!));
        _module.register_forward_hook((_, _, result) => Note($"always {result ?? "null"}", (string)null!), always_call: true);
        Assert.Equal("mine", Assert.Throws<ArgumentException>(() => _module.call("x")).Message);
        Assert.Equal(["always null"], Log);
    }

    [Fact]
    public void X2_an_exception_in_forward_stops_ordinary_forward_hooks()
    {
        _module.During = () => throw new ArgumentException("mine");
        _module.register_forward_hook((_, _, _) => Note("not this", (string)null!));
        _module.register_forward_hook((_, _, _) => Note("always", (string)null!), always_call: true);
        Assert.Throws<ArgumentException>(() => _module.call("x"));
        Assert.Equal(["forward x", "always"], Log);
    }

    [Fact]
    public void X1_a_module_that_calls_itself_runs_the_full_sequence_again()
    {
        var depth = 0;
        _module.During = () =>
        {
            if (++depth < 3) _module.call(depth.ToString(System.Globalization.CultureInfo.InvariantCulture));
        };
        _module.register_forward_pre_hook((_, _) => Note("pre", (string)null!));
        _module.register_forward_hook((_, _, _) => Note("post", (string)null!));
        _module.call("x");
        Assert.Equal(["pre", "forward x", "pre", "forward 1", "pre", "forward 2", "post", "post", "post"], Log);
    }

    [Fact]
    public void Null_is_no_hook()
    {
        Assert.Throws<ArgumentNullException>(() => _module.register_forward_hook((Action<Module>)null!));
        Assert.Throws<ArgumentNullException>(() => _module.register_forward_pre_hook((Func<Module<string, string>, string, string>)null!));
    }

    [Fact]
    public void C5_a_call_without_hooks_allocates_nothing()
    {
        var quiet = new Quiet();
        Assert.Equal(0, Allocations.OfCalls(() => quiet.call("x")));
        quiet.register_forward_hook((Action<Module>)(_ => { })).remove();
        Assert.Equal(0, Allocations.OfCalls(() => quiet.call("x"))); // once hooked, bare again
    }

    [Fact]
    public void The_innermost_module_is_blamed_for_an_exception()
    {
        var child = new Echo("child") { During = () => throw new ArgumentException("mine") };
        var error = Assert.Throws<ArgumentException>(() => new Parent(child).call("x"));
        Assert.True(Module.FailingModules.TryGetValue(error, out var blamed));
        Assert.Same(child, blamed);
    }

    [Fact]
    public void Endless_calls_throw_instead_of_overflowing_the_stack()
    {
        _module.During = () => _module.call("again");
        Assert.Throws<InsufficientExecutionStackException>(() => _module.call("x"));
        Assert.True(Log.Count > 100);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (HookRemover, WeakReference) Registered()
    {
        var module = new Echo();
        return (module.register_forward_hook((Action<Module>)(_ => { })), new WeakReference(module));
    }

    private T Note<T>(string text, T result)
    {
        Log.Add(text);
        return result;
    }

    private sealed class Parent(Echo child) : Module<string, string>("parent")
    {
        public override string forward(string input) => child.call(input);
    }

    private sealed class Quiet() : Module<string, string>("quiet")
    {
        public override string forward(string input) => input;
    }
}

using TorchSharp;
using static TorchSharp.torch.nn;

namespace Bridge.Torch.Tests;

/// <summary>Tests HookableModule.cs: hooks on a module with two arguments.</summary>
public sealed class Hook2Tests
{
    private readonly Join _module = new();

    private List<string> Log => _module.Log;

    [Fact]
    public void C6_call_runs_pre_hooks_forward_and_forward_hooks_in_order()
    {
        _module.register_forward_pre_hook((_, a, b) => Keep($"pre {a} {b}"));
        _module.register_forward_hook((_, a, b, result) => Note($"post {a} {b} {result}"));
        Assert.Equal("xy", _module.call("x", "y"));
        Assert.Equal(["pre x y", "forward x y", "post x y xy"], Log);
    }

    [Fact]
    public void C3_forward_fires_none()
    {
        _module.register_forward_pre_hook((_, _, _) => throw new InvalidOperationException());
        _module.register_forward_hook((_, _, _, _) => throw new InvalidOperationException());
        Assert.Equal("xy", _module.forward("x", "y"));
        Assert.Throws<InvalidOperationException>(() => _module.call("x", "y"));
    }

    [Fact]
    public void P2_and_F2_what_a_hook_returns_replaces_and_the_next_one_sees_it()
    {
        _module.register_forward_pre_hook((_, a, b) => (b, a));
        _module.register_forward_pre_hook((_, a, b) => (a + "1", b + "2"));
        _module.register_forward_hook((_, a, b, result) => $"{result}<{a},{b}>");
        Assert.Equal("y1x2<y1,x2>", _module.call("x", "y"));
    }

    [Fact]
    public void O2_and_O4_prepend_goes_in_front_and_removals_leave_the_order()
    {
        var hooks = Enumerable.Range(1, 3).Select(i => _module.register_forward_hook((_, _, _, _) => Note($"p{i}"))).ToArray();
        hooks[1].remove();
        _module.register_forward_hook((_, _, _, _) => Note("p4"));
        _module.register_forward_hook((_, _, _, _) => Note("p0"), prepend: true);
        _module.call("x", "y");
        Assert.Equal(["forward x y", "p0", "p1", "p3", "p4"], Log);
    }

    [Fact]
    public void Hooks_that_see_the_module_only_stand_in_the_same_list()
    {
        _module.register_forward_pre_hook((Action<Module>)(_ => Log.Add("plain pre")));
        _module.register_forward_pre_hook((_, _, _) => Keep("typed pre"));
        _module.register_forward_hook((_, _, _, _) => Note("typed"));
        _module.register_forward_hook((Action<Module>)(module => Log.Add("plain " + module.GetName())));
        _module.call("x", "y");
        Assert.Equal(["plain pre", "typed pre", "forward x y", "typed", "plain join"], Log);
    }

    [Fact]
    public void H3_removing_twice_does_nothing_more()
    {
        var hook = _module.register_forward_pre_hook((_, _, _) => Keep("gone"));
        _module.register_forward_pre_hook((_, _, _) => Keep("stays"));
        hook.remove();
        hook.Dispose();
        _module.call("x", "y");
        Assert.Equal(["stays", "forward x y"], Log);
    }

    [Fact]
    public void A1_always_call_hooks_run_when_forward_throws()
    {
        _module.During = () => throw new ArgumentException("mine");
        _module.register_forward_hook((_, _, _, _) => Note("not this"));
        _module.register_forward_hook((_, _, _, _) => Note("always"), always_call: true);
        Assert.Throws<ArgumentException>(() => _module.call("x", "y"));
        Assert.Equal(["forward x y", "always"], Log);
    }

    [Fact]
    public void C5_a_call_that_began_bare_stays_bare_and_allocates_nothing()
    {
        _module.During = () => _module.register_forward_hook((_, _, _, _) => Note("late"));
        _module.call("x", "y");
        Assert.Equal(["forward x y"], Log);
        var quiet = new Quiet();
        Assert.Equal(0, Allocations.OfCalls(() => quiet.call("x", "y")));
    }

    private string Note(string text)
    {
        Log.Add(text);
        return null!;
    }

    private (string, string)? Keep(string text)
    {
        Log.Add(text);
        return null;
    }

    private sealed class Quiet() : Module<string, string, string>("quiet")
    {
        public override string forward(string input1, string input2) => input1;
    }
}

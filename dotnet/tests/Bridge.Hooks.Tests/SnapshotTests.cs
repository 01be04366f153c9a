namespace Bridge.Hooks.Tests;

/// <summary>D-1: hooks and <c>forward</c> that add or remove hooks during a call.</summary>
public class SnapshotTests
{
    private readonly Probe _module = new();

    private string Run(int x = 1)
    {
        _module.Call(x);
        return _module.Drain();
    }

    [Fact]
    public void D1_a_hook_added_by_an_earlier_hook_of_its_phase_runs_at_the_next_call()
    {
        var added = false;
        _module.Pre("a", () => Once(ref added, () => _module.Pre("new")));
        _module.Pre("b");

        Assert.Equal("a(1) b(1) m.forward(1)", Run());
        Assert.Equal("a(1) b(1) new(1) m.forward(1)", Run());
    }

    [Fact]
    public void D1_a_hook_added_by_the_last_hook_of_its_phase_runs_at_the_next_call()
    {
        var added = false;
        _module.Post("a");
        _module.Post("b", () => Once(ref added, () => _module.Post("new")));

        Assert.Equal("m.forward(1) a(1,2) b(1,2)", Run());
        Assert.Equal("m.forward(1) a(1,2) b(1,2) new(1,2)", Run());
    }

    [Fact]
    public void D1_a_hook_may_remove_itself()
    {
        HookHandle? self = null;
        self = _module.Pre("self", () => self!.remove());
        _module.Pre("b");

        Assert.Equal("self(1) b(1) m.forward(1)", Run());
        Assert.Equal("b(1) m.forward(1)", Run());
    }

    [Fact]
    public void D1_the_only_hook_may_remove_itself_and_the_call_stays_hooked()
    {
        HookHandle? self = null;
        self = _module.Pre("self", () =>
        {
            self!.remove();
            Assert.True(_module.Hooks.IsEmpty);
            _module.Post("post");
        });

        Assert.Equal("self(1) m.forward(1) post(1,2)", Run());
    }

    [Fact]
    public void D1_a_hook_removed_by_an_earlier_one_runs_in_this_call()
    {
        HookHandle? later = null;
        _module.Post("a", () => later!.remove());
        later = _module.Post("later");

        Assert.Equal("m.forward(1) a(1,2) later(1,2)", Run());
        Assert.Equal("m.forward(1) a(1,2)", Run());
    }

    [Fact]
    public void D1_a_module_hook_added_by_a_global_one_of_its_phase_runs_at_the_next_call()
    {
        var (pre, post) = (false, false);
        using var g1 = _module.GlobalPre("gp", () => Once(ref pre, () => _module.Pre("p")));
        using var g2 = _module.GlobalPost("gf", () => Once(ref post, () => _module.Post("f")));

        Assert.Equal("gp(1) m.forward(1) gf(1,2)", Run());
        Assert.Equal("gp(1) p(1) m.forward(1) gf(1,2) f(1,2)", Run());
    }

    [Fact]
    public void D1_C7b_a_forward_hook_added_by_a_pre_hook_runs_in_this_call()
    {
        var added = false;
        _module.Pre("p", () => Once(ref added, () => _module.Post("f")));

        Assert.Equal("p(1) m.forward(1) f(1,2)", Run());
    }

    [Fact]
    public void D1_C7b_a_global_hook_adds_the_modules_first_hook()
    {
        var added = false;
        Assert.Null(_module.Site);
        using var global = _module.GlobalPre("gp", () => Once(ref added, () => _module.Post("f")));

        Assert.Equal("gp(1) m.forward(1) f(1,2)", Run());
    }

    [Fact]
    public void D1_a_forward_hook_added_by_a_hooked_forward_runs_in_this_call()
    {
        var added = false;
        _module.Pre("p");
        _module.Body = _ =>
        {
            Once(ref added, () => _module.Post("f"));
            return "r";
        };

        Assert.Equal("p(1) m.forward(1) f(1,r)", Run());
    }

    [Fact]
    public void D1_a_forward_hook_removed_by_a_pre_hook_or_by_forward_does_not_run()
    {
        var first = _module.Post("f1");
        var second = _module.Post("f2");
        _module.Post("f3");
        _module.Pre("p", first.remove);
        _module.Body = _ =>
        {
            second.remove();
            return "r";
        };

        Assert.Equal("p(1) m.forward(1) f3(1,r)", Run());
    }

    [Fact]
    public void X1_an_inner_call_takes_its_own_snapshot()
    {
        _module.Pre("p");
        _module.Body = x =>
        {
            if (x == 0)
            {
                return "end";
            }

            _module.Pre("new");
            return _module.Call(0);
        };

        Assert.Equal("p(1) m.forward(1) p(0) new(0) m.forward(0)", Run());
    }

    private static void Once(ref bool done, Action action)
    {
        if (!done)
        {
            done = true;
            action();
        }
    }
}

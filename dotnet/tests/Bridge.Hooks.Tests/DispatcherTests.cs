namespace Bridge.Hooks.Tests;

/// <summary>Entry, order, replacement and recursion. See also AlwaysCallTests and SnapshotTests.</summary>
public class DispatcherTests
{
    [Fact]
    public void C3_forward_fires_the_hooks_of_child_calls_only()
    {
        var log = new List<string>();
        var (parent, child) = (new Probe("parent", log), new Probe("child", log));
        parent.Pre("parent.pre");
        parent.Post("parent.post");
        child.Pre("child.pre");
        parent.Body = x => child.Call(x);

        Assert.Equal("2", parent.Forward(1));
        Assert.Equal("parent.forward(1) child.pre(1) child.forward(1)", parent.Drain());
    }

    [Fact]
    public void C5_a_hook_registered_by_an_unhooked_forward_runs_at_the_next_call()
    {
        var module = new Probe();
        module.Body = x =>
        {
            if (module.Hooks.IsEmpty)
            {
                module.Post("late");
            }

            return "r";
        };

        Assert.Equal("r", module.Call(1));
        Assert.Equal("m.forward(1)", module.Drain());
        Assert.Equal("r", module.Call(2));
        Assert.Equal("m.forward(2) late(2,r)", module.Drain());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void C5_a_global_hook_alone_makes_the_call_hooked(bool pre)
    {
        var module = new Probe();
        using var global = pre ? module.GlobalPre("g") : module.GlobalPost("g");
        module.Body = _ =>
        {
            module.Post("late");
            return "r";
        };
        module.Call(1);

        Assert.Equal(pre ? "g(1) m.forward(1) late(1,r)" : "m.forward(1) g(1,r) late(1,r)", module.Drain());
    }

    [Fact]
    public void C6_O1_global_hooks_run_before_module_hooks_in_order_of_registration()
    {
        var module = new Probe();
        module.Pre("p1");
        module.Post("f1");
        using var g1 = module.GlobalPre("gp1");
        using var g2 = module.GlobalPost("gf1");
        using var g3 = module.GlobalPre("gp2");
        using var g4 = module.GlobalPost("gf2");
        module.Pre("p2");
        module.Post("f2");
        module.Pre("p0", prepend: true);
        module.Post("f0", prepend: true);

        Assert.Equal("6", module.Call(5));
        Assert.Equal("gp1(5) gp2(5) p0(5) p1(5) p2(5) m.forward(5) gf1(5,6) gf2(5,6) f0(5,6) f1(5,6) f2(5,6)", module.Drain());
    }

    [Fact]
    public void C9_child_calls_are_between_a_parents_pre_and_forward_hooks()
    {
        var log = new List<string>();
        var (root, a, b) = (new Probe("root", log), new Probe("a", log), new Probe("b", log));
        root.Body = x => b.Call(int.Parse(a.Call(x), null));
        foreach (var module in new[] { root, a, b })
        {
            module.Pre("pre");
            module.Post("post");
        }

        Assert.Equal("3", root.Call(1));
        Assert.Equal("pre(1) root.forward(1) pre(1) a.forward(1) post(1,2) pre(2) b.forward(2) post(2,3) post(1,3)", root.Drain());
    }

    [Fact]
    public void P6_replaced_arguments_reach_later_hooks_and_forward()
    {
        var module = new Probe();
        module.Hooks.Pre.Add((object _, ref int args) => args *= 10);
        module.Pre("p");
        module.Post("f");
        using var global = GlobalHooks.Pre.Add((object _, ref object?[] args) => args = [(int)args[0]! + 1]);

        Assert.Equal("21", module.Call(1));
        Assert.Equal("p(20) m.forward(20) f(20,21)", module.Drain());
    }

    [Fact]
    public void F2_F3_a_replaced_result_reaches_later_hooks_and_the_caller()
    {
        var module = new Probe();
        using var global = GlobalHooks.Forward.Add((object _, in object?[] _, ref object? output) => output += "g");
        module.Hooks.Forward.Add((object _, in int _, ref string output) => output += "a");
        module.Post("f");
        module.Hooks.Forward.Add((object _, in int _, ref string output) => output += "b");

        Assert.Equal("2gab", module.Call(1));
        Assert.Equal("m.forward(1) f(1,2ga)", module.Drain());
    }

    [Fact]
    public void F2_a_result_cannot_be_replaced_by_null()
    {
        var module = new Probe();
        module.Hooks.Forward.Add((object _, in int _, ref string output) => output = null!);
        module.Post("f");

        Assert.Equal("2", module.Call(1));
        Assert.Equal("m.forward(1) f(1,2)", module.Drain());
    }

    [Fact]
    public void F2_a_null_result_of_forward_reaches_the_hooks()
    {
        var module = new Probe { Body = _ => null! };
        module.Post("f");
        module.Hooks.Forward.Add((object _, in int _, ref string output) => output = "x");

        Assert.Equal("x", module.Call(1));
        Assert.Equal("m.forward(1) f(1,null)", module.Drain());
    }

    [Fact]
    public void P1_F1_hooks_get_the_called_module()
    {
        var module = new Probe();
        var seen = new List<object>();
        module.Hooks.Pre.Add((object m, ref int _) => seen.Add(m));
        module.Hooks.Forward.Add((object m, in int _, ref string _) => seen.Add(m));
        using var pre = GlobalHooks.Pre.Add((object m, ref object?[] _) => seen.Add(m));
        using var post = GlobalHooks.Forward.Add((object m, in object?[] _, ref object? _) => seen.Add(m));
        module.Call(1);

        Assert.Equal(4, seen.Count);
        Assert.All(seen, m => Assert.Same(module, m));
    }

    [Fact]
    public void X1_a_recursive_call_runs_all_hooks()
    {
        var module = new Probe();
        module.Pre("pre");
        module.Post("post");
        module.Body = x => x == 0 ? "end" : module.Call(x - 1);

        Assert.Equal("end", module.Call(2));
        Assert.Equal(
            "pre(2) m.forward(2) pre(1) m.forward(1) pre(0) m.forward(0) post(0,end) post(1,end) post(2,end)", module.Drain());
    }

    [Fact]
    public void X4_calls_are_in_order_while_other_threads_register()
    {
        const int Calls = 3000;
        var module = new Stateless();
        var fixedPre = module.Hooks.Pre.Add((object _, ref Ticket args) => args.Steps.Add("first"));
        module.Hooks.Forward.Add((object _, in Ticket args, ref Ticket _) => args.Steps.Add("last"));
        RegistryTests.Parallel(8, t =>
        {
            for (var i = 0; i < Calls; i++)
            {
                var ticket = new Ticket([]);
                if (t < 4)
                {
                    using var extra = module.Hooks.Pre.Add((object _, ref Ticket args) => args.Steps.Add("pre"));
                    using var early = module.Hooks.Forward.Add(
                        (object _, in Ticket args, ref Ticket _) => args.Steps.Add("post"), prepend: true);
                    module.Call(ticket);
                    Assert.Contains("pre", ticket.Steps);
                    Assert.Contains("post", ticket.Steps);
                }
                else
                {
                    module.Call(ticket);
                }

                Assert.Equal("first", ticket.Steps[0]);
                Assert.Equal("last", ticket.Steps[^1]);
                Assert.Equal(ticket.Steps.OrderBy(s => Array.IndexOf(["first", "pre", "forward", "post", "last"], s)), ticket.Steps);
                Assert.Single(ticket.Steps, "forward");
            }
        });

        Assert.Equal((1, 1), (module.Hooks.Pre.Count, module.Hooks.Forward.Count));
        Assert.True(module.Hooks.Pre.Contains(fixedPre.Id));
    }

    [Theory]
    [InlineData("bare")]
    [InlineData("hooked")]
    [InlineData("always_call")]
    [InlineData("always_call that fails")]
    public void Endless_recursion_throws_an_exception_that_names_the_module(string hooks)
    {
        var module = new Probe();
        var (depth, recovered, silenced) = (0, 0, 0);
        Action<HookWarning> count = _ => silenced++;
        if (hooks != "bare")
        {
            module.Hooks.Pre.Add((object _, ref int _) => { });
            module.Hooks.Forward.Add(
                (object _, in int _, ref string _) =>
                {
                    recovered++;
                    if (hooks == "always_call that fails")
                    {
                        throw new Failure("in recovery");
                    }
                },
                alwaysCall: hooks != "hooked");
        }

        module.Body = x =>
        {
            depth++;
            return module.Call(x);
        };
        HookWarnings.Raised += count;
        try
        {
            RegistryTests.Parallel(1, _ =>
            {
                var error = Assert.Throws<InsufficientExecutionStackException>(() => module.Call(1));
                Assert.Contains(typeof(Probe).FullName!, error.Message);
            });
        }
        finally
        {
            HookWarnings.Raised -= count;
        }

        Assert.True(depth > 100);
        Assert.Equal(hooks.StartsWith("always", StringComparison.Ordinal) ? depth : 0, recovered);
        Assert.Equal(hooks.EndsWith("fails", StringComparison.Ordinal) ? depth : 0, silenced);
        (module.Body, hooks) = (null, "hooked");
        Assert.Equal("2", module.Call(1));
    }

    [Fact]
    public void A_call_allocates_nothing_without_hooks_and_with_module_hooks()
    {
        var module = new Stateless();
        var ticket = new Ticket([]);
        Assert.Equal(0, Allocations.OfCalls(() => module.Call(ticket)));

        for (var i = 0; i < 10; i++)
        {
            module.Hooks.Pre.Add((object _, ref Ticket args) => args = args with { });
            module.Hooks.Forward.Add((object _, in Ticket _, ref Ticket _) => { }, alwaysCall: i % 2 == 0);
        }

        Assert.Equal(0, Allocations.OfCalls(() => module.Call(ticket)));
        Assert.True(Allocations.OfCalls(() => GC.KeepAlive(new object())) > 0, "Allocations.OfCalls must detect an allocation");
    }

    private readonly record struct Ticket(List<string> Steps);

    private sealed class Stateless : IHookTarget<Ticket, Ticket>
    {
        public HookSite<Ticket, Ticket> Hooks { get; } = new();

        public HookSite<Ticket, Ticket>? Site => Hooks;

        public Ticket Call(Ticket x) => Dispatcher.Call<Stateless, Ticket, Ticket>(this, Hooks, x);

        public Ticket Forward(Ticket args)
        {
            if (args.Steps.Count > 0)
            {
                args.Steps.Add("forward");
            }

            return args;
        }

        public object?[] Box(Ticket args) => [args];

        public Ticket Unbox(object?[] args) => (Ticket)args[0]!;

        public object? BoxResult(Ticket result) => result;

        public Ticket UnboxResult(object? result) => (Ticket)result!;
    }
}

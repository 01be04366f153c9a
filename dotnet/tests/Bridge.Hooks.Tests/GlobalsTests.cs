namespace Bridge.Hooks.Tests;

public class GlobalsTests
{
    [Fact]
    public void G3_a_global_hook_runs_for_modules_of_every_type_until_it_is_removed()
    {
        var seen = new List<object>();
        var (probe, pair) = (new Probe(), new Pair());
        using (GlobalHooks.Pre.Add((object module, ref object?[] args) => seen.AddRange([module, args.Length])))
        {
            Assert.False(GlobalHooks.IsEmpty);
            probe.Call(1);
            pair.Call("a", 2);
        }

        Assert.True(GlobalHooks.IsEmpty);
        pair.Call("a", 2);
        Assert.Equal([probe, 1, pair, 2], seen);
    }

    [Fact]
    public void P2_F2_global_hooks_replace_arguments_and_results_through_arrays()
    {
        var pair = new Pair();
        using var pre = GlobalHooks.Pre.Add((object _, ref object?[] args) => args = ["b", (int)args[1]! + 1]);
        using var written = GlobalHooks.Pre.Add((object _, ref object?[] args) => args[0] += "c");
        using var post = GlobalHooks.Forward.Add((object _, in object?[] args, ref object? output) =>
        {
            var (text, times) = ((string, int))output!;
            output = ($"{text}!{args[0]}", times + 1);
        });

        Assert.Equal(("bcbcbc!bc", 4), pair.Call("a", 2));
    }

    [Fact]
    public void P2_a_global_hook_that_assigns_null_replaces_nothing()
    {
        var pair = new Pair();
        using var pre = GlobalHooks.Pre.Add((object _, ref object?[] args) => args = null!);
        using var post = GlobalHooks.Forward.Add((object _, in object?[] _, ref object? output) => output = null);

        Assert.Equal(("aa", 2), pair.Call("a", 2));
    }

    [Fact]
    public void A_replacement_of_a_wrong_type_fails_the_call_and_runs_always_called_hooks()
    {
        var module = new Probe();
        module.Post("always", alwaysCall: true);
        using (GlobalHooks.Forward.Add((object _, in object?[] _, ref object? output) => output = 7))
        {
            Assert.Throws<InvalidCastException>(() => module.Call(1));
        }

        Assert.Equal("m.forward(1) always(1,2)", module.Drain());
        using (GlobalHooks.Pre.Add((object _, ref object?[] args) => args = [1, 2]))
        {
            Assert.Throws<ArgumentException>(() => module.Call(1));
        }

        Assert.Equal("always(1,null)", module.Drain());
    }

    /// <summary>A module of two arguments whose result is a value tuple.</summary>
    private sealed class Pair : IHookTarget<(string Text, int Times), (string Text, int Times)>
    {
        public HookSite<(string Text, int Times), (string Text, int Times)>? Site => null;

        public (string Text, int Times) Call(string text, int times) =>
            Dispatcher.Call<Pair, (string, int), (string, int)>(this, null, (text, times));

        public (string Text, int Times) Forward((string Text, int Times) args) =>
            (string.Concat(Enumerable.Repeat(args.Text, args.Times)), args.Times);

        public object?[] Box((string Text, int Times) args) => [args.Text, args.Times];

        public (string Text, int Times) Unbox(object?[] args) => ((string)args[0]!, (int)args[1]!);

        public object? BoxResult((string Text, int Times) result) => result;

        public (string Text, int Times) UnboxResult(object? result) => ((string, int))result!;
    }
}

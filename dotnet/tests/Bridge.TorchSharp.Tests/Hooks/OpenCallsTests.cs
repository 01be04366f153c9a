using Bridge.Hooks;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Which calls are open after an exception, when the stack also has calls of modules that are not recorded.</summary>
public sealed class OpenCallsTests : IDisposable
{
    private static readonly string[] Caught = ["pre  -1", "pre i 0", "pre i.a 1", "forward i.a 1", "pre z 0", "forward z 0", "forward  -1"];
    private readonly RecordedRun _run = new();

    public void Dispose() => _run.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    public void A_part_of_a_model_continues_after_an_exception_that_it_catches(int around)
    {
        var (part, whole) = Within(around, Catching(Failing()));
        Assert.Equal(Caught, _run.Calls(part, () => whole.call(ones(1))));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void A_loop_that_catches_calls_again_from_the_same_offset(int around)
    {
        var (part, whole) = Within(around, new Parent(
            (m, x) =>
            {
                for (var i = 0; ; i++)
                {
                    try
                    {
                        return m.Children[i / 2].call(x);
                    }
                    catch (InvalidDataException)
                    {
                    }
                }
            },
            ("i", Failing()),
            ("z", new Parent((m, x) => m.Children[0].call(x), ("a", nn.Identity())))));
        string[] failed = ["pre i 0", "pre i.a #", "forward i.a #"];
        Assert.Equal(
            [
                "pre  -1",
                .. failed.Select(line => line.Replace('#', '1')),
                .. failed.Select(line => line.Replace('#', '3')),
                "pre z 0",
                "pre z.a 5",
                "forward z.a 5",
                "forward z 0",
                "forward  -1",
            ],
            _run.Calls(part, () => whole.call(ones(1))));
    }

    [Fact]
    public void A_module_outside_of_the_model_may_fail_or_be_between()
    {
        var apart = new Own((m, x) => throw new InvalidDataException(), "a", nn.Identity());
        var between = new Parent((m, x) => m.Children[0].call(x), ("z", nn.Identity()));
        var model = new Parent(
            (m, x) =>
            {
                Assert.Throws<InvalidDataException>(() => apart.call(x));
                Assert.Throws<InvalidDataException>(() => m.Children[0].call(x));
                return between.call(x);
            },
            ("i", Failing()),
            ("z", between.Children[0]));
        var (part, whole) = Within(1, model);
        Assert.Equal(Caught, _run.Calls(part, () => whole.call(ones(1))));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void A_class_derived_from_HookableModule_with_its_own_call_is_recorded(int around)
    {
        var failing = new Own((m, x) => throw new InvalidDataException($"{m.Child.call(x)}"), "a", nn.Identity());
        var first = new Parent((m, x) => failing.call(x));
        first.register_module("own", failing);
        var (part, whole) = Within(around, Catching(first));
        var own = new Own((m, x) => whole.call(x), "part", part);
        Assert.Equal(
            [
                "pre  -1", "pre part 0", "pre part.i 1", "pre part.i.own 2", "pre part.i.own.a 3", "forward part.i.own.a 3", "pre part.z 1",
                "forward part.z 1", "forward part 0", "forward  -1",
            ],
            _run.Calls(own, () => own.call(ones(1))));
    }

    [Fact]
    public void A_module_called_in_a_finally_block_is_a_child_call_of_the_failing_one()
    {
        var failing = new Parent(
            (m, x) =>
            {
                try
                {
                    throw new InvalidDataException();
                }
                finally
                {
                    m.Children[0].call(x);
                }
            },
            ("a", nn.Identity()));
        var (part, whole) = Within(2, Catching(failing));
        Assert.Equal(Caught, _run.Calls(part, () => whole.call(ones(1))));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void A_3_always_called_hooks_of_a_part_run_at_the_next_event(int around)
    {
        var (part, whole) = Within(around, Catching(Failing()));
        List<string> fired = [];
        using var registry = HookRegistry.Attach(part);
        registry["i"].register_forward_hook((object m, in object?[] args, ref object? output) => fired.Add("always"), always_call: true);
        registry["z"].register_forward_pre_hook((object m, ref object?[] args) => fired.Add("z"));
        whole.call(ones(1));
        Assert.Equal(["always", "z"], fired);
    }

    // Returns a module that catches the exception of its first child and calls the second.
    private static Parent Catching(Parent failing) => new(
        (m, x) =>
        {
            Assert.Throws<InvalidDataException>(() => m.Children[0].call(x));
            return m.Children[1].call(x);
        },
        ("i", failing),
        ("z", nn.Identity()));

    private static Parent Failing() => new((m, x) => throw new InvalidDataException($"{m.Children[0].call(x)}"), ("a", nn.Identity()));

    // Returns a module, and the outermost of `around` modules that are nested around it.
    private static (Parent Part, nn.Module<Tensor, Tensor> Whole) Within(int around, Parent part)
    {
        var whole = part;
        for (var i = 0; i < around; i++) whole = new Parent((m, x) => m.Children[0].call(x), ("inner", whole));
        return (part, whole);
    }

    // A module that runs its hooks itself.
    private sealed class Own : nn.HookableModule<Func<Own, Tensor, Tensor>, Func<Own, Tensor, Tensor, Tensor>>
    {
        private readonly Func<Own, Tensor, Tensor> _run;

        internal Own(Func<Own, Tensor, Tensor> run, string name, nn.Module<Tensor, Tensor> child) : base(nameof(Own))
        {
            _run = run;
            Child = child;
            register_module(name, child);
        }

        internal nn.Module<Tensor, Tensor> Child { get; }

        internal Tensor call(Tensor x)
        {
            foreach (var hook in pre_hooks.Values) x = hook(this, x);
            var result = _run(this, x);
            foreach (var hook in post_hooks.Values) result = hook(this, x, result);
            return result;
        }
    }
}

using Bridge.Hooks;
using TorchSharp;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>
/// The contract's clauses on a model of TorchSharp. <see cref="TorchSharpBehaviorTests"/> shows what TorchSharp's own hooks do.
/// </summary>
public class HookRegistryTests
{
    private readonly List<string> _fired = [];

    [Fact]
    public void O_4_hooks_keep_the_order_of_registration_after_removals()
    {
        var module = Named("forward");
        using var registry = HookRegistry.Attach(module);
        var handles = Enumerable.Range(0, 4).Select(i => registry[""].register_forward_pre_hook(Pre($"{i}"))).ToArray();
        handles[1].remove();
        handles[2].Dispose();
        foreach (var i in new[] { 4, 5, 6 }) registry[""].register_forward_pre_hook(Pre($"{i}"));
        module.call(ones(1));
        Assert.Equal("0 3 4 5 6 forward", Fired());
    }

    [Fact]
    public void O_2_prepend_puts_a_hook_first()
    {
        var module = Named("forward");
        using var registry = HookRegistry.Attach(module);
        foreach (var (name, prepend) in new[] { ("a", false), ("b", true), ("c", true) })
        {
            registry[""].register_forward_pre_hook(Pre($"pre {name}"), prepend);
            registry[""].register_forward_hook(Post($"post {name}"), prepend);
        }

        module.call(ones(1));
        Assert.Equal("pre c pre b pre a forward post c post b post a", Fired());
    }

    [Fact]
    public void A_module_that_calls_itself_endlessly_throws_instead_of_ending_the_process()
    {
        var module = new Endless();
        using var registry = HookRegistry.Attach(module);
        Assert.Throws<InsufficientExecutionStackException>(() => module.call(ones(1)));
    }

    [Fact]
    public void O_1_global_hooks_run_before_a_modules_own_for_every_module()
    {
        var model = new Net();
        using var registry = HookRegistry.Attach(model);
        registry["last"].register_forward_pre_hook(Pre("own"));
        registry["last"].register_forward_hook(Post("own"));
        var seen = new List<object>();
        using (GlobalHooks.Pre.Add((object module, ref object?[] args) => seen.Add(module)))
        using (GlobalHooks.Pre.Add((object module, ref object?[] args) => _fired.Add(module.GetType().Name)))
        using (GlobalHooks.Forward.Add((object module, in object?[] args, ref object? output) => _fired.Add("~" + module.GetType().Name)))
        {
            model.call(ones(1, 4));
            // This module has no registry.
            nn.Identity().call(ones(1));
        }

        Assert.Equal("Net Block Linear ~Linear ReLU ~ReLU ~Block Linear own ~Linear own ~Net", Fired());
        Assert.Equal([model, .. new[] { "block", "block.first", "block.act", "last" }.Select(path => registry[path].Module)], seen);
        model.call(ones(1, 4));
        Assert.Equal(["own", "own"], _fired);
    }

    [Fact]
    public void P_3_and_F_2_the_next_hook_sees_what_a_hook_assigned()
    {
        var module = new Given<Tensor, Tensor>(x => x.alias());
        using var registry = HookRegistry.Attach(module);
        Tensor first = ones(2), second = ones(3), result = ones(4);
        registry[""].register_forward_pre_hook((object m, ref object?[] args) => args = [first]);
        registry[""].register_forward_pre_hook((object m, ref object?[] args) =>
        {
            Assert.Same(first, args[0]);
            args = [second];
        });
        registry[""].register_forward_hook((object m, in object?[] args, ref object? output) =>
        {
            Assert.Same(second, args[0]);
            Assert.Equal([3], ((Tensor)output!).shape);
            output = result;
        });
        registry[""].register_forward_hook((object m, in object?[] args, ref object? output) => output = null);
        Assert.Same(result, module.call(ones(1)));
    }

    [Fact]
    public void Hooks_work_with_any_number_of_arguments_and_with_value_types()
    {
        var two = new Given<Tensor, int, (Tensor, int)>((x, n) => (x, n));
        using (var registry = HookRegistry.Attach(two))
        {
            // Null also keeps a value tuple, which a hook of TorchSharp's own would overwrite by default.
            registry[""].register_forward_hook((object m, in object?[] args, ref object? output) => output = null);
            registry[""].register_forward_pre_hook((object m, ref object?[] args) => args = [args[0], (int)args[1]! + 1]);
            registry[""].register_forward_hook((object m, in object?[] args, ref object? output) =>
                output = (((Tensor, int))output!).Item2 + (int)args[1]! == 8 ? (args[0], 5) : null);
            Assert.Throws<InvalidCastException>(() => two.call(ones(1), 3));
            registry[""].register_forward_hook((object m, in object?[] args, ref object? output) => output = ((Tensor)args[0]!, 5));
            Assert.Equal(5, two.call(ones(1), 3).Item2);
        }

        var attention = nn.MultiheadAttention(4, 2);
        using (var registry = HookRegistry.Attach(attention))
        {
            registry[""].register_forward_pre_hook((object m, ref object?[] args) =>
            {
                Assert.Equal([null, true, null], args[3..]);
                args = [.. args[..4], false, null];
            });
            var x = ones(3, 1, 4);
            Assert.True(attention.call(x, x, x).Item2.IsInvalid);
        }
    }

    [Fact]
    public void A_value_of_a_wrong_type_is_refused_by_name()
    {
        var two = new Given<Tensor, int, Tensor>((x, n) => x);
        using var registry = HookRegistry.Attach(two);
        string Refused(params object?[] args)
        {
            using (registry[""].register_forward_pre_hook((object m, ref object?[] given) => given = args))
                return Assert.Throws<InvalidCastException>(() => two.call(ones(1), 1)).Message;
        }

        Assert.Contains("2 arguments, but a hook assigned 1", Refused(ones(1)));
        Assert.Contains("'input2' is a System.Int32, but a hook assigned null", Refused(ones(1), null));
        Assert.Contains("'input1' is a", Refused("text", 1));
        using (registry[""].register_forward_hook((object m, in object?[] args, ref object? output) => output = 3))
            Assert.Contains("result is a", Assert.Throws<InvalidCastException>(() => two.call(ones(1), 1)).Message);
        Assert.NotNull(two.call(ones(1), 1));
    }

    [Fact]
    public void D_1_a_hook_added_in_its_own_phase_waits_and_a_removed_one_still_runs()
    {
        var module = Named("forward");
        using var registry = HookRegistry.Attach(module);
        HookHandle? added = null, last = null;
        registry[""].register_forward_pre_hook((object m, ref object?[] args) =>
        {
            added ??= registry[""].register_forward_pre_hook(Pre("added"));
            last!.remove();
        });
        last = registry[""].register_forward_pre_hook(Pre("removed"));
        module.call(ones(1));
        module.call(ones(1));
        Assert.Equal("removed forward added forward", Fired());
    }

    [Fact]
    public void C_5_a_call_that_begins_without_hooks_fires_none()
    {
        HookRegistry registry = null!;
        var module = new Given<Tensor, Tensor>(x =>
        {
            if (_fired.Count == 0) registry[""].register_forward_hook(Post("post"));
            _fired.Add("forward");
            return x;
        });
        using (registry = HookRegistry.Attach(module))
        {
            module.call(ones(1));
            module.call(ones(1));
        }

        Assert.Equal("forward forward post", Fired());
    }

    [Fact]
    public void A_3_always_called_hooks_run_innermost_first_when_a_call_fails()
    {
        var failing = new Parent((m, x) => throw new InvalidDataException());
        var model = new Parent((m, x) => m.Children[0].call(x), ("failing", failing));
        using var registry = HookRegistry.Attach(model);
        registry["failing"].register_forward_hook(Post("inner"), always_call: true);
        registry["failing"].register_forward_hook(Post("never"));
        registry[""].register_forward_hook(Post("outer"), always_call: true);
        ForwardHook<object?[], object?> hook =
            (object m, in object?[] args, ref object? output) => _fired.Add(m == model ? "global outer" : "global inner");
        using (GlobalHooks.Forward.Add(hook, alwaysCall: true))
            Assert.Throws<InvalidDataException>(() => registry.Run(() => model.call(ones(1))));
        Assert.Equal("global inner inner global outer outer", Fired());
    }

    [Fact]
    public void A_2_a_hook_that_ran_before_the_exception_does_not_run_again()
    {
        var module = Named("forward");
        using var registry = HookRegistry.Attach(module);
        registry[""].register_forward_hook(Post("first"), always_call: true);
        registry[""].register_forward_hook((object m, in object?[] args, ref object? output) => throw new InvalidDataException());
        registry[""].register_forward_hook(Post("last"), always_call: true);
        Assert.Throws<InvalidDataException>(() => registry.Run(() => module.call(ones(1))));
        Assert.Equal("forward first last", Fired());
    }

    [Fact]
    public void A_6_a_failing_call_inside_the_recovery_is_recovered_before_the_warning()
    {
        var failing = new Parent((m, x) => throw new InvalidDataException());
        var block = new Parent((m, x) => m.Children[1].call(m.Children[0].call(x)), ("first", Named("first")), ("failing", failing));
        var model = new Parent((m, x) => m.Children[0].call(x), ("block", block));
        using var registry = HookRegistry.Attach(model);
        var again = true;
        registry["block"].register_forward_hook(
            (object m, in object?[] args, ref object? output) =>
            {
                _fired.Add("hook");
                if (!again) return;
                again = false;
                registry.Run(() => block.call(ones(1)));
            },
            always_call: true);
        void Warned(HookWarning warning) => _fired.Add("warned");
        HookWarnings.Raised += Warned;
        Assert.Throws<InvalidDataException>(() => registry.Run(() => model.call(ones(1))));
        HookWarnings.Raised -= Warned;
        Assert.Equal("first hook first hook warned", Fired());
    }

    [Fact]
    public void A_3_hooks_run_at_the_next_event_if_the_model_catches_the_exception()
    {
        var failing = new Parent((m, x) => throw new InvalidDataException());
        var model = new Parent(
            (m, x) =>
            {
                Assert.Throws<InvalidDataException>(() => m.Children[0].call(x));
                _fired.Add("caught");
                return m.Children[1].call(x);
            },
            ("failing", failing),
            ("other", Named("other")));
        using var registry = HookRegistry.Attach(model);
        registry["failing"].register_forward_hook(Post("inner"), always_call: true);
        registry[""].register_forward_hook(Post("outer"), always_call: true);
        model.call(ones(1));
        Assert.Equal("caught inner other outer", Fired());
        // Without Run they wait for the next event.
        Assert.Throws<InvalidDataException>(() => failing.call(ones(1)));
        Assert.Empty(_fired);
        model.Children[1].call(ones(1));
        Assert.Equal("inner other", Fired());
    }

    [Fact]
    public void A_4_an_interrupt_runs_no_hooks()
    {
        var model = new Parent((m, x) => throw new Interrupt());
        using var registry = HookRegistry.Attach(model);
        registry[""].register_forward_hook(Post("never"), always_call: true);
        Assert.Throws<Interrupt>(() => registry.Run(() => model.call(ones(1))));
        Assert.Empty(_fired);
    }

    [Fact]
    public void TorchSharps_own_hooks_fire_last_and_their_changes_are_seen()
    {
        var module = Named("forward");
        module.register_forward_pre_hook((m, x) => ones(7));
        module.register_forward_hook((m, x, y) => Note("native", y));
        using var registry = HookRegistry.Attach(module);
        registry[""].register_forward_hook((object m, in object?[] args, ref object? output) =>
            _fired.Add($"{((Tensor)args[0]!).size(0)}"));
        module.call(ones(1));
        Assert.Equal("forward 7 native", Fired());
    }

    // C-5: a call that began without hooks runs none, even if the same module has hooks when an inner call of it begins.
    [Fact]
    public void A_call_that_began_without_hooks_runs_none_of_those_that_are_added_in_it()
    {
        List<string> log = [];
        HookRegistry registry = null!;
        var depth = 0;
        Parent model = null!;
        model = new((parent, x) =>
        {
            if (depth++ > 0) return parent.Children[0].call(x);
            registry[""].register_forward_pre_hook((object _, ref object?[] _) => log.Add($"pre at {depth}"));
            registry[""].register_forward_hook(
                (object _, in object?[] _, ref object? _) => log.Add($"forward at {depth}"), always_call: true);
            return model.call(x);
        },
        ("child", nn.Identity()));
        using (registry = HookRegistry.Attach(model))
        {
            model.call(ones(1));
            Assert.Equal(["pre at 1", "forward at 2"], log);
            model.call(ones(1));
            Assert.Equal(["pre at 1", "forward at 2", "pre at 2", "forward at 3"], log);
        }
    }

    // A-3, where the model catches the exception and none of its other modules has hooks.
    [Fact]
    public void An_always_called_hook_in_calls_without_hooks_runs_when_the_next_module_is_called()
    {
        List<string> log = [];
        var model = new Parent(
            (parent, x) =>
            {
                Assert.Throws<InvalidOperationException>(() => parent.Children[0].call(x));
                log.Add("caught");
                return parent.Children[1].call(x);
            },
            ("fails", new Given<Tensor, Tensor>(_ => throw new InvalidOperationException())),
            ("next", new Given<Tensor, Tensor>(x =>
            {
                log.Add("next");
                return x.alias();
            })));
        using var registry = HookRegistry.Attach(model);
        registry["fails"].register_forward_hook((object _, in object?[] _, ref object? _) => log.Add("always"), always_call: true);
        model.call(ones(1));
        Assert.Equal(["caught", "always", "next"], log);
    }

    [Fact]
    public void A_module_has_one_registry_until_it_is_disposed()
    {
        var model = new Net();
        var registry = HookRegistry.Attach(model);
        registry["block"].register_forward_pre_hook(Pre("block"));
        var block = (Block)registry["block"].Module;
        Assert.StartsWith("The model has a registry already: ", RefuseToAttach(block));
        Assert.StartsWith("'inner' has a registry already: ", RefuseToAttach(new Parent((m, x) => x, ("inner", block))));
        Assert.Same(registry["block"], registry.Of((object)block));
        Assert.Throws<KeyNotFoundException>(() => registry["nowhere"]);
        Assert.Throws<KeyNotFoundException>(() => registry.Of(new Net()));
        registry.Dispose();
        registry.Dispose();
        model.call(ones(1, 4));
        Assert.Empty(_fired);
        HookRegistry.Attach(block).Dispose();
        Assert.Equal(["list"], HookRegistry.Attach(new Bypassing()).Unhooked.Select(module => module.Path));

        static string RefuseToAttach(object module) =>
            Assert.Throws<InvalidOperationException>(() => HookRegistry.Attach(module)).Message;
    }

    [Fact]
    public void A_shared_module_has_the_same_hooks_under_each_path()
    {
        var shared = new Parent((m, x) => x, ("inner", nn.Identity()));
        var model = new Parent((m, x) => x, ("a", shared), ("b", shared));
        shared.register_module("back", model);
        using var registry = HookRegistry.Attach(model);
        Assert.Same(registry["a"], registry["b"]);
        Assert.Same(registry["a.inner"], registry["b.back.b.inner"]);
        Assert.Same(registry[""], registry["b.back"]);
        Assert.Equal("a", registry["b"].Path);
        Assert.Throws<KeyNotFoundException>(() => registry["b.nowhere"]);
        Assert.Throws<KeyNotFoundException>(() => registry["."]);
        using var other = HookRegistry.Attach(new Bypassing());
        Assert.Contains("cannot hook a module of class ModuleList", Assert.Throws<KeyNotFoundException>(() => other["list"]).Message);
    }

    [Fact]
    public void A_recording_attached_after_the_registry_sees_the_arguments_of_the_call()
    {
        var (module, file) = (new Given<Tensor, Tensor>(x => x), Path.GetTempFileName());
        using var registry = HookRegistry.Attach(module);
        registry[""].register_forward_pre_hook((object m, ref object?[] args) => args = [ones(2)]);
        registry[""].register_forward_hook((object m, in object?[] args, ref object? output) => output = ones(3));
        using (HookTrace.Record(module, file)) Assert.Equal([3], module.call(ones(1)).shape);
        Assert.Equal(["[1]", "[2]"], File.ReadLines(file).Skip(1).Take(2).Select(line => line.Split("\"shape\":")[1].Split(',')[0]));
        File.Delete(file);
    }

    private PreHook<object?[]> Pre(string name) => (object module, ref object?[] args) => _fired.Add(name);

    private ForwardHook<object?[], object?> Post(string name) => (object module, in object?[] args, ref object? output) => _fired.Add(name);

    private Tensor Note(string what, Tensor value)
    {
        _fired.Add(what);
        return value;
    }

    private Given<Tensor, Tensor> Named(string name) => new(x => Note(name, x));

    // Returns and clears what has fired.
    private string Fired()
    {
        var fired = string.Join(' ', _fired);
        _fired.Clear();
        return fired;
    }

    private sealed class Interrupt : Exception, INotAnError;
}

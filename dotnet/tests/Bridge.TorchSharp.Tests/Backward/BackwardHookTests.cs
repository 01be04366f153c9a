using TorchSharp.Modules;
using static Bridge.TorchSharp.Tests.BackwardLog;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>What backward hooks get and may do. The expected values are those of PyTorch 2.13 for the same model.</summary>
public sealed class BackwardHookTests : IDisposable
{
    private readonly Branched _model = new();
    private readonly HookRegistry _hooks;
    private readonly BackwardLog _log = new();

    public BackwardHookTests() => _hooks = HookRegistry.Attach(_model);

    public void Dispose() => _hooks.Dispose();

    private void ObserveAll()
    {
        foreach (var path in new[] { "a", "b", "c" }) _hooks[path].register_full_backward_hook(_log.Full(path));
    }

    [Fact]
    public void Hooks_run_from_the_last_module_to_the_first_with_a_place_for_each_argument_and_result()
    {
        ObserveAll();
        var (x, y) = Inputs();
        _model.call(x, y).backward();
        Assert.Equal(
            ["c in=([1 2]) out=([1])", "b in=([22 64]) out=([1 2], null)", "a in=([44 128], [66 192]) out=([22 64])"], _log.Lines);
        Assert.Equal("([44 128], [66 192], [121 256])", Text([x.grad, y.grad, _model.c.weight!.grad]));
    }

    [Fact]
    public void An_argument_that_does_not_require_grad_has_zeros_and_keeps_no_gradient()
    {
        ObserveAll();
        var (x, y) = Inputs(y: false);
        _model.call(x, y).backward();
        Assert.Equal("a in=([44 128], [0 0]) out=([22 64])", _log.Lines[^1]);
        Assert.Equal("([44 128], null)", Text([x.grad, y.grad]));
        Assert.False(y.requires_grad);
    }

    [Fact]
    public void Hooks_run_in_the_order_of_registration_and_pass_on_what_they_replace()
    {
        var a = _hooks["a"];
        a.register_full_backward_hook(_log.Full("h1", given => [given[0]! * 10, given[1]]));
        a.register_full_backward_hook(_log.Full("h2"));
        a.register_full_backward_pre_hook(_log.Pre("p1", given => [given[0]! + 1]));
        a.register_full_backward_pre_hook(_log.Pre("p2"));
        var (x, y) = Inputs();
        _model.call(x, y).backward();
        Assert.Equal(
            [
                "p1 out=([22 64])", "p2 out=([23 65])", "h1 in=([46 130], [69 195]) out=([23 65])",
                "h2 in=([460 1300], [69 195]) out=([23 65])",
            ],
            _log.Lines);
        Assert.Equal("([460 1300], [69 195])", Text([x.grad, y.grad]));
    }

    [Fact]
    public void A_removed_hook_leaves_the_order_and_a_prepended_one_runs_first()
    {
        var c = _hooks["c"];
        var first = c.register_full_backward_hook(_log.Full("first"));
        c.register_full_backward_hook(_log.Full("second"));
        first.remove();
        c.register_full_backward_hook(_log.Full("third"));
        c.register_full_backward_hook(_log.Full("prepended"), prepend: true);
        c.register_full_backward_pre_hook(_log.Pre("pre"));
        c.register_full_backward_pre_hook(_log.Pre("prepended pre"), prepend: true);
        var (x, y) = Inputs();
        _model.call(x, y).backward();
        Assert.Equal(
            ["prepended pre", "pre", "prepended", "second", "third"],
            _log.Lines.Select(line => line.Split(" in=")[0].Split(" out=")[0]));
    }

    [Fact]
    public void Without_an_argument_that_requires_grad_the_hook_runs_at_the_result_with_nulls()
    {
        ObserveAll();
        var (x, y) = Inputs(false, false);
        _model.call(x, y).backward();
        Assert.Equal(["c in=(null) out=([1])"], _log.Lines);
        Assert.Equal("[121 256]", Text(_model.c.weight!.grad));
    }

    [Fact]
    public void Without_an_argument_that_requires_grad_the_hook_may_return_nulls_only()
    {
        var handle = _hooks["c"].register_full_backward_hook((module, gradInput, gradOutput) => [null, null]);
        var (x, y) = Inputs(false, false);
        _model.call(x, y).backward();
        handle.remove();
        _hooks["c"].register_full_backward_hook((module, gradInput, gradOutput) => [ones(2)]);
        var error = Assert.Throws<InvalidOperationException>(() => _hooks.Run(() => _model.call(x, y).backward()));
        Assert.StartsWith("Backward hook for Modules where no input requires gradient should always return None", error.Message);
    }

    [Fact]
    public void A_result_that_was_not_used_has_null_and_an_argument_without_gradient_gets_real_zeros()
    {
        var model = new Given<Tensor, Tensor, (Tensor, Tensor)>((x, y) => (x * 2, y * 3));
        using var hooks = HookRegistry.Attach(model);
        hooks[""].register_full_backward_hook(_log.Full("full"));
        hooks[""].register_full_backward_pre_hook(_log.Pre("pre"));
        var (x, y) = Inputs();
        model.call(x, y).Item1.sum().backward();
        Assert.Equal(["pre out=([1 1], null)", "full in=([2 2], [0 0]) out=([1 1], null)"], _log.Lines);
        Assert.Equal("([2 2], [0 0])", Text([x.grad, y.grad]));
    }

    [Fact]
    public void A_pre_hook_may_drop_a_gradient_and_give_one_to_a_result_that_was_not_used()
    {
        var model = new Given<Tensor, Tensor, (Tensor, Tensor)>((x, y) => (x * 2, y * 3));
        using var hooks = HookRegistry.Attach(model);
        var handle = hooks[""].register_full_backward_pre_hook((module, gradOutput) => [gradOutput[0], ones(2)]);
        var (x, y) = Inputs();
        model.call(x, y).Item1.sum().backward();
        Assert.Equal("([2 2], [3 3])", Text([x.grad, y.grad]));
        handle.remove();
        hooks[""].register_full_backward_pre_hook((module, gradOutput) => [null, null]);
        hooks[""].register_full_backward_hook(_log.Full("full"));
        (x, y) = Inputs();
        var (first, second) = model.call(x, y);
        (first.sum() + second.sum()).backward();
        Assert.Equal(["full in=([0 0], [0 0]) out=(null, null)"], _log.Lines);
        Assert.Equal("([0 0], [0 0])", Text([x.grad, y.grad]));
    }

    [Fact]
    public void A_null_in_the_place_of_a_gradient_drops_it()
    {
        _hooks["b"].register_full_backward_hook((module, gradInput, gradOutput) => [null]);
        var (x, y) = Inputs();
        _model.call(x, y).backward();
        Assert.Null(x.grad);
    }

    [Fact]
    public void Each_pass_through_a_retained_graph_runs_the_hooks_again()
    {
        _hooks["b"].register_full_backward_hook(_log.Full("b"));
        var (x, y) = Inputs();
        var loss = _model.call(x, y);
        loss.backward(null, retain_graph: true);
        loss.backward();
        Assert.Equal(Enumerable.Repeat("b in=([22 64]) out=([1 2], null)", 2), _log.Lines);
        Assert.Equal("[88 256]", Text(x.grad));
    }

    [Fact]
    public void A_second_differentiation_skips_the_hooks_and_goes_through_what_they_replaced()
    {
        _hooks["b"].register_full_backward_hook(_log.Full("b", given => [given[0]! * 2]));
        var (x, y) = Inputs();
        var gradient = autograd.grad([_model.call(x, y)], [x], create_graph: true)[0];
        Assert.Equal("[88 256]", Text(gradient));
        gradient.sum().backward();
        Assert.Single(_log.Lines);
        Assert.Equal("[16 32]", Text(x.grad));
    }

    [Fact]
    public void A_pass_that_computes_only_gradients_of_parameters_runs_the_pre_hooks_only()
    {
        _hooks["c"].register_full_backward_hook(_log.Full("full"));
        _hooks["c"].register_full_backward_pre_hook(_log.Pre("pre"));
        var (x, y) = Inputs();
        _model.call(x, y).backward(inputs: [_model.c.weight!]);
        Assert.Equal(["pre out=([1])"], _log.Lines);
        Assert.Equal("(null, [121 256])", Text([x.grad, _model.c.weight!.grad]));
    }

    [Fact]
    public void Changing_a_tapped_tensor_in_place_is_refused()
    {
        var relu = nn.ReLU(inplace: true);
        using var hooks = HookRegistry.Attach(relu);
        hooks[""].register_full_backward_hook(_log.Full("h"));
        var error = Assert.ThrowsAny<Exception>(() => relu.call(Inputs().X * 1));
        Assert.Contains("is a view and is being modified inplace", error.Message);
    }

    [Fact]
    public void A_hook_that_was_removed_after_the_call_runs_in_its_graph_and_a_later_hook_does_not()
    {
        var handle = _hooks["c"].register_full_backward_hook(_log.Full("c"));
        var (x, y) = Inputs();
        var loss = _model.call(x, y);
        handle.remove();
        _hooks["c"].register_full_backward_hook(_log.Full("later"));
        loss.backward();
        Assert.Equal(["c in=([1 2]) out=([1])"], _log.Lines);
        Assert.Equal("[44 128]", Text(x.grad));
    }

    [Fact]
    public void A_hook_that_a_pre_hook_registers_takes_no_part_in_the_call()
    {
        _hooks["c"].register_full_backward_hook(_log.Full("c"));
        _hooks["c"].OnPreForward((Linear module, Tensor input) => { _hooks["c"].register_full_backward_hook(_log.Full("late")); });
        var (x, y) = Inputs();
        _model.call(x, y).backward();
        Assert.Single(_log.Lines);
    }

    [Fact]
    public void Without_grad_mode_values_pass_as_they_are()
    {
        var identity = new Given<Tensor, Tensor>(x => x);
        using var hooks = HookRegistry.Attach(identity);
        hooks[""].register_full_backward_hook(_log.Full("h"));
        var (x, y) = Inputs(y: false);
        using (no_grad()) Assert.Same(x, identity.call(x));
        using (inference_mode()) Assert.Same(x, identity.call(x));
        Assert.Same(y, identity.call(y));
        Assert.NotSame(x, identity.call(x));
    }

    [Fact]
    public void A_module_that_is_used_twice_runs_its_hooks_for_each_call()
    {
        _hooks["c"].register_full_backward_hook(_log.Full("c"));
        var (x, _) = Inputs();
        _model.c.call(_model.c.call(x).expand(2)).sum().backward();
        Assert.Equal(["c in=([1 2]) out=([1])", "c in=([3 6]) out=([3])"], _log.Lines);
        Assert.Equal("[3 6]", Text(x.grad));
    }

    [Fact]
    public void A_tensor_that_is_passed_twice_has_a_gradient_in_each_place()
    {
        var model = new Given<Tensor, Tensor, (Tensor, Tensor)>((x, y) => (x * 2, y * 3));
        using var hooks = HookRegistry.Attach(model);
        hooks[""].register_full_backward_hook(_log.Full("h"));
        var (x, _) = Inputs();
        var (first, second) = model.call(x, x);
        (first.sum() + second.sum()).backward();
        Assert.Equal(["h in=([2 2], [3 3]) out=([1 1], [1 1])"], _log.Lines);
        Assert.Equal("[5 5]", Text(x.grad));
    }

    [Fact]
    public void Outer_pre_hooks_run_before_the_hooks_of_children_and_outer_full_hooks_last()
    {
        var (i1, i2) = (new Given<Tensor, Tensor>(x => x * 2), new Given<Tensor, Tensor>(x => x * 3));
        var outer = new Parent((model, x) => model.Children[1].call(model.Children[0].call(x)), ("i1", i1), ("i2", i2));
        using var hooks = HookRegistry.Attach(outer);
        foreach (var path in new[] { "", "i1", "i2" })
        {
            hooks[path].register_full_backward_hook(_log.Full($"{path}.full"));
            hooks[path].register_full_backward_pre_hook(_log.Pre($"{path}.pre"));
        }

        outer.call(Inputs().X).sum().backward();
        Assert.Equal([".pre", "i2.pre", "i2.full", "i1.pre", "i1.full", ".full"], _log.Lines.Select(line => line.Split(' ')[0]));
    }

    [Fact]
    public void Parameters_have_their_gradients_before_the_full_hook_unless_no_argument_requires_grad()
    {
        List<string> weights = [];
        _hooks["c"].register_full_backward_hook((module, gradInput, gradOutput) =>
        {
            weights.Add(Text(((Linear)module).weight!.grad));
            return null;
        });
        _model.c.call(Inputs().X).backward();
        _model.c.weight!.grad = null;
        _model.c.call(Inputs(false).X).backward();
        Assert.Equal(["[1 2]", "null"], weights);
    }

    [Fact]
    public void Taps_come_after_the_registrys_pre_hooks_and_forward_hooks()
    {
        var linear = _model.c;
        _hooks["c"].register_full_backward_hook(_log.Full("c"));
        _hooks["c"].OnPreForward((Linear module, Tensor input) => input * 7);
        _hooks["c"].OnForward((Linear module, Tensor input, Tensor output) => output * 5);
        var (x, _) = Inputs();
        linear.call(x).backward();
        Assert.Equal(["c in=([5 10]) out=([1])"], _log.Lines);
        Assert.Equal("[35 70]", Text(x.grad));
    }

    [Fact]
    public void TorchSharps_own_hooks_work_on_the_tapped_tensors()
    {
        _hooks["c"].register_full_backward_hook(_log.Full("c"));
        _model.c.register_forward_pre_hook((module, input) => input * 7);
        _model.c.register_forward_hook((module, input, output) => output * 5);
        var (x, _) = Inputs();
        _model.c.call(x).backward();
        Assert.Equal(["c in=([35 70]) out=([5])"], _log.Lines);
        Assert.Equal("[35 70]", Text(x.grad));
    }

    [Fact]
    public void An_integer_argument_has_integer_zeros_and_other_arguments_null()
    {
        var model = new Indexed();
        using var hooks = HookRegistry.Attach(model);
        List<ScalarType?> types = [];
        hooks[""].register_full_backward_hook((module, gradInput, gradOutput) =>
        {
            types.AddRange(gradInput.Select(gradient => gradient?.dtype));
            return null;
        });
        hooks[""].register_full_backward_hook(_log.Full("h"));
        model.call(Inputs().X, tensor(new long[] { 1, 1, 0 }), 1.0).sum().backward();
        Assert.Equal([ScalarType.Float32, ScalarType.Int64, null], types);
        Assert.Equal(["h in=([1 2], [0 0 0], null) out=([1 1 1])"], _log.Lines);
    }

    [Fact]
    public void Arguments_that_were_left_out_have_no_place()
    {
        var lstm = nn.LSTM(2, 3);
        using var hooks = HookRegistry.Attach(lstm);
        List<(int, int)> counts = [];
        hooks[""].register_full_backward_hook((module, gradInput, gradOutput) =>
        {
            counts.Add((gradInput.Count, gradOutput.Count));
            return null;
        });
        lstm.call(ones(1, 1, 2, requires_grad: true)).Item1.sum().backward();
        lstm.call(ones(1, 1, 2, requires_grad: true), (ones(1, 1, 3), ones(1, 1, 3))).Item1.sum().backward();
        Assert.Equal([(1, 3), (2, 3)], counts);
    }

    [Fact]
    public void A_list_among_the_arguments_and_a_tuple_in_the_result_are_not_seen()
    {
        var model = new Given<List<Tensor>, (Tensor, (Tensor, int))>(list => (list[0] * 2, (list[0] * 3, 1)));
        using var hooks = HookRegistry.Attach(model);
        hooks[""].register_full_backward_hook(_log.Full("h"));
        var (x, _) = Inputs();
        var (first, (second, one)) = model.call([x]);
        (first.sum() + second.sum()).backward();
        Assert.Equal(["h in=(null) out=([1 1], null)"], _log.Lines);
        Assert.Equal("[5 5]", Text(x.grad));
        Assert.Equal(1, one);
    }

    [Fact]
    public void A_result_in_which_no_tensor_can_be_replaced_is_refused_where_PyTorch_warns()
    {
        var model = new Given<Tensor, Dictionary<string, Tensor>>(x => new() { ["a"] = x * 2 });
        using var hooks = HookRegistry.Attach(model);
        hooks[""].register_full_backward_hook(_log.Full("h"));
        var error = Assert.Throws<NotSupportedException>(() => model.call(Inputs().X));
        Assert.StartsWith("The result of the root (Given`2) is a System.Collections.Generic.Dictionary`2", error.Message);
        using (no_grad()) model.call(Inputs().X);
    }

    [Fact]
    public void A_typed_hook_sees_the_gradients()
    {
        _hooks.Of(_model.c).OnBackward((module, gradInput, gradOutput) => _log.Lines.Add($"{module == _model.c} {Text(gradInput)}"));
        _hooks.Of(_model.a).OnBackward((module, gradInput, gradOutput) => _log.Lines.Add($"{module == _model.a} {Text(gradInput)}"));
        var (x, y) = Inputs();
        _model.call(x, y).backward();
        Assert.Equal(["True ([1 2])", "True ([44 128], [66 192])"], _log.Lines);
    }

    [Fact]
    public void Hooks_are_removed_with_the_registry()
    {
        ObserveAll();
        _hooks.Dispose();
        var (x, y) = Inputs();
        _model.call(x, y).backward();
        Assert.Empty(_log.Lines);
        Assert.Equal("[44 128]", Text(x.grad));
    }

    [Fact]
    public void A_TorchSharp_without_autograd_functions_is_named()
    {
        Assert.Null(BackwardSite.MissingFunction(typeof(Tensor).Assembly));
        Assert.Contains("has no autograd functions", BackwardSite.MissingFunction(typeof(object).Assembly));
        var error = Assert.Throws<NotSupportedException>(() => BackwardSite.Require(new object()));
        Assert.Contains("has no autograd functions", error.Message);
    }

    private sealed class Indexed() : nn.Module<Tensor, Tensor, double, Tensor>("Indexed")
    {
        public override Tensor forward(Tensor x, Tensor at, double factor) => x[at] * factor;
    }
}

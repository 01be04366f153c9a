using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Torch.Tests;

/// <summary>Module.Enumeration.cs: what TorchSharp 0.107's Module.cs and Sequential.cs enumerate, in their order.</summary>
public sealed class EnumerationTests : WithTorch
{
    [Fact]
    public void Modules_come_children_first_and_then_what_is_below_each_without_the_root()
    {
        var model = Holder.Of(("a", Holder.Of(("x", new Echo()), ("y", Holder.Of(("z", new Echo()))))), ("b", new Echo()));
        Assert.Equal(["a", "b", "a.x", "a.y", "a.y.z"], model.named_modules().Select(item => item.name));
        Assert.Equal(model.named_modules().Select(item => item.module), model.modules());
        Assert.DoesNotContain(model, model.modules());
        Assert.Equal(["a", "b"], model.named_children().Select(item => item.name));
        Assert.Equal(model.named_children().Select(item => item.module), model.children());
    }

    [Fact]
    public void A_shared_module_comes_under_each_of_its_paths()
    {
        var shared = new Echo();
        var model = Holder.Of(("a", Holder.Of(("s", shared))), ("s", shared), ("b", new Echo()));
        Assert.Equal(["a", "s", "b", "a.s"], model.named_modules().Select(item => item.name));
        Assert.Equal(3, model.named_children().Count());
    }

    // TorchSharp never comes to an end there.
    [Fact]
    public void A_module_that_holds_its_ancestor_is_an_exception_and_not_the_end_of_the_process()
    {
        var inner = new Holder();
        var model = Holder.Of(("inner", inner));
        inner.register_module("up", model);
        Assert.Throws<InsufficientExecutionStackException>(() => model.train());
        Assert.Throws<InsufficientExecutionStackException>(() => model.apply(_ => { }));
        Assert.Throws<InsufficientExecutionStackException>(() => model.state_dict());
        Assert.Equal([model, inner], model.Tree);
    }

    [Fact]
    public void Python_has_each_module_once_from_the_root_depth_first()
    {
        var shared = new Echo();
        var x = new Echo();
        var a = Holder.Of(("x", x), ("s", shared));
        var model = Holder.Of(("a", a), ("s", shared));
        Assert.Equal([model, a, x, shared], model.Tree);
    }

    [Fact]
    public void Parameters_and_buffers_come_module_by_module_and_not_recursing_is_the_own_ones()
    {
        using var model = Holder.Filled();
        model.register_module("child", Holder.Filled());
        Assert.Equal(["w", "child.w"], model.named_parameters().Select(item => item.name));
        Assert.Equal(["b", "child.b"], model.named_buffers().Select(item => item.name));
        Assert.Equal(["w"], model.named_parameters(recurse: false).Select(item => item.name));
        Assert.Equal(["b"], model.named_buffers(recurse: false).Select(item => item.name));
        Assert.Equal(2, model.parameters().Count());
        Assert.Equal(2, model.buffers().Count());
    }

    [Fact]
    public void A_tied_parameter_comes_once_and_state_dict_has_its_further_paths_at_the_end()
    {
        using var model = new Holder();
        var first = Holder.Filled();
        var second = new Holder();
        second.register_parameter("tied", first.get_parameter("w")!);
        second.register_buffer("same", first.get_buffer("b")!);
        second.register_parameter("own", Parameter(ones([1])));
        model.register_module("first", first);
        model.register_module("second", second);
        Assert.Equal(["first.w", "second.own"], model.named_parameters().Select(item => item.name));
        Assert.Equal(["first.b"], model.named_buffers().Select(item => item.name));
        Assert.Equal(["first.w", "second.own", "first.b", "second.tied", "second.same"], model.state_dict().Keys);
        Assert.Same(model.state_dict()["first.w"], model.state_dict()["second.tied"]);
        Assert.Same(first.get_parameter("w"), model.get_parameter("second.tied"));
        Assert.Same(first.get_buffer("b"), model.get_buffer("second.same"));
        Assert.True(model.has_parameter("second.tied"));
        Assert.False(model.has_parameter("second.none"));
        Assert.Null(model.get_parameter("none.w"));
    }

    [Fact]
    public void State_has_all_parameters_and_then_all_buffers()
    {
        using var model = new Holder();
        model.register_module("child", Holder.Filled());
        model.register_buffer("b", ones([1]));
        model.register_parameter("w", Parameter(ones([1])));
        Assert.Equal(["w", "child.w", "b", "child.b"], model.state_dict().Keys);
        Assert.Equal(["top.w", "top.child.w", "top.b", "top.child.b"], model.state_dict(prefix: "top").Keys);
        using var given = ones([1]);
        Assert.Equal(["w", "child.w", "b", "child.b"], model.state_dict(new() { ["w"] = given }).Keys);
    }

    [Fact]
    public void A_buffer_that_is_not_persistent_is_neither_state_nor_listed()
    {
        using var model = Holder.Filled();
        model.register_buffer("scratch", ones([1]), persistent: false);
        Assert.Equal(["b"], model.named_buffers().Select(item => item.name));
        Assert.Equal(["b"], model.named_buffers(include_nonpersistent: false).Select(item => item.name));
        Assert.Single(model.buffers());
        Assert.Equal(["w", "b"], model.state_dict().Keys);
        Assert.True(model.has_buffer("scratch"));
        Assert.NotNull(model.get_buffer("scratch"));
    }

    [Fact]
    public void A_Sequential_lists_its_children_and_may_have_two_of_one_name()
    {
        using var model = Sequential(("lin", Linear(2, 2)), ("act", ReLU()), ("lin", Linear(2, 2)));
        Assert.Equal(["lin", "act", "lin"], model.named_children().Select(item => item.name));
        Assert.Equal(["lin", "act", "lin"], model.named_modules().Select(item => item.name));
        Assert.Equal(["lin.weight", "lin.bias", "lin.weight", "lin.bias"], model.named_parameters().Select(item => item.name));
        Assert.Empty(model.named_parameters(recurse: false));
        Assert.Equal(["lin.weight", "lin.bias"], model.state_dict().Keys);
        Assert.Same(((TorchSharp.Modules.Linear)model[0]).weight, model.state_dict()["lin.weight"]);
        Assert.Equal(["lin", "act", "lin_2"], model.Children.Select(item => item.Name));
        Assert.Equal(["lin", "act"], model[..2].named_children().Select(item => item.name));
    }

    [Fact]
    public void A_walk_ends_where_it_had_to_when_it_began()
    {
        using var model = Sequential(Linear(2, 2), ReLU());
        foreach (var child in model.children()) model.append((IModule<Tensor, Tensor>)child);
        Assert.Equal(4, model.Count);
    }

    [Fact]
    public void A_walk_of_keys_or_values_begins_with_what_is_there_by_then()
    {
        using var dict = ModuleDict(("a", (Module)ReLU()));
        var (keys, values) = (dict.Keys, dict.values());
        dict["b"] = Tanh();
        Assert.Equal(["a", "b"], keys.Select(key => key));
        Assert.Equal([dict["a"], dict["b"]], values.Select(value => value));
        Assert.Throws<NotSupportedException>(() => keys.Add("c"));
    }

    [Fact]
    public void A_Sequential_has_a_layer_that_comes_twice_once_in_its_state()
    {
        var shared = Linear(2, 2);
        using var model = Sequential(("a", shared), ("b", shared));
        Assert.Equal(["a.weight", "a.bias"], model.state_dict().Keys);
    }

    [Fact]
    public void Fields_of_a_class_that_derives_from_Sequential_are_state_but_not_listed()
    {
        using var model = new Chain();
        Assert.Equal(["0"], model.named_children().Select(item => item.name));
        Assert.Equal(["0.weight", "0.bias"], model.named_parameters().Select(item => item.name));
        Assert.Equal(["0.weight", "0.bias", "extra.weight", "extra.bias"], model.state_dict().Keys);
        Assert.Equal(["0", "extra"], model.Children.Select(item => item.Name));
    }

    [Fact]
    public void Native_composites_list_their_parameters_but_no_children()
    {
        using var layer = TransformerEncoderLayer(4, 2, 8);
        Assert.Empty(layer.named_children());
        Assert.Empty(layer.modules());
        Assert.Equal(12, layer.parameters().Count());
        Assert.NotNull(layer.get_parameter("self_attn.out_proj.weight"));
        var visited = new List<Module>();
        layer.apply(visited.Add);
        Assert.Equal([layer], visited);
        layer.eval();
        Assert.All(layer.Tree, module => Assert.False(module.training));
        Assert.Equal(9, layer.Tree.Count() - 1);
    }

    [Fact]
    public void Training_mode_reaches_a_child_through_what_it_overrides()
    {
        var frozen = new Frozen();
        using var model = Holder.Of(("inner", Sequential(("frozen", frozen))));
        model.train();
        Assert.False(frozen.training);
        Assert.Equal(1, frozen.Asked);
    }

    [Fact]
    public void State_loads_by_value()
    {
        using var model = Holder.Filled(1);
        using var other = Holder.Filled(5);
        var weight = model.get_parameter("w");
        var (missing, unexpected) = model.load_state_dict(other.state_dict());
        Assert.Empty(missing);
        Assert.Empty(unexpected);
        Assert.Same(weight, model.get_parameter("w"));
        Assert.True(weight!.requires_grad);
        Assert.Equal([5f, 5f], weight.ToArray<float>());
        Assert.Equal([5f, 5f, 5f], model.get_buffer("b")!.ToArray<float>());
    }

    [Fact]
    public void A_state_that_does_not_fit_is_reported_in_full_and_nothing_is_loaded()
    {
        using var model = Holder.Filled(1);
        model.register_buffer("c", ones([1]));
        using var good = ones([2]) * 9;
        using var wrong = ones([4]);
        var state = new Dictionary<string, Tensor> { ["w"] = good, ["b"] = wrong, ["extra"] = wrong };
        var error = Assert.Throws<InvalidOperationException>(() => model.load_state_dict(state));
        Assert.Contains("'b' has shape [4], the module's is [3]", error.Message);
        Assert.Contains("missing: c", error.Message);
        Assert.Contains("unexpected: extra", error.Message);
        Assert.Contains("nothing was loaded", error.Message);
        Assert.Equal([1f, 1f], model.get_parameter("w")!.ToArray<float>());
        Assert.Throws<InvalidOperationException>(() => model.load_state_dict(state, strict: false)); // a shape never fits
    }

    [Fact]
    public void Not_strict_loads_what_is_common_and_tells_the_rest()
    {
        using var model = Holder.Filled(1);
        using var value = ones([2]) * 7;
        var (missing, unexpected) = model.load_state_dict(new() { ["w"] = value, ["extra"] = value }, strict: false);
        Assert.Equal(["b"], missing);
        Assert.Equal(["extra"], unexpected);
        Assert.Equal([7f, 7f], model.get_parameter("w")!.ToArray<float>());
    }

    [Fact]
    public void Skipped_paths_are_left_alone_and_not_missed()
    {
        using var model = Holder.Filled(1);
        using var other = Holder.Filled(5);
        model.load_state_dict(other.state_dict(), skip: ["b"]);
        Assert.Equal([5f, 5f], model.get_parameter("w")!.ToArray<float>());
        Assert.Equal([1f, 1f, 1f], model.get_buffer("b")!.ToArray<float>());
    }

    private sealed class Chain : TorchSharp.Modules.Sequential
    {
        private readonly TorchSharp.Modules.Linear extra = Linear(1, 1);

        internal Chain() : base(Linear(2, 2))
        {
            RegisterComponents();
            Assert.NotNull(extra);
        }
    }

    private sealed class Frozen() : Module<Tensor, Tensor>("frozen")
    {
        internal int Asked { get; private set; }

        public override void train(bool train = true)
        {
            Asked++;
            base.train(false);
        }

        public override Tensor forward(Tensor input) => input;
    }
}

using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Bridge.Torch.Tests;

/// <summary>Module.Enumeration.cs: walks in PyTorch's order under PyTorch's names.</summary>
public sealed class EnumerationTests : WithTorch
{
    [Fact]
    public void Modules_come_depth_first_from_the_root_whose_path_is_empty()
    {
        var model = Holder.Of(("a", Holder.Of(("x", new Echo()), ("y", Holder.Of(("z", new Echo()))))), ("b", new Echo()));
        Assert.Equal(["", "a", "a.x", "a.y", "a.y.z", "b"], model.named_modules().Select(item => item.name));
        Assert.Same(model, model.modules().First());
        Assert.Equal(["a", "b"], model.named_children().Select(item => item.name));
    }

    [Fact]
    public void A_shared_module_comes_once_under_its_first_path()
    {
        var shared = new Echo();
        var model = Holder.Of(("a", Holder.Of(("s", shared))), ("s", shared), ("b", new Echo()));
        Assert.Equal(["", "a", "a.s", "b"], model.named_modules().Select(item => item.name));
        Assert.Equal(3, model.named_children().Count());
    }

    [Fact]
    public void A_module_that_holds_its_ancestor_does_not_hang_the_walk()
    {
        var inner = new Holder();
        var model = Holder.Of(("inner", inner));
        inner.register_module("up", model);
        Assert.Equal(["", "inner"], model.named_modules().Select(item => item.name));
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
    public void A_tied_parameter_comes_once_and_state_dict_has_each_of_its_paths()
    {
        using var model = Holder.Filled();
        var child = new Holder();
        child.register_parameter("tied", model.get_parameter("w")!);
        child.register_buffer("same", model.get_buffer("b")!);
        model.register_module("child", child);
        Assert.Equal(["w"], model.named_parameters().Select(item => item.name));
        Assert.Equal(["b"], model.named_buffers().Select(item => item.name));
        Assert.Equal(["w", "b", "child.tied", "child.same"], model.state_dict().Keys);
        Assert.Same(model.state_dict()["w"], model.state_dict()["child.tied"]);
    }

    [Fact]
    public void State_has_a_modules_parameters_then_its_buffers_then_its_children()
    {
        using var model = new Holder();
        model.register_module("child", Holder.Filled());
        model.register_buffer("b", ones([1]));
        model.register_parameter("w", Parameter(ones([1])));
        Assert.Equal(["w", "b", "child.w", "child.b"], model.state_dict().Keys);
        Assert.Equal(["top.w", "top.b", "top.child.w", "top.child.b"], model.state_dict(prefix: "top").Keys);
    }

    [Fact]
    public void A_buffer_that_is_not_persistent_is_no_state()
    {
        using var model = Holder.Filled();
        model.register_buffer("scratch", ones([1]), persistent: false);
        Assert.Equal(["b", "scratch"], model.named_buffers().Select(item => item.name));
        Assert.Equal(["b"], model.named_buffers(include_nonpersistent: false).Select(item => item.name));
        Assert.Equal(["w", "b"], model.state_dict().Keys);
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
}

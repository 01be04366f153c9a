using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch.nn;

namespace Bridge.Torch.Tests;

/// <summary>Tests Module.Registration.cs: the components of a module and their names.</summary>
public sealed class RegistrationTests : WithTorch
{
    [Fact]
    public void Fields_of_the_most_derived_class_come_first_under_their_names()
    {
        Assert.Equal(["renamed", "shared", "first"], new Derived().named_children().Select(item => item.name).Order(new Declared()));
        Assert.Equal("renamed", new Derived().named_children().First().name);
    }

    // GetFieldsRecursive of TorchSharp 0.107: reflection finds inherited fields that are not private before the private ones of the bases.
    [Fact]
    public void Inherited_fields_come_by_visibility_and_of_equal_names_the_most_derived()
    {
        var model = new Leaf();
        Assert.Equal(["own", "shared", "open", "far", "hidden", "deep"], model.named_children().Select(item => item.name));
        Assert.Same(model.shared, model.named_children().Single(item => item.name == "shared").module);
    }

    [Fact]
    public void Null_arrays_lists_dictionaries_and_values_are_passed_over()
    {
        var model = new Derived();
        Assert.Equal(7, model.Ignored.Length);
        Assert.Equal(3, model.named_children().Count());
        Assert.Empty(model.named_parameters());
        Assert.Empty(model.named_buffers());
    }

    [Fact]
    public void Registering_twice_by_RegisterComponents_adds_nothing()
    {
        var twice = new Twice();
        Assert.Equal(["child"], twice.named_children().Select(item => item.name));
    }

    [Fact]
    public void A_childs_own_components_are_registered_with_it()
    {
        var late = new Late();
        Assert.Empty(late.named_children());
        var holder = Holder.Of(("late", late));
        Assert.Equal(["late", "late.inner"], holder.named_modules().Select(item => item.name));
    }

    [Theory]
    [InlineData("a.b")]
    [InlineData("")]
    [InlineData(".")]
    public void A_name_that_is_empty_or_has_a_dot_is_refused(string name)
    {
        var error = Assert.Throws<ArgumentException>(() => Holder.Of((name, new Echo())));
        Assert.Contains($"'{name}' is not a valid name of a module", error.Message);
    }

    [Theory]
    [InlineData("")]
    [InlineData(".")]
    [InlineData("a.")]
    [InlineData("a..b")]
    public void A_tensors_name_with_an_empty_part_is_refused(string name)
    {
        var echo = new Echo();
        var error = Assert.Throws<ArgumentException>(() => echo.register_parameter(name, Parameter(TorchSharp.torch.zeros(1))));
        Assert.Contains($"'{name}' is not a valid name of a parameter: it or a part of it is empty", error.Message);
        Assert.Throws<ArgumentException>(() => echo.register_buffer(name, TorchSharp.torch.zeros(1)));
    }

    [Fact]
    public void A_tensors_name_may_have_dots()
    {
        var echo = new Echo();
        echo.register_parameter("weight.original0", Parameter(TorchSharp.torch.zeros(1)));
        echo.register_buffer("state.calls", TorchSharp.torch.zeros(1));
        Assert.Equal(["weight.original0", "state.calls"], echo.state_dict().Keys);
        var holder = Holder.Of(("echo", echo));
        Assert.Same(echo.get_parameter("weight.original0"), holder.get_parameter("echo.weight.original0"));
    }

    [Fact]
    public void A_name_that_is_taken_is_refused_and_the_first_stays()
    {
        var first = new Echo();
        var holder = Holder.Of(("a", first));
        var error = Assert.Throws<InvalidOperationException>(() => holder.register_module("a", new Echo()));
        Assert.Contains("The module 'a' is already registered", error.Message);
        Assert.Same(first, Assert.Single(holder.children()));
    }

    [Fact]
    public void Null_takes_a_child_away()
    {
        var holder = Holder.Of(("a", new Echo()), ("b", new Echo()));
        holder.register_module("a", null!);
        Assert.Equal(["b"], holder.named_children().Select(item => item.name));
    }

    [Fact]
    public void Add_module_is_register_module()
    {
        var holder = new Holder();
        holder.add_module("a", new Echo());
        Assert.Equal(["a"], holder.named_children().Select(item => item.name));
    }

    [Fact]
    public void Null_is_no_parameter_and_no_buffer()
    {
        Assert.Throws<ArgumentNullException>(() => new Holder().register_parameter("w", null!));
        Assert.Throws<ArgumentNullException>(() => new Holder().register_buffer("b", null!));
    }

    // Reflection does not promise an order within one class; the classes' order is ours.
    private sealed class Declared : IComparer<string>
    {
        private static readonly string[] Known = ["renamed", "shared", "first"];

        public int Compare(string? x, string? y) => Array.IndexOf(Known, x).CompareTo(Array.IndexOf(Known, y));
    }

    private class Trunk() : Module<torch.Tensor, torch.Tensor>("trunk")
    {
        public Echo far = new();
        private readonly Echo deep = new();

        public override torch.Tensor forward(torch.Tensor input) => deep.Log.Count == 0 ? input : input.alias();
    }

    private class Branch : Trunk
    {
        public Echo shared = new();
        protected internal Echo open = new();
        private readonly Echo hidden = new();

        public override torch.Tensor forward(torch.Tensor input) => hidden.Log.Count == 0 ? input : input.alias();
    }

    private sealed class Leaf : Branch
    {
        private readonly Echo own = new();
        public new readonly Echo shared = new();

        internal Leaf() => RegisterComponents();

        public override torch.Tensor forward(torch.Tensor input) => own.Log.Count == 0 ? input : input.alias();
    }

    private sealed class Twice : Module<torch.Tensor, torch.Tensor>
    {
        private readonly Echo child = new();

        internal Twice() : base("twice")
        {
            RegisterComponents();
            RegisterComponents();
        }

        public override torch.Tensor forward(torch.Tensor input) => child.Log.Count == 0 ? input : input.alias();
    }

    // Its author forgot RegisterComponents.
    private sealed class Late() : Module<torch.Tensor, torch.Tensor>("late")
    {
        private readonly Echo inner = new();

        public override torch.Tensor forward(torch.Tensor input) => inner.Log.Count == 0 ? input : input.alias();
    }
}

/// <summary>Tests Module.Registration.cs: the tensors of a module.</summary>
public sealed class TensorRegistrationTests : WithTorch
{
    [Fact]
    public void Parameters_are_parameters_and_other_tensors_persistent_buffers()
    {
        using var model = new Fields();
        Assert.Equal(["weight"], model.named_parameters().Select(item => item.name));
        Assert.Equal(["statistic"], model.named_buffers().Select(item => item.name));
        Assert.Same(model.weight, model.get_parameter("weight"));
        Assert.Same(model.statistic, model.get_buffer("statistic"));
        Assert.Null(model.get_parameter("statistic"));
        Assert.True(model.has_parameter("weight"));
        Assert.False(model.has_buffer("weight"));
        Assert.True(model.weight.requires_grad);
        Assert.False(model.statistic.requires_grad);
        Assert.Equal(["weight", "statistic"], model.state_dict().Keys);
    }

    [Fact]
    public void What_a_module_holds_outlives_the_scope_it_was_made_in()
    {
        Fields model;
        using (torch.NewDisposeScope()) model = new Fields();
        Assert.False(model.weight.IsInvalid);
        Assert.False(model.statistic.IsInvalid);
        model.Dispose();
        Assert.True(model.weight.IsInvalid);
        Assert.True(model.statistic.IsInvalid);
    }

    [Fact]
    public void A_parameter_takes_its_tensor_over()
    {
        var data = torch.ones([2]);
        using var parameter = Parameter(data);
        Assert.True(data.IsInvalid);
        Assert.True(parameter.requires_grad);
        using var frozen = Parameter(torch.ones([2]), requires_grad: false);
        Assert.False(frozen.requires_grad);
    }

    [Fact]
    public void A_taken_name_is_refused_for_tensors_too()
    {
        using var holder = Holder.Filled();
        using var other = torch.ones([1]);
        Assert.Contains("The buffer 'b'", Assert.Throws<InvalidOperationException>(() => holder.register_buffer("b", other)).Message);
        Assert.Contains("is not a valid name of a buffer",
            Assert.Throws<ArgumentException>(() => holder.register_buffer("x..y", other)).Message);
    }

    [Fact]
    public void Sequential_names_its_children_by_number_unless_they_have_names()
    {
        using var model = Sequential(("a", ReLU()), ("b", ReLU())).append(ReLU()).append("tail", ReLU());
        Assert.Equal(["a", "b", "2", "tail"], model.named_children().Select(item => item.name));
        Assert.Equal(4, model.Count);
        Assert.IsType<ReLU>(model[2]);
    }
}

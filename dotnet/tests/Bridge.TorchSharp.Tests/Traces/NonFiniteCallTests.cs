using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Finding the first module that makes a NaN or an infinity.</summary>
public sealed class NonFiniteCallTests
{
    private readonly Tensor _x = ones(3, 4);

    [Fact]
    public void A_finite_run_has_no_such_call()
    {
        var model = new Net();
        Assert.Null(HookTrace.FindNonFinite(model, () => model.call(_x)));
    }

    [Fact]
    public void The_module_with_a_broken_weight_is_named_and_not_those_after_it()
    {
        var model = new Net();
        using (no_grad()) ((Linear)model.named_modules().Single(module => module.name == "block.first").module).weight!.fill_(double.NaN);
        var found = HookTrace.FindNonFinite(model, () => model.call(_x))!;
        Assert.Equal("block.first (Linear) has NaN in its result float32[3x8] and none in its arguments float32[3x4].", found.ToString());
        Assert.Equal(("block.first", "Linear", 2, "NaN", false), (found.Path, found.Type, found.Call, found.Element, found.InArguments));
    }

    [Fact]
    public void Code_between_modules_belongs_to_the_module_that_runs_it()
    {
        var model = new Parent((parent, x) => parent.Children[0].call((x - 1).log()), ("act", nn.ReLU()));
        var found = HookTrace.FindNonFinite(model, () => model.call(_x))!;
        // act would turn -Infinity into 0.
        Assert.Equal("act (ReLU) was called with -Infinity in its arguments float32[3x4].", found.ToString());
        model = new Parent((parent, x) => (parent.Children[0].call(x) - 2).log(), ("act", nn.ReLU()));
        Assert.Equal(("", "NaN"), HookTrace.FindNonFinite(model, () => model.call(_x)) is { } root ? (root.Path, root.Element) : default);
    }

    [Fact]
    public void An_argument_of_the_program_is_reported_as_one()
    {
        var model = new Net();
        var found = HookTrace.FindNonFinite(model, () => model.call(_x / 0))!;
        Assert.Equal("(root) (Net) was called with Infinity in its arguments float32[3x4].", found.ToString());
        Assert.True(found.InArguments);
    }

    [Fact]
    public void Numbers_and_tensors_in_lists_are_checked()
    {
        var model = new Given<Tensor, List<object>>(x => [x, 1.0, new List<Tensor> { x / 0 }]);
        Assert.Equal("Infinity", HookTrace.FindNonFinite(model, () => model.call(_x))!.Element);
        var number = new Given<Tensor, double>(x => double.NegativeInfinity);
        Assert.Equal("-Infinity", HookTrace.FindNonFinite(number, () => number.call(_x))!.Element);
    }

    [Fact]
    public void A_call_that_changes_its_argument_in_place_is_found()
    {
        var model = new Given<Tensor, Tensor>(x => x.div_(0));
        Assert.False(HookTrace.FindNonFinite(model, () => model.call(ones(2)))!.InArguments);
    }

    [Fact]
    public void A_run_without_a_call_is_refused()
    {
        var model = new Net();
        Assert.Contains("forward", Assert.Throws<InvalidOperationException>(() => HookTrace.FindNonFinite(model, () => { })).Message);
        Assert.Throws<InvalidDataException>(() => HookTrace.FindNonFinite(model, () => throw new InvalidDataException()));
    }
}

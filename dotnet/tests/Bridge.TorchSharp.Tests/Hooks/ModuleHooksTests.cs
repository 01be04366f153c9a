using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Hooks with the types of the module.</summary>
public sealed class ModuleHooksTests
{
    private readonly Tensor _x = ones(3, 4);

    [Fact]
    public void A_typed_hook_gets_the_module_the_argument_and_the_result()
    {
        var linear = nn.Linear(4, 2);
        using var hooks = HookRegistry.Attach(linear);
        List<string> log = [];
        hooks.Of(linear).OnPreForward((Linear module, Tensor input) => log.Add($"pre {module == linear} {input.shape[1]}"));
        hooks.Of(linear).OnForward(
            (nn.Module module, object input, Tensor output) => log.Add($"{ReferenceEquals(input, _x)} {output.shape[1]}"));
        hooks.Of(linear).OnForward((Linear module, Tensor input, Tensor output) => log.Add("first"), prepend: true);
        linear.call(_x);
        Assert.Equal(["pre True 4", "first", "True 2"], log);
    }

    [Fact]
    public void The_compiler_infers_the_types_of_hooks_from_the_module()
    {
        var model = new Net();
        using var hooks = HookRegistry.Attach(model);
        List<string> log = [];
        hooks.Of(model.last).OnPreForward((module, input) => log.Add($"pre {module.GetName()} {input.shape[1]}"));
        hooks.Of(model.last).OnPreForward((module, input) => input * 0);
        var of = hooks.Of(model.last).OnForward((module, input, output) => log.Add($"{input.sum().item<float>()} {output.shape[1]}"));
        hooks["last"].OnForward((Linear module, Tensor input, Tensor output) => log.Add("by path"));
        hooks.Of(model.last).register_forward_hook((object module, in object?[] args, ref object? output) => log.Add("untyped"));
        hooks.Of(model.last).OnForward((module, input, output) => output.zeros_like());
        Assert.Equal(0, model.call(_x).sum().item<float>());
        Assert.Equal(["pre Linear 8", "0 2", "by path", "untyped"], log);
        of.remove();
        var two = new Given<Tensor, int, double>((x, times) => times * 0.5);
        using var others = HookRegistry.Attach(two);
        others.Of(two).OnPreForward((module, x, times) => log.Add($"{times}"));
        others.Of(two).OnForward((module, x, times, half) => log.Add($"{half > 1}"));
        two.call(_x, 3);
        Assert.Equal(["3", "True"], log[^2..]);
    }

    [Fact]
    public void A_hook_that_returns_a_value_replaces_the_argument_or_the_result()
    {
        var relu = nn.ReLU();
        using var hooks = HookRegistry.Attach(relu);
        var pre = hooks[""].OnPreForward((ReLU module, Tensor input) => input * 2);
        hooks[""].OnForward((ReLU module, Tensor input, Tensor output) => input + output);
        Assert.Equal(4, relu.call(ones(1)).item<float>());
        pre.remove();
        Assert.Equal(2, relu.call(ones(1)).item<float>());
    }

    [Fact]
    public void A_module_of_two_arguments_has_hooks_with_both()
    {
        var model = new Given<Tensor, int, double>((x, times) => times * 0.5);
        using var hooks = HookRegistry.Attach(model);
        List<double> log = [];
        hooks[""].OnPreForward((nn.Module module, Tensor x, int times) => log.Add(times));
        hooks[""].OnForward((nn.Module module, Tensor x, int times, double half) => log.Add(half));
        model.call(_x, 3);
        Assert.Equal([3, 1.5], log);
    }

    [Fact]
    public void Other_types_are_refused_when_the_hook_is_registered()
    {
        var model = new Net();
        using var hooks = HookRegistry.Attach(model);
        var last = hooks["last"];
        var error = Assert.Throws<ArgumentException>(() => last.OnForward((ReLU module, Tensor input, Tensor output) => { }));
        Assert.StartsWith(
            "'last' is a Linear with Tensor forward(Tensor): a hook of a ReLU with Tensor, Tensor does not fit.", error.Message);
        Assert.Throws<ArgumentException>(() => last.OnForward((Linear module, Tensor input, float output) => { }));
        Assert.Throws<ArgumentException>(() => last.OnForward((Linear module, Tensor input, object output) => (object)input));
        Assert.Throws<ArgumentException>(() => last.OnForward((Linear module, Tensor input, Tensor other, Tensor output) => { }));
        Assert.Throws<ArgumentException>(() => last.OnPreForward((Linear module, string input) => { }));
        Assert.Throws<ArgumentException>(() => last.OnPreForward((Linear module, object input) => input));
        Assert.Throws<ArgumentException>(() => last.OnPreForward((Linear module, Tensor input, Tensor other) => { }));
        Assert.Throws<ArgumentNullException>(() => last.OnPreForward((Action<Linear, Tensor>)null!));
    }
}

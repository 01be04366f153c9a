using TorchSharp;
using static TorchSharp.torch.nn;

namespace Bridge.Torch.Tests;

/// <summary>
/// Tests Module.Hooks.cs and GlobalHooks.cs in a process without Python: untyped hooks, and the errors of hooks that need Python.
/// </summary>
public sealed class BackwardHookTests
{
    private readonly Upper _module = new();

    private List<string> Log => _module.Log;

    [Fact]
    public void B1_backward_hooks_need_python_and_say_so()
    {
        Action[] registrations =
        [
            () => _module.register_full_backward_pre_hook((_, _) => null),
            () => _module.register_full_backward_hook((_, _, _) => null),
            () => _module.register_backward_hook((_, _, _) => null),
            () => register_module_full_backward_pre_hook((_, _) => null),
            () => register_module_full_backward_hook((_, _, _) => null),
            () => register_module_backward_hook((_, _, _) => null),
        ];
        string[] names =
        [
            "register_full_backward_pre_hook", "register_full_backward_hook", "register_backward_hook",
            "register_module_full_backward_pre_hook", "register_module_full_backward_hook", "register_module_backward_hook",
        ];
        foreach (var (register, name) in registrations.Zip(names))
        {
            var error = Assert.Throws<NotSupportedException>(register);
            Assert.StartsWith(name + " needs Python in the process", error.Message);
        }

        Assert.Equal("X", _module.call("x"));
    }

    [Fact]
    public void P2_F2_untyped_hooks_are_among_the_typed_ones()
    {
        torch.nn.Module module = _module;
        _module.register_forward_pre_hook((_, input) => input + "1");
        module.register_forward_pre_hook((_, args) => [(string)args[0]! + "2"]);
        module.register_forward_pre_hook((_, args) => [(string)args[0]! + "0"], prepend: true);
        _module.register_forward_hook((_, _, result) => result + "a");
        module.register_forward_hook((_, args, output) => $"{output}({args[0]})");
        module.register_forward_hook((_, args, output) => null);
        Assert.Equal("X012A(x012)".ToUpperInvariant(), _module.call("x").ToUpperInvariant());
    }

    [Fact]
    public void F1_calls_of_csharp_have_no_kwargs()
    {
        torch.nn.Module module = _module;
        module.register_forward_pre_hook((_, args, kwargs) => ([(string)args[0]! + kwargs.Count], kwargs), with_kwargs: true);
        using (module.register_forward_hook((_, _, kwargs, output) => $"{output}{kwargs.Count}", with_kwargs: true))
            Assert.Equal("X00", _module.call("x"));
        Assert.Equal("X0", _module.call("x"));
        Assert.Throws<ArgumentException>(() => module.register_forward_hook((_, _, _, _) => null, with_kwargs: false));
    }

    [Fact]
    public void A3_an_untyped_hook_may_always_run()
    {
        torch.nn.Module module = _module;
        module.register_forward_hook((_, _, output) => { Log.Add("always " + (output ?? "nothing")); return null; }, always_call: true);
        _module.register_forward_pre_hook((_, _) => throw new InvalidOperationException("no"));
        Assert.Throws<InvalidOperationException>(() => _module.call("x"));
        Assert.Equal(["always nothing"], Log);
    }

    [Fact]
    public void G3_global_hooks_run_first()
    {
        _module.register_forward_pre_hook((_, input) => input + "own");
        using (register_module_forward_pre_hook((_, args) => [(string)args[0]! + "global"]))
        using (register_module_forward_hook((module, _, output) => $"{output}{module.GetName()}"))
        using (register_module_forward_hook((_, _, kwargs, output) => $"{output}{kwargs.Count}", with_kwargs: true))
            Assert.Equal("XGLOBALOWNUpper0", _module.call("x"));
        Assert.Equal("XOWN", _module.call("x"));
    }

    private sealed class Upper() : Module<string, string>(nameof(Upper))
    {
        internal List<string> Log { get; } = [];

        public override string forward(string input) => input.ToUpperInvariant();
    }
}

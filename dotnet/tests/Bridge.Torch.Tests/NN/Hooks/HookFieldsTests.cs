using TorchSharp;
using Xunit;
using static TorchSharp.torch;
using PostHook = System.Func<TorchSharp.torch.nn.Module<TorchSharp.torch.Tensor, TorchSharp.torch.Tensor>, TorchSharp.torch.Tensor,
    TorchSharp.torch.Tensor, TorchSharp.torch.Tensor>;
using PreHook = System.Func<TorchSharp.torch.nn.Module<TorchSharp.torch.Tensor, TorchSharp.torch.Tensor>, TorchSharp.torch.Tensor,
    TorchSharp.torch.Tensor>;

namespace Bridge.Torch.Tests;

/// <summary>The protected dictionaries of hooks, as a subclass sees them, and what TorchSharp's native library has in public.</summary>
public sealed class HookFieldsTests : WithTorch
{
    private readonly List<string> _ran = [];

    [Fact]
    public void FieldsShowTheHooksInTheOrderInWhichTheyRun()
    {
        using var module = new Reader();
        Assert.Equal((0, 0, 0, 0), module.Counts);
        module.register_forward_pre_hook(Pre("a"));
        var b = module.register_forward_pre_hook(Pre("b"));
        module.register_forward_pre_hook(Pre("first"), prepend: true);
        module.register_forward_hook((_, _, output) => output);
        module.register_forward_pre_hook((nn.Module _) => { });
        module.register_forward_hook((nn.Module _) => { });
        Assert.Equal((3, 1, 1, 1), module.Counts);
        b.remove();
        module.register_forward_pre_hook(Pre("c"));
        foreach (var hook in module.Pre.Values) hook(module, ones(1));
        Assert.Equal(["first", "a", "c"], _ran);
        _ran.Clear();
        module.call(ones(1));
        Assert.Equal(["first", "a", "c"], _ran);
    }

    [Fact]
    public void AHookRemoverOfAKeyRemovesTheHook()
    {
        using var module = new Reader();
        module.register_forward_pre_hook(Pre("a"));
        module.register_forward_pre_hook(Pre("b"));
        new nn.HookableModule<PreHook, PostHook>.HookRemover(module, "no such key").remove();
        var remover = new nn.HookableModule<PreHook, PostHook>.HookRemover(module, module.Pre.Keys.First());
        module.call(ones(1));
        remover.remove();
        remover.remove();
        module.call(ones(1));
        Assert.Equal(["a", "b", "b"], _ran);
        Assert.Single(module.Pre);
    }

    [Fact]
    public void AModuleThatCannotBeCalledRefusesHooks()
    {
        using var module = new Uncallable();
        Assert.Throws<NotSupportedException>(() => module.register_forward_pre_hook(Pre("a")));
        Assert.Throws<NotSupportedException>(() => module.register_forward_hook((_, _, output) => output));
    }

    [Fact]
    public void HooksThatASubclassClearsNoLongerRun()
    {
        using var module = new Reader();
        module.register_forward_pre_hook(Pre("a"));
        module.register_forward_hook((_, _, output) => output * 0);
        module.Pre.Clear();
        Assert.Equal(0, module.call(ones(1)).item<float>());
        Assert.Empty(_ran);
        module.register_forward_pre_hook(Pre("b"));
        module.Pre.Clear();
        module.register_forward_pre_hook(Pre("c"));
        module.call(ones(1));
        Assert.Equal(["c"], _ran);
        Assert.Equal((1, 1, 0, 0), module.Counts);
    }

    [Fact]
    public void WritesByKeyAreRefusedByName()
    {
        using var module = new Reader();
        foreach (var write in new Action[] { () => module.Pre["k"] = Pre("k"), () => module.Pre.Add("k", Pre("k")) })
            Assert.Contains("register_forward_pre_hook", Assert.Throws<NotSupportedException>(write).Message, StringComparison.Ordinal);
        module.register_forward_pre_hook(Pre("a"));
        Assert.Throws<NotSupportedException>(() => module.Pre.Remove(module.Pre.Keys.First()));
        Assert.Throws<NotSupportedException>(() => module.Pre[module.Pre.Keys.First()] = Pre("other"));
        module.call(ones(1));
        Assert.Equal(["a"], _ran);
    }

    [Fact]
    public void AReplacedDictionaryIsRefusedByName()
    {
        using var module = new Reader();
        var hook = module.register_forward_pre_hook(Pre("a"));
        module.Replace();
        Assert.Contains("pre_hooks", Assert.Throws<NotSupportedException>(() => module.call(ones(1))).Message, StringComparison.Ordinal);
        Assert.Throws<NotSupportedException>(() => module.register_forward_hook((nn.Module _) => { }));
        Assert.Throws<NotSupportedException>(hook.remove);
    }

    [Fact]
    public void AHandleOfANativeModuleIsInvalidOrRefused()
    {
        Assert.True(Reader.MakeHandle(IntPtr.Zero));
        Assert.Contains("Module.HType", Assert.Throws<NotSupportedException>(() => Reader.MakeHandle(8)).Message, StringComparison.Ordinal);
        AllocatePinnedArray allocate = length => 2 * length;
        AllocateIndexedNativeTensorOrScalarArray indexed = (id, length) => id + length;
        DistanceFunctionNative distance = (x, y) => x - y;
        Assert.Equal((6, 5, 1), (allocate(3), indexed(2, 3), distance(3, 2)));
    }

    private PreHook Pre(string name) => (_, input) =>
    {
        _ran.Add(name);
        return input;
    };

    private sealed class Reader() : nn.Module<Tensor, Tensor>(nameof(Reader))
    {
        internal Dictionary<string, PreHook> Pre => pre_hooks;

        internal (int, int, int, int) Counts => (pre_hooks.Count, post_hooks.Count, module_pre_hooks.Count, module_post_hooks.Count);

        public override Tensor forward(Tensor input) => input + 1;

        internal static bool MakeHandle(nint handle)
        {
            using var made = new HType(handle, true, _ => throw new InvalidOperationException("Nothing is disposed."));
            return made.IsInvalid;
        }

        internal void Replace() => pre_hooks = [];
    }

    private sealed class Uncallable() : nn.HookableModule<PreHook, PostHook>(nameof(Uncallable));
}

using System.Reflection;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Attaching to a module's dictionaries of hooks, and restoring them.</summary>
public sealed class HookDictionariesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;
    private readonly List<string> _fired = [];

    private string File => Path.Combine(_folder, "run.jsonl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Dispose_restores_the_original_dictionaries_with_their_free_slots()
    {
        var module = nn.Identity();
        var first = module.register_forward_pre_hook((m, x) => Note("first", x));
        module.register_forward_pre_hook((m, x) => Note("second", x));
        first.remove();
        var (pre, post) = (Field(module, "pre_hooks"), Field(module, "post_hooks"));
        using (HookTrace.Record(module, File)) Assert.NotSame(pre, Field(module, "pre_hooks"));
        Assert.Same(pre, Field(module, "pre_hooks"));
        Assert.Same(post, Field(module, "post_hooks"));
        // TorchSharp's own order: the third hook takes the free slot of the first.
        module.register_forward_pre_hook((m, x) => Note("third", x));
        module.call(ones(1));
        Assert.Equal(["third", "second"], _fired);
    }

    [Fact]
    public void Registrations_and_removals_during_a_recording_are_kept()
    {
        var module = nn.Identity();
        var old = module.register_forward_pre_hook((m, x) => Note("old", x));
        var kept = module.register_forward_pre_hook((m, x) => Note("kept", x));
        using (HookTrace.Record(module, File))
        {
            old.remove();
            module.register_forward_pre_hook((m, x) => Note("new", x));
            module.call(ones(1));
        }

        module.call(ones(1));
        // The slot of the trace's hook is not free, so the next hook comes last.
        module.register_forward_pre_hook((m, x) => Note("last", x));
        module.call(ones(1));
        kept.remove();
        module.call(ones(1));
        Assert.Equal("new kept new kept new kept last new last", string.Join(' ', _fired));
    }

    [Fact]
    public void Two_recordings_of_one_model_end_in_either_order()
    {
        foreach (var firstEndsFirst in new[] { true, false })
        {
            var module = nn.Identity();
            var pre = Field(module, "pre_hooks");
            var (one, two) = (HookTrace.Record(module, File), HookTrace.Record(module, File + "2"));
            module.call(ones(1));
            (firstEndsFirst ? one : two).Dispose();
            module.call(ones(1));
            (firstEndsFirst ? two : one).Dispose();
            module.call(ones(1));
            Assert.Empty((System.Collections.ICollection)Field(module, "pre_hooks"));
            Assert.Equal([firstEndsFirst ? 4 : 6, firstEndsFirst ? 6 : 4], new[] { File, File + "2" }.Select(Lines));
            Assert.True(firstEndsFirst || ReferenceEquals(pre, Field(module, "pre_hooks")));
        }
    }

    [Fact]
    public void Earlier_hooks_fire_with_the_same_arguments()
    {
        var module = nn.Identity();
        module.register_forward_pre_hook(m => _fired.Add("Action"));
        module.register_forward_pre_hook((m, x) => Note(ReferenceEquals(m, module) ? "pre" : "other", x));
        module.register_forward_hook((m, x, y) => Note("post", y));
        using (HookTrace.Record(module, File)) module.call(ones(1));
        Assert.Equal(["Action", "pre", "post"], _fired);
    }

    [Fact]
    public void A_recording_keeps_the_identity_and_types_of_values()
    {
        var (x, y) = (ones(1), (ones(2), ones(3)));
        var module = new Given<Tensor, (Tensor, Tensor)>(input => ReferenceEquals(input, x) ? y : default);
        var two = new Given<Tensor?, int, Tensor?>((input, number) => number == 3 ? input : ones(1));
        using (HookTrace.Record(module, File)) Assert.Equal(y, module.call(x));
        using (HookTrace.Record(two, File)) Assert.Same(x, two.call(x, 3));
        using (HookTrace.Record(two, File)) Assert.Null(two.call(null, 3));
    }

    [Fact]
    public void A_thousand_modules_are_attached_in_a_thousand_dictionaries_and_restored()
    {
        var blocks = Enumerable.Range(0, 334).Select(i => ($"b{i}", (nn.Module<Tensor, Tensor>)new Block())).ToArray();
        var model = new Parent((m, x) => x, blocks);
        var leaves = model.modules().ToArray();
        Assert.Equal(1002, leaves.Length);
        var before = leaves.Select(module => Field(module, "post_hooks")).ToArray();
        using (HookTrace.Record(model, File))
            Assert.All(leaves, module => Assert.Single((System.Collections.ICollection)Field(module, "pre_hooks")));
        Assert.Equal(before, leaves.Select(module => Field(module, "post_hooks")), ReferenceEqualityComparer.Instance);
    }

    [Fact]
    public void The_base_class_of_0_102_5_has_one_more_type_argument()
    {
        var module = new Older();
        using (HookTrace.Record(module, File)) module.call(ones(1));
        Assert.Equal(4, Lines(File));
        Assert.Empty((System.Collections.ICollection)Field(module, "pre_hooks"));
    }

    [Fact]
    public void A_base_class_without_the_dictionaries_has_no_hooks()
    {
        using var trace = HookTrace.Record(new Otherwise(), File);
        Assert.Equal("(root): this library cannot hook a module of class Otherwise", Assert.Single(trace.Unhooked).ToString());
    }

    private static int Lines(string file) => System.IO.File.ReadLines(file).Count();

    private static object Field(nn.Module module, string name)
    {
        var type = module.GetType();
        while (!type.Name.StartsWith("HookableModule", StringComparison.Ordinal)) type = type.BaseType!;
        return type.GetField(name, BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(module)!;
    }

    private Tensor Note(string what, Tensor value)
    {
        _fired.Add(what);
        return value;
    }

    private abstract class HookableModule<TModule, TPreHook, TPostHook>() : nn.Module("Given")
    {
        protected Dictionary<string, TPreHook> pre_hooks = [];
        protected Dictionary<string, TPostHook> post_hooks = [];
    }

    private sealed class Older : HookableModule<Older, Func<Older, Tensor, Tensor>, Func<Older, Tensor, Tensor, Tensor>>
    {
        public Tensor call(Tensor input)
        {
            foreach (var hook in pre_hooks.Values) input = hook(this, input);
            foreach (var hook in post_hooks.Values) input = hook(this, input, input);
            return input;
        }
    }

    private abstract class HookableModule<TPreHook, TPostHook>() : nn.Module("Given");

    private sealed class Otherwise : HookableModule<Func<Otherwise, int, int>, Func<Otherwise, int, int, int>>;
}

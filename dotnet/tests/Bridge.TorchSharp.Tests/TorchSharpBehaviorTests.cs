using System.Reflection;
using TorchSharp;
using TorchSharp.Utils;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>The behavior of TorchSharp 0.107 on which the recorder and the registry rely.</summary>
public class TorchSharpBehaviorTests
{
    private readonly List<string> _fired = [];

    [Fact]
    public void Untyped_hooks_fire_outside_of_typed_ones()
    {
        var module = Named("forward");
        module.register_forward_hook((m, x, y) => Note("post", y));
        module.register_forward_pre_hook((m, x) => Note("pre", x));
        module.register_forward_hook(m => _fired.Add("Action post"));
        module.register_forward_pre_hook(m => _fired.Add("Action pre"));
        module.call(ones(1));
        Assert.Equal(["Action pre", "pre", "forward", "post", "Action post"], _fired);
    }

    [Fact]
    public void A_new_hook_takes_the_slot_of_the_one_removed_last()
    {
        var module = Named("");
        var removers = Enumerable.Range(0, 4).Select(i => module.register_forward_pre_hook((m, x) => Note($"{i}", x))).ToArray();
        removers[1].remove();
        removers[2].remove();
        foreach (var i in new[] { 4, 5, 6 }) module.register_forward_pre_hook((m, x) => Note($"{i}", x));
        module.call(ones(1));
        Assert.Equal("0 5 4 3 6", string.Join(' ', _fired.SkipLast(1)));
    }

    [Fact]
    public void A_delegate_registered_twice_fires_twice_and_null_throws_at_the_call()
    {
        var module = Named("forward");
        Func<nn.Module<Tensor, Tensor>, Tensor, Tensor> hook = (m, x) => Note("pre", x);
        module.register_forward_pre_hook(hook);
        module.register_forward_pre_hook(hook).remove();
        module.register_forward_pre_hook(hook);
        module.call(ones(1));
        Assert.Equal(["pre", "pre", "forward"], _fired);
        module.register_forward_hook((Action<nn.Module>)null!);
        Assert.Throws<NullReferenceException>(() => module.call(ones(1)));
    }

    [Fact]
    public void The_result_of_a_hook_always_replaces_a_value_type()
    {
        var module = new Given<Tensor, (Tensor?, Tensor?)>(x => (x, x));
        module.register_forward_hook((m, x, y) => default);
        Assert.Equal((null, null), module.call(ones(1)));
        // A pre hook of two arguments returns a Nullable, where null keeps both.
        var two = new Given<Tensor, int, int>((x, n) => n);
        two.register_forward_pre_hook((m, x, n) => null);
        Assert.Equal(3, two.call(ones(1), 3));
        two.register_forward_pre_hook((m, x, n) => (x, n + 1));
        Assert.Equal(4, two.call(ones(1), 3));
    }

    [Fact]
    public void A_hook_added_in_its_own_phase_throws_and_stays()
    {
        var module = Named("forward");
        var once = module.register_forward_pre_hook((m, x) =>
        {
            m.register_forward_pre_hook((_, y) => Note("late", y));
            return x;
        });
        Assert.Throws<InvalidOperationException>(() => module.call(ones(1)));
        Assert.Empty(_fired);
        once.remove();
        module.call(ones(1));
        Assert.Equal(["late", "forward"], _fired);
    }

    [Fact]
    public void A_hook_added_before_its_phase_fires_in_that_call()
    {
        nn.Module<Tensor, Tensor> module = null!;
        module = new Given<Tensor, Tensor>(x =>
        {
            if (_fired.Count == 0) module.register_forward_hook((m, a, b) => Note("post", b));
            return x;
        });
        module.call(ones(1));
        Assert.Equal(["post"], _fired);
    }

    [Fact]
    public void A_hook_removed_in_its_phase_does_not_fire()
    {
        var module = Named("forward");
        nn.HookableModule<
            Func<nn.Module<Tensor, Tensor>, Tensor, Tensor>,
            Func<nn.Module<Tensor, Tensor>, Tensor, Tensor, Tensor>>.HookRemover? later = null;
        module.register_forward_pre_hook((m, x) =>
        {
            later!.remove();
            return x;
        });
        later = module.register_forward_pre_hook((m, x) => Note("never", x));
        module.call(ones(1));
        Assert.Equal(["forward"], _fired);
        later.remove();
    }

    [Fact]
    public void Forward_fires_no_hook()
    {
        var module = Named("forward");
        module.register_forward_pre_hook((m, x) => Note("pre", x));
        module.forward(ones(1));
        Assert.Equal(["forward"], _fired);
    }

    [Fact]
    public void A_Sequential_disposes_the_tensors_between_its_children()
    {
        var (between, input) = (new List<Tensor>(), ones(1, 4));
        var model = nn.Sequential(nn.Identity(), nn.Identity(), nn.Identity());
        foreach (var (_, child) in model.named_children())
            ((nn.Module<Tensor, Tensor>)child).register_forward_hook((m, x, y) =>
            {
                between.Add(y);
                return y;
            });
        Assert.False(model.call(input).IsInvalid);
        Assert.Equal([true, true, false], between.Select(tensor => tensor.IsInvalid));
        Assert.Throws<InvalidOperationException>(() => between[0].shape);
        Assert.False(input.IsInvalid);

        // If the first child returns its input, the caller's tensor is disposed, unless it is the only child.
        nn.Sequential(Named(""), nn.Identity()).call(input);
        Assert.True(input.IsInvalid);
        var other = ones(1);
        Assert.Same(other, nn.Sequential(Named("")).call(other));
        Assert.False(other.IsInvalid);
        Assert.NotSame(other, nn.Sequential(Array.Empty<nn.Module<Tensor, Tensor>>()).call(other));

        // The tensor that a hook assigned is disposed, and the result that it replaced is not.
        var (replacing, made) = (nn.Sequential(nn.Identity(), nn.Identity()), new List<Tensor>());
        ((nn.Module<Tensor, Tensor>)replacing.children().First()).register_forward_hook((m, x, y) =>
        {
            made.AddRange([y, ones(1)]);
            return made[1];
        });
        replacing.call(ones(1));
        Assert.Equal([false, true], made.Select(tensor => tensor.IsInvalid));
    }

    [Fact]
    public void Named_modules_yields_children_first_and_shared_modules_once_for_each_path()
    {
        Assert.Equal("block last block.first block.act", string.Join(' ', new Net().named_modules().Select(found => found.name)));
        var shared = new Block();
        var sequential = nn.Sequential(("x", nn.Identity()));
        var model = new Parent((m, x) => x, ("a", Named("")), ("b", sequential), ("c", new Given<Tensor, Tensor>(x => x)));
        model.register_module("d", shared);
        model.register_module("e", shared);
        Assert.Equal("a b c d e b.x d.first d.act e.first e.act", string.Join(' ', model.named_modules().Select(found => found.name)));
    }

    [Fact]
    public void The_non_generic_enumerator_of_named_children_throws()
    {
        Assert.Throws<NotImplementedException>(() => ((System.Collections.IEnumerable)new Net().named_children()).GetEnumerator());
    }

    [Fact]
    public void Fields_of_the_derived_class_are_registered_first()
    {
        var model = new Derived();
        Assert.Equal("mine renamed <Auto>k__BackingField _base", string.Join(' ', model.named_children().Select(child => child.name)));
        Assert.Equal(["plain"], model.named_buffers(recurse: false).Select(found => found.name));
    }

    [Fact]
    public void Names_are_checked_and_lists_are_registered_with_their_owner()
    {
        var model = new Parent((m, x) => x);
        Assert.Throws<ArgumentException>(() => model.register_module("a.b", nn.ReLU()));
        model.register_module("a", nn.ReLU());
        Assert.Throws<InvalidOperationException>(() => model.register_module("a", nn.ReLU()));
        model.register_module("a", null!);
        Assert.False(model.named_children().Any());
        var list = nn.ModuleList(nn.ReLU());
        Assert.False(list.children().Any());
        model.register_module("list", list);
        list.Add(nn.ReLU());
        Assert.Equal("list list.0", string.Join(' ', model.named_modules().Select(found => found.name)));
    }

    [Fact]
    public void Bytes_are_the_elements_and_an_alias_shares_them()
    {
        var numbers = tensor([1.0, 2.0], float64);
        var alias = numbers.alias();
        Assert.Equal(16, numbers.bytes.Length);
        BitConverter.GetBytes(3.0).CopyTo(alias.bytes[8..]);
        Assert.Equal([1.0, 3.0], System.Runtime.InteropServices.MemoryMarshal.Cast<byte, double>(numbers.bytes).ToArray());
        numbers.Dispose();
        Assert.Throws<InvalidOperationException>(() => numbers.bytes.Length);
        Assert.Equal(16, (alias * tensor([2.0]) + alias).bytes.Length);
    }

    [Fact]
    public void A_scope_disposes_the_tensors_created_in_it()
    {
        Tensor lost, moved, detached, outside;
        using (NewDisposeScope())
        {
            using (NewDisposeScope())
            {
                lost = tensor([1.0]);
                moved = tensor([2.0]).MoveToOuterDisposeScope();
                detached = tensor([3.0]).DetachFromDisposeScope();
            }

            Assert.True(lost.IsInvalid);
            Assert.False(moved.IsInvalid);
            outside = tensor([4.0]).MoveToOuterDisposeScope();
        }

        Assert.True(moved.IsInvalid);
        Assert.False(detached.IsInvalid);
        Assert.False(outside.IsInvalid);
    }

    [Fact]
    public void Each_of_the_six_arities_has_its_delegates()
    {
        Type[] arities =
        [
            typeof(nn.Module<,>), typeof(nn.Module<,,>), typeof(nn.Module<,,,>), typeof(nn.Module<,,,,>), typeof(nn.Module<,,,,,>),
            typeof(nn.Module<,,,,,,>),
        ];
        foreach (var (module, count) in arities.Zip(Enumerable.Range(1, 6)))
        {
            var closed = module.MakeGenericType([.. Enumerable.Repeat(typeof(int), count), typeof(string)]);
            var hooks = closed.BaseType!.GetGenericArguments();
            Assert.Equal(typeof(nn.HookableModule<,>), closed.BaseType.GetGenericTypeDefinition());
            var (pre, post) = (hooks[0].GetMethod("Invoke")!, hooks[1].GetMethod("Invoke")!);
            var inputs = Enumerable.Repeat(typeof(int), count);
            Assert.Equal([closed, .. inputs], pre.GetParameters().Select(parameter => parameter.ParameterType));
            Assert.Equal(count == 1, pre.ReturnType == typeof(int));
            Assert.Equal(count == 1 ? null : count, Nullable.GetUnderlyingType(pre.ReturnType)?.GetGenericArguments().Length);
            Assert.Equal([closed, .. inputs, typeof(string)], post.GetParameters().Select(parameter => parameter.ParameterType));
            Assert.Equal(typeof(string), post.ReturnType);
            var call = closed.GetMethod("call")!;
            Assert.True(call is { IsVirtual: true, IsFinal: true });
        }

        Assert.All(["pre_hooks", "post_hooks", "module_pre_hooks", "module_post_hooks"], name =>
        {
            var field = typeof(nn.HookableModule<,>).GetField(name, BindingFlags.Instance | BindingFlags.NonPublic);
            Assert.True(field is { IsFamily: true, IsInitOnly: false });
        });
    }

    private Tensor Note(string what, Tensor value)
    {
        _fired.Add(what);
        return value;
    }

    private nn.Module<Tensor, Tensor> Named(string name) => new Given<Tensor, Tensor>(x => Note(name, x));

    private class Base : nn.Module<Tensor, Tensor>
    {
        private readonly nn.Module _base = nn.ReLU();

        protected Base() : base(nameof(Base)) { }

        public nn.Module First => _base;

        public override Tensor forward(Tensor input) => input;
    }

    private sealed class Derived : Base
    {
        public readonly nn.Module? nothing = null;
        public readonly nn.Module[] Several = [nn.ReLU()];
        public readonly nn.Module mine = nn.ReLU();

        [ComponentName(Name = "renamed")]
        public readonly nn.Module other = nn.ReLU();
        public readonly Tensor plain = zeros(1);

        public Derived() => RegisterComponents();

        public nn.Module Auto { get; } = nn.ReLU();
    }
}

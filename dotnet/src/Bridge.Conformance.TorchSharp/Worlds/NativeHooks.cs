using Bridge.Conformance.Modules;
using TorchSharp;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Worlds;

/// <summary>Registers hooks on a module by the methods that its types have.</summary>
internal abstract class NativeHooks
{
    /// <summary>Whether a hook may be an <c>Action</c>: since 0.102.5, and of any module since 0.102.6.</summary>
    internal static bool HaveActions { get; } = typeof(Module<torch.Tensor, torch.Tensor>).GetMethods()
        .Any(method => method.Name == "register_forward_hook" && method.GetParameters()[0].ParameterType == typeof(Action<torch.nn.Module>));

    /// <exception cref="NotSupportedException">It is of a class without hooks (rule 6).</exception>
    internal static NativeHooks Of(torch.nn.Module module)
    {
        var types = Signature.Arguments(module.GetType()) ?? throw new NotSupportedException($"{module.GetType().Name} has no hooks (rule 6)");
        var open = types.Length == 2 ? typeof(NativeHooks<,>) : typeof(NativeHooks<,,,>);
        return (NativeHooks)Activator.CreateInstance(open.MakeGenericType(types))!;
    }

    internal abstract IDisposable Register(Hook hook, torch.nn.Module module);

    internal abstract IDisposable Register(Action<torch.nn.Module> hook, bool forward, torch.nn.Module module);

    /// <summary>A <c>HookRemover</c>, whose class depends on the module's types.</summary>
    private protected sealed class Remover(Action remove) : IDisposable
    {
        public void Dispose() => remove();
    }
}

/// <inheritdoc/>
internal sealed class NativeHooks<T, TResult> : NativeHooks
{
    internal override IDisposable Register(Hook hook, torch.nn.Module module)
    {
        var target = (Module<T, TResult>)module;
        return new Remover(hook.IsForward
            ? target.register_forward_hook((self, input, output) => hook.Forward(self, [input], output) is { } changed ? Fitting.To<TResult>(changed) : output).remove
            : target.register_forward_pre_hook((self, input) => hook.Pre(self, [input]) is { } changed ? Fitting.To<T>(Fitting.Only(changed)) : input).remove);
    }

    internal override IDisposable Register(Action<torch.nn.Module> hook, bool forward, torch.nn.Module module)
    {
        var target = (Module<T, TResult>)module;
        return new Remover(forward ? target.register_forward_hook(hook).remove : target.register_forward_pre_hook(hook).remove);
    }
}

/// <inheritdoc/>
internal sealed class NativeHooks<T1, T2, T3, TResult> : NativeHooks
{
    internal override IDisposable Register(Hook hook, torch.nn.Module module)
    {
        var target = (Module<T1, T2, T3, TResult>)module;
        return new Remover(hook.IsForward
            ? target.register_forward_hook((self, a, b, c, output) => hook.Forward(self, Fitting.Given([a, b, c]), output) is { } changed ? Fitting.To<TResult>(changed) : output).remove
            : target.register_forward_pre_hook((self, a, b, c) => hook.Pre(self, Fitting.Given([a, b, c])) is { } changed ? All(Fitting.Several(changed, b is null)) : null).remove);
    }

    internal override IDisposable Register(Action<torch.nn.Module> hook, bool forward, torch.nn.Module module)
    {
        var target = (Module<T1, T2, T3, TResult>)module;
        return new Remover(forward ? target.register_forward_hook(hook).remove : target.register_forward_pre_hook(hook).remove);
    }

    private static (T1, T2, T3) All(object?[] args) => (Fitting.To<T1>(args[0]), Fitting.To<T2>(args[1]), Fitting.To<T3>(args[2]));
}

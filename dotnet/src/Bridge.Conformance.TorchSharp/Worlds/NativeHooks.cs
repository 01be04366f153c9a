using Bridge.Conformance.Modules;
using TorchSharp;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Worlds;

/// <summary>
/// Registers hooks on a module by the methods of its base class, <c>Module&lt;T, TResult&gt;</c> or
/// <c>Module&lt;T1, T2, T3, TResult&gt;</c>.
/// </summary>
internal abstract class NativeHooks
{
    /// <summary>
    /// Gets whether a hook may be an <c>Action&lt;Module&gt;</c>, which gets only the module. TorchSharp has such hooks since 0.102.5.
    /// </summary>
    internal static bool SupportsUntyped { get; } = typeof(Module<torch.Tensor, torch.Tensor>).GetMethods()
        .Where(method => method.Name == "register_forward_hook")
        .Any(method => method.GetParameters()[0].ParameterType == typeof(Action<torch.nn.Module>));

    /// <summary>Creates the object that registers hooks on modules with this module's argument and result types.</summary>
    /// <exception cref="NotSupportedException">The module's class has no methods that register hooks.</exception>
    internal static NativeHooks Create(torch.nn.Module module)
    {
        var types = Signature.Types(module.GetType())
            ?? throw new NotSupportedException($"{module.GetType().Name} has no methods that register hooks");
        var open = types.Length == 2 ? typeof(NativeHooks<,>) : typeof(NativeHooks<,,,>);
        return (NativeHooks)Activator.CreateInstance(open.MakeGenericType(types))!;
    }

    internal abstract IDisposable Register(ProgramHook hook, torch.nn.Module module);

    internal abstract IDisposable Register(Action<torch.nn.Module> hook, bool forward, torch.nn.Module module);

    /// <summary>A wrapper of TorchSharp's <c>HookRemover</c>, whose class depends on the module's types.</summary>
    private protected sealed class Remover(Action remove) : IDisposable
    {
        public void Dispose() => remove();
    }
}

/// <inheritdoc/>
internal sealed class NativeHooks<T, TResult> : NativeHooks
{
    internal override IDisposable Register(ProgramHook hook, torch.nn.Module module)
    {
        var target = (Module<T, TResult>)module;
        if (hook.IsForward)
        {
            return new Remover(target.register_forward_hook((self, input, output) =>
                hook.Forward(self, [input], output) is { } changed ? TypeConversion.To<TResult>(changed) : output).remove);
        }

        return new Remover(target.register_forward_pre_hook((self, input) =>
            hook.Pre(self, [input]) is { } changed ? TypeConversion.To<T>(TypeConversion.Single(changed)) : input).remove);
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
    internal override IDisposable Register(ProgramHook hook, torch.nn.Module module)
    {
        var target = (Module<T1, T2, T3, TResult>)module;
        if (hook.IsForward)
        {
            return new Remover(target.register_forward_hook((self, a, b, c, output) =>
                hook.Forward(self, TypeConversion.WithoutOmitted([a, b, c]), output) is { } changed
                    ? TypeConversion.To<TResult>(changed)
                    : output).remove);
        }

        return new Remover(target.register_forward_pre_hook((self, a, b, c) =>
            hook.Pre(self, TypeConversion.WithoutOmitted([a, b, c])) is { } changed
                ? Convert(TypeConversion.PadToThree(changed, b is null))
                : null).remove);
    }

    internal override IDisposable Register(Action<torch.nn.Module> hook, bool forward, torch.nn.Module module)
    {
        var target = (Module<T1, T2, T3, TResult>)module;
        return new Remover(forward ? target.register_forward_hook(hook).remove : target.register_forward_pre_hook(hook).remove);
    }

    private static (T1, T2, T3) Convert(object?[] args) =>
        (TypeConversion.To<T1>(args[0]), TypeConversion.To<T2>(args[1]), TypeConversion.To<T3>(args[2]));
}

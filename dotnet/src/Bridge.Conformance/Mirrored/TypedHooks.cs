using Bridge.Conformance.Modules;
using Bridge.Torch;
using TorchSharp;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Mirrored;

/// <summary>Registers hooks on a module as delegates with the module's argument and result types.</summary>
internal abstract class TypedHooks
{
    internal static HookRemover Register(IProgramHook hook, torch.nn.Module module, bool pre, bool prepend, bool alwaysCall)
    {
        var types = Signature.Types(module.GetType()) ?? throw new NotSupportedException("The module has no forward.");
        var open = types.Length == 2 ? typeof(TypedHooks<,>) : typeof(TypedHooks<,,,>);
        return ((TypedHooks)Activator.CreateInstance(open.MakeGenericType(types))!).RegisterOn(hook, module, pre, prepend, alwaysCall);
    }

    private protected abstract HookRemover RegisterOn(IProgramHook hook, torch.nn.Module module, bool pre, bool prepend, bool alwaysCall);

    private protected static T As<T>(object? value) => Tuples<T>.Pack(Tuples.Unpack(value));
}

internal sealed class TypedHooks<T, TResult> : TypedHooks
{
    private protected override HookRemover RegisterOn(IProgramHook hook, torch.nn.Module module, bool pre, bool prepend, bool alwaysCall)
    {
        var target = (Module<T, TResult>)module;
        if (!pre)
        {
            return target.register_forward_hook(
                (self, input, output) => hook.Forward(self, [input], output) is { } changed ? As<TResult>(changed) : output,
                prepend,
                alwaysCall);
        }

        return target.register_forward_pre_hook(
            (self, input) => hook.Pre(self, [input]) switch
            {
                null => input,
                [var only] => As<T>(only),
                var many => throw new InvalidCastException(
                    $"{many.Length} arguments were given where C# declares one (F-2: types in .NET are fixed)."),
            },
            prepend);
    }
}

internal sealed class TypedHooks<T1, T2, T3, TResult> : TypedHooks
{
    private protected override HookRemover RegisterOn(IProgramHook hook, torch.nn.Module module, bool pre, bool prepend, bool alwaysCall)
    {
        var target = (Module<T1, T2, T3, TResult>)module;
        if (!pre)
        {
            return target.register_forward_hook(
                (self, a, b, c, output) => hook.Forward(self, Given(a, b, c), output) is { } changed ? As<TResult>(changed) : output,
                prepend,
                alwaysCall);
        }

        return target.register_forward_pre_hook(
            (self, a, b, c) => hook.Pre(self, Given(a, b, c)) switch
            {
                null => null,
                [var first, var second] => (As<T1>(first), As<T2>(second), default!),
                [var first] when b is null => (As<T1>(first), default!, default!),
                [var first, var second, var third] => (As<T1>(first), As<T2>(second), As<T3>(third)),
                var many => throw new InvalidCastException(
                    $"{many.Length} argument{(many.Length == 1 ? " was" : "s were")} given where C# declares one to three"
                    + $"{(b is null ? "" : ", and the call has at least two")} (F-2: types in .NET are fixed)."),
            },
            prepend);
    }

    // Trailing nulls stand for arguments that the caller left out.
    private static object?[] Given(T1 a, T2 b, T3 c) => c is not null ? [a, b, c] : b is not null ? [a, b] : [a];
}

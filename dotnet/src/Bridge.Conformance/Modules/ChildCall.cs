using TorchSharp;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>Calls a module with one or three parameters, of any types, by <c>call</c> or by <c>forward</c>.</summary>
internal abstract class ChildCall
{
    /// <summary>Calls the module. If it has three parameters, arguments left out at the end are passed as <c>default</c>.</summary>
    /// <exception cref="InvalidCastException">The number of arguments, or the type of an argument, does not fit.</exception>
    internal abstract object? Invoke(params object?[] args);

    /// <summary>Creates the call of a module; returns null if the module has no <c>forward</c> with one or three parameters.</summary>
    internal static ChildCall? Create(torch.nn.Module module, bool byForward)
    {
        var types = Signature.Types(module.GetType());
        if (types is null) return null;
        var open = types.Length == 2 ? typeof(ChildCall<,>) : typeof(ChildCall<,,,>);
        return (ChildCall)Activator.CreateInstance(open.MakeGenericType(types), module, byForward)!;
    }

    private protected static InvalidCastException WrongCount(object?[] args, string declared) =>
        new($"{args.Length} argument{(args.Length == 1 ? " was" : "s were")} given where C# declares {declared} "
            + "(F-2: types in .NET are fixed).");

    private protected static T As<T>(object?[] args, int at) => at < args.Length ? args[at] switch
    {
        T fit => fit,
        null when default(T) is null => default!,
        var other => throw new InvalidCastException(
            $"{other?.GetType().Name ?? "None"} was given where C# declares {typeof(T).Name} (F-2: types in .NET are fixed)."),
    } : default!;
}

internal sealed class ChildCall<T, TResult>(Module<T, TResult> module, bool byForward) : ChildCall
{
    internal override object? Invoke(params object?[] args)
    {
        if (args.Length != 1) throw WrongCount(args, "one");
        return byForward ? module.forward(As<T>(args, 0)) : module.call(As<T>(args, 0));
    }
}

internal sealed class ChildCall<T1, T2, T3, TResult>(Module<T1, T2, T3, TResult> module, bool byForward) : ChildCall
{
    internal override object? Invoke(params object?[] args)
    {
        if (args.Length > 3) throw WrongCount(args, "three");
        var (first, second, third) = (As<T1>(args, 0), As<T2>(args, 1), As<T3>(args, 2));
        return byForward ? module.forward(first, second, third) : module.call(first, second, third);
    }
}

using TorchSharp;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Modules;

/// <summary>A child as its parent runs it, by call or by <c>forward</c>, whatever its types.</summary>
internal abstract class Child
{
    /// <summary>Runs it.</summary>
    /// <exception cref="InvalidCastException">The arguments are not what it declares.</exception>
    internal abstract object? Run(params object?[] args);

    /// <summary>A child of a parent that runs its children in that way; null for a module that cannot be called.</summary>
    internal static Child? Of(torch.nn.Module module, bool byForward)
    {
        var types = Signature.Arguments(module.GetType());
        if (types is null) return null;
        var open = types.Length == 2 ? typeof(Child<,>) : typeof(Child<,,,>);
        return (Child)Activator.CreateInstance(open.MakeGenericType(types), module, byForward)!;
    }

    private protected static T As<T>(object?[] args, int at) => at < args.Length ? args[at] switch
    {
        T fit => fit,
        null when default(T) is null => default!,
        var other => throw new InvalidCastException($"{other?.GetType().Name ?? "None"} was given where C# declares {typeof(T).Name} (F-2: types in .NET are fixed)."),
    } : default!;
}

internal sealed class Child<T, TResult>(Module<T, TResult> module, bool byForward) : Child
{
    internal override object? Run(params object?[] args)
    {
        if (args.Length != 1) throw new InvalidCastException($"{args.Length} arguments were given where C# declares one (F-2: types in .NET are fixed).");
        return byForward ? module.forward(As<T>(args, 0)) : module.call(As<T>(args, 0));
    }
}

internal sealed class Child<T1, T2, T3, TResult>(Module<T1, T2, T3, TResult> module, bool byForward) : Child
{
    internal override object? Run(params object?[] args)
    {
        if (args.Length > 3) throw new InvalidCastException($"{args.Length} arguments were given where C# declares three (F-2: types in .NET are fixed).");
        var (first, second, third) = (As<T1>(args, 0), As<T2>(args, 1), As<T3>(args, 2));
        return byForward ? module.forward(first, second, third) : module.call(first, second, third);
    }
}

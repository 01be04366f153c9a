using TorchSharp;

namespace Bridge.Torch;

/// <summary>A C# module that calls a Python module, for C# code that knows only the argument and result types.</summary>
internal sealed class PythonModuleProxy<T, TResult>() : torch.nn.Module<T, TResult>("")
{
    public override TResult forward(T input) => PythonModuleProxies.Forward<TResult>(this, input);
}

internal sealed class PythonModuleProxy<T1, T2, TResult>() : torch.nn.Module<T1, T2, TResult>("")
{
    public override TResult forward(T1 input1, T2 input2) => PythonModuleProxies.Forward<TResult>(this, input1, input2);
}

internal sealed class PythonModuleProxy<T1, T2, T3, TResult>() : torch.nn.Module<T1, T2, T3, TResult>("")
{
    public override TResult forward(T1 input1, T2 input2, T3 input3) => PythonModuleProxies.Forward<TResult>(this, input1, input2, input3);
}

internal sealed class PythonModuleProxy<T1, T2, T3, T4, TResult>() : torch.nn.Module<T1, T2, T3, T4, TResult>("")
{
    public override TResult forward(T1 input1, T2 input2, T3 input3, T4 input4) =>
        PythonModuleProxies.Forward<TResult>(this, input1, input2, input3, input4);
}

internal sealed class PythonModuleProxy<T1, T2, T3, T4, T5, TResult>() : torch.nn.Module<T1, T2, T3, T4, T5, TResult>("")
{
    public override TResult forward(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5) =>
        PythonModuleProxies.Forward<TResult>(this, input1, input2, input3, input4, input5);
}

internal sealed class PythonModuleProxy<T1, T2, T3, T4, T5, T6, TResult>() : torch.nn.Module<T1, T2, T3, T4, T5, T6, TResult>("")
{
    public override TResult forward(T1 input1, T2 input2, T3 input3, T4 input4, T5 input5, T6 input6) =>
        PythonModuleProxies.Forward<TResult>(this, input1, input2, input3, input4, input5, input6);
}

/// <summary>
/// A factory of C# proxies of Python modules. A proxy is an entry of a C# collection (such as a Sequential), or the module argument of a
/// typed hook on a module that Python has copied.
/// </summary>
internal static class PythonModuleProxies
{
    private static readonly Type[] Arities =
        [typeof(PythonModuleProxy<,>), typeof(PythonModuleProxy<,,>), typeof(PythonModuleProxy<,,,>), typeof(PythonModuleProxy<,,,,>),
            typeof(PythonModuleProxy<,,,,,>), typeof(PythonModuleProxy<,,,,,,>)];

    private static readonly Type[] Modules =
    [
        typeof(torch.nn.Module<,>), typeof(torch.nn.Module<,,>), typeof(torch.nn.Module<,,,>), typeof(torch.nn.Module<,,,,>),
        typeof(torch.nn.Module<,,,,,>), typeof(torch.nn.Module<,,,,,,>),
    ];

    /// <summary>Creates a C# proxy of a Python module.</summary>
    /// <param name="chosen">The class of the proxy.</param>
    /// <param name="type">The name of the Python module's class.</param>
    /// <param name="tensors">See <see cref="torch.nn.Module.InitializeProxy"/>.</param>
    internal static torch.nn.Module Create(Type chosen, string type, IEnumerable<(string, bool, bool)> tensors)
    {
        var proxy = Empty(chosen);
        proxy.InitializeProxy(type, tensors);
        return proxy;
    }

    /// <summary>Returns the class of a proxy for an entry of a collection.</summary>
    /// <param name="collection">The collection.</param>
    /// <param name="type">The name of the Python module's class.</param>
    /// <param name="classes">Names of TorchSharp classes of which the proxy could be an instance, the most derived first.</param>
    /// <exception cref="InvalidOperationException">No proxy class fits the collection.</exception>
    internal static Type ForEntry(torch.nn.Module collection, string type, IEnumerable<string> classes)
    {
        var wanted = collection.EntryType!;
        return Choose(wanted, classes) ?? collection.KnownChildren.Select(item => item.Module.GetType())
            .FirstOrDefault(found => found.IsAssignableTo(wanted))
            ?? throw new InvalidOperationException(
                $"C# has no proxy class for the {type} in its {collection.GetName()}: {wanted.Name} is abstract, and the collection has no "
                    + "C# module whose class could be used.");
    }

    /// <summary>Returns the class of a proxy to pass as the module to a typed hook.</summary>
    /// <param name="hook">The hook.</param>
    /// <param name="classes">As for <see cref="ForEntry"/>.</param>
    internal static Type ForHook(RegisteredHook hook, IEnumerable<string> classes)
    {
        var wanted = hook.ModuleType!;
        while (!IsModule(wanted)) wanted = wanted.BaseType!;
        return Choose(wanted, classes)!;
    }

    internal static TResult Forward<TResult>(torch.nn.Module module, params object?[] arguments) =>
        Tuples<TResult>.Pack(module.Link!.Forward(Array.ConvertAll(arguments, Tuples.Unpack)));

    private static bool IsModule(Type type) => type.IsGenericType && Array.IndexOf(Modules, type.GetGenericTypeDefinition()) >= 0;

    private static Type? Choose(Type wanted, IEnumerable<string> classes)
    {
        foreach (var name in classes)
            if (typeof(torch).Assembly.GetType($"TorchSharp.Modules.{name}") is { IsAbstract: false, IsGenericTypeDefinition: false } known
                && known.IsAssignableTo(wanted))
                return known;
        if (wanted == typeof(torch.nn.Module)) return typeof(PythonModuleProxy<torch.Tensor, torch.Tensor>);
        if (IsModule(wanted))
            return Arities[Array.IndexOf(Modules, wanted.GetGenericTypeDefinition())].MakeGenericType(wanted.GetGenericArguments());
        return wanted.IsAbstract ? null : wanted;
    }

    // Runs constructors of collections only, without entries: other constructors would draw weights or run the user's code.
    private static torch.nn.Module Empty(Type type)
    {
        if (type == typeof(TorchSharp.Modules.Sequential)) return torch.nn.Sequential();
        if (type == typeof(TorchSharp.Modules.ParameterList)) return torch.nn.ParameterList();
        if (type == typeof(TorchSharp.Modules.ParameterDict)) return torch.nn.ParameterDict();
        var open = type.IsGenericType ? type.GetGenericTypeDefinition() : null;
        if (open == typeof(TorchSharp.Modules.ModuleList<>))
            return (torch.nn.Module)Activator.CreateInstance(type, [Array.CreateInstance(type.GetGenericArguments()[0], 0)])!;
        if (open == typeof(TorchSharp.Modules.ModuleDict<>)) return (torch.nn.Module)Activator.CreateInstance(type)!;
        return (torch.nn.Module)System.Runtime.CompilerServices.RuntimeHelpers.GetUninitializedObject(type);
    }
}

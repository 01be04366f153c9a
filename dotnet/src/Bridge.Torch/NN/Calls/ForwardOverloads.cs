using System.Reflection;

namespace Bridge.Torch;

/// <summary>
/// The overloads of <c>forward</c> in a module class. Two kinds of classes have overloads. A class of the first kind derives from the
/// non-generic <c>torch.nn.Module</c>, which declares no <c>forward</c>. A class of the second kind adds overloads to the <c>forward</c> of
/// <c>Module&lt;T, TResult&gt;</c>.
/// </summary>
/// <remarks>
/// For a class of the first kind, the overloads are its public methods named <c>forward</c>, or else its internal methods of this name. If
/// the class has neither, methods named <c>call</c> are searched in the same way, and then methods named <c>Forward</c>. C# code calls
/// such a method directly, which runs no hooks. Classes of both kinds can derive from the Module of Bridge.Torch or that of TorchSharp
/// itself.
/// </remarks>
internal sealed class ForwardOverloads
{
    private static readonly string[] Names = ["forward", "call", "Forward"];

    private static readonly TypeCache<ForwardOverloads?> Known =
        new(static type => Names.Select(name => Find(type, name)).FirstOrDefault(found => found is not null));

    private static readonly TypeCache<ForwardOverloads?> KnownAdded = new(FindAdded);

    private readonly MethodInfo[] _methods;

    // The overload that `call` runs; null for a class that has no `call`.
    private readonly MethodInfo? _called;

    private ForwardOverloads(IEnumerable<MethodInfo> methods, Type[]? called = null)
    {
        _methods = [.. methods.OrderBy(method => method.GetParameters().Length)];
        _called = called is null ? null : Array.Find(_methods, method => method.Name == "forward" && IsOf(method, called));
        Lists = [.. _methods.Select(method => method.GetParameters().Select(ForwardParameter.Of).ToArray())];
        var shortest = Lists[0].TakeWhile(parameter => !parameter.HasDefault).Count();
        Parameters = Lists[^1].Select((parameter, i) =>
            i < shortest || parameter.HasDefault ? parameter : parameter with { HasDefault = true }).ToArray();
    }

    /// <summary>Gets the overloads, those with the fewest parameters first.</summary>
    internal IReadOnlyList<MethodInfo> Methods => _methods;

    /// <summary>Gets the parameters of each overload, the shortest list first.</summary>
    internal IReadOnlyList<ForwardParameter[]> Lists { get; }

    /// <summary>Gets the parameters of the longest overload. A parameter that the shortest overload lacks can be omitted.</summary>
    internal IReadOnlyList<ForwardParameter> Parameters { get; }

    /// <summary>Returns the <c>forward</c> of a class that derives from the non-generic Module; null if it has none.</summary>
    internal static ForwardOverloads? Of(Type module) => Known[module];

    /// <summary>
    /// Returns the overloads of <c>forward</c> of a class that derives from <c>Module&lt;T, TResult&gt;</c>, and the overloads of
    /// <c>call</c> that the class adds; null if the class adds no overload.
    /// </summary>
    internal static ForwardOverloads? Added(Type module) => KnownAdded[module];

    /// <summary>Returns whether the arguments fit the overload that <c>call</c> runs. If they do, that overload is to be run.</summary>
    internal bool FitsCall(object?[] given, DictOfValues? named = null) =>
        _called is not null && ArgumentBinder.Fits(_called, given, named ?? DictOfValues.Empty);

    /// <summary>Calls the overload that C# would choose. Arguments and result are plain values (see <see cref="Tuples"/>).</summary>
    /// <exception cref="InvalidCastException">The arguments fit no overload, or several equally well.</exception>
    internal object? Invoke(object module, object?[] given, DictOfValues? named = null)
    {
        var (method, values) = Bind(_methods, module, given, named ?? DictOfValues.Empty);
        return Tuples.Unpack(method.Invoke(module, BindingFlags.DoNotWrapExceptions, null, values, null));
    }

    /// <summary>Returns the overload that C# would choose, with a value for each of its parameters.</summary>
    /// <exception cref="InvalidCastException">The arguments fit no overload, or several equally well.</exception>
    internal static (MethodInfo Method, object?[] Values) Bind(MethodInfo[] methods, object module, object?[] given, DictOfValues named)
    {
        try
        {
            return ArgumentBinder.Bind(methods, $"{CSharpTypeName.Of(module.GetType())}.{methods[0].Name}", given, named);
        }
        catch (ArgumentException exception)
        {
            throw new InvalidCastException($"{exception.Message.TrimEnd('.')} (F-2: types in .NET are fixed).");
        }
    }

    /// <summary>Returns whether a class for which <see cref="Of"/> returns null has a private or protected <c>forward</c>.</summary>
    internal static bool IsHidden(Type module) =>
        Of(module) is null && module.GetMethods(BindingFlags.Instance | BindingFlags.NonPublic)
            .Any(method => method.Name == "forward" && method.DeclaringType!.Assembly != Library(module));

    private static ForwardOverloads? Find(Type type, string name)
    {
        var methods = FindAccessible(type, name, BindingFlags.Public);
        if (methods.Length == 0) methods = FindAccessible(type, name, BindingFlags.NonPublic);
        return methods.Length == 0 ? null : new(methods);
    }

    private static ForwardOverloads? FindAdded(Type type)
    {
        var generic = type;
        while (generic is not null && !(generic.IsGenericType && generic.Name.StartsWith("Module`", StringComparison.Ordinal)))
            generic = generic.BaseType;
        if (generic is null || type.Assembly == Library(type)) return null;
        Type[] types = generic.GetGenericArguments()[..^1];
        // Some classes add overloads to `call` instead.
        MethodInfo[] all = [.. FindAccessible(type, "forward", BindingFlags.Public),
            .. FindAccessible(type, "forward", BindingFlags.NonPublic),
            .. FindAccessible(type, "call", BindingFlags.Public).Where(method => !IsOf(method, types))];
        return Array.Exists(all, method => !IsOf(method, types)) ? new(all, types) : null;
    }

    private static bool IsOf(MethodInfo method, Type[] types) =>
        method.GetParameters().Select(parameter => parameter.ParameterType).SequenceEqual(types);

    private static MethodInfo[] FindAccessible(Type type, string name, BindingFlags access) =>
        type.GetMethods(BindingFlags.Instance | access).Where(MemberNames.IsAccessible)
            .Where(method => method.Name == name && method.DeclaringType!.Assembly != Library(type) && !method.ContainsGenericParameters)
            .Where(method => method.GetParameters()
                .All(parameter => !parameter.ParameterType.IsByRef && !parameter.ParameterType.IsByRefLike
                && !parameter.ParameterType.IsPointer))
            // Drops base methods that are hidden by a method of the same parameters, which comes first.
            .GroupBy(method => string.Join(',', method.GetParameters().Select(parameter => parameter.ParameterType)))
                .Select(group => group.First()).ToArray();

    /// <summary>Returns the assembly of the class's base class <c>torch.nn.Module</c>.</summary>
    private static Assembly? Library(Type module)
    {
        for (var type = module; type is not null; type = type.BaseType)
            if (type.FullName == "TorchSharp.torch+nn+Module") return type.Assembly;
        return null;
    }
}

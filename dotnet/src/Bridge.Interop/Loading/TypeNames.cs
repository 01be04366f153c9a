using System.Reflection;

namespace Bridge.Interop;

/// <summary>Finds classes, and static methods that return a module, by the names that users write.</summary>
internal static class TypeNames
{
    private const int MaxListed = 20;

    /// <summary>
    /// Returns the names that a type may have in reflection, given its name in C#: the name itself, then the name with its last dot, its
    /// last two dots, … replaced by plus signs. C# writes a dot before a nested type, reflection a plus sign.
    /// </summary>
    internal static IEnumerable<string> ReflectionNames(string name)
    {
        yield return name;
        for (var dot = name.LastIndexOf('.'); dot > 0; dot = name.LastIndexOf('.', dot - 1))
        {
            name = $"{name[..dot]}+{name[(dot + 1)..]}";
            yield return name;
        }
    }

    /// <summary>Returns the class with this full name; null if there is none.</summary>
    internal static Type? Find(Assembly assembly, string name) =>
        ReflectionNames(name).Select(other => assembly.GetType(other)).FirstOrDefault(found => found is not null);

    /// <summary>
    /// Returns the static methods with this full name (<c>Namespace.Type.Method</c>) that return a module; empty if a class has the name.
    /// </summary>
    internal static MethodInfo[] Factories(Assembly assembly, string name, Type module)
    {
        var dot = name.LastIndexOf('.');
        if (dot <= 0 || Find(assembly, name) is not null) return [];
        const BindingFlags any = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
        return [.. Find(assembly, name[..dot])?.GetMethods(any)
            .Where(method => method.Name == name[(dot + 1)..] && module.IsAssignableFrom(method.ReturnType)) ?? []];
    }

    /// <summary>
    /// Returns the end of an error message: similar names, the assembly's module types, and its static methods that return a module.
    /// </summary>
    internal static string Alternatives(Assembly assembly, string name, Type module)
    {
        var types = Types(assembly).ToArray();
        var names = types.Where(type => module.IsAssignableFrom(type) && !type.IsAbstract).Select(CSharpName).ToArray();
        var methods = types.Where(type => type.IsVisible && !type.IsGenericTypeDefinition)
            .SelectMany(type => Factories(type, module)).Distinct().ToArray();
        if (names.Length == 0 && methods.Length == 0)
        {
            var uses = assembly.GetReferencedAssemblies().Any(reference => reference.Name is "TorchSharp" or "Bridge.Torch");
            const string none = " The assembly has no module types";
            return uses ? $"{none}." : $"{none}: it refers neither to TorchSharp nor to Bridge.Torch.";
        }

        return NearNames.Suggest(name, [.. names, .. methods])
            + List("Module types of the assembly", names) + List("Static methods of the assembly that return a module", methods);
    }

    /// <summary>Returns the types of an assembly, except those that cannot be loaded.</summary>
    internal static IEnumerable<Type> Types(Assembly assembly)
    {
        try
        {
            return assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException exception)
        {
            return exception.Types.OfType<Type>();
        }
    }

    private static IEnumerable<string> Factories(Type type, Type module)
    {
        try
        {
            return type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.DeclaredOnly)
                .Where(method => !method.IsGenericMethodDefinition && !method.IsSpecialName && module.IsAssignableFrom(method.ReturnType))
                .Select(method => $"{CSharpName(type)}.{method.Name}").ToArray();
        }
        catch (Exception exception) when (exception is IOException or TypeLoadException)
        {
            return []; // A dependency is missing.
        }
    }

    private static string CSharpName(Type type) => type.FullName!.Replace('+', '.');

    private static string List(string what, string[] names)
    {
        if (names.Length == 0) return "";
        var more = names.Length > MaxListed ? $" and {names.Length - MaxListed} more" : "";
        return $" {what}: {string.Join(", ", names.Take(MaxListed))}{more}.";
    }
}

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
            .Where(method => method.Name == name[(dot + 1)..] && Returns(method, module)) ?? []];
    }

    /// <summary>
    /// Returns the end of an error message: similar names, the assembly's module types, and its public static methods that return a
    /// module; or that there are no such types and methods. For the name of a generic module type, says only that the type is generic.
    /// </summary>
    internal static string Alternatives(Assembly assembly, string name, Type module)
    {
        var types = Types(assembly).Where(type => !type.Name.Contains('<', StringComparison.Ordinal)).ToArray();
        var modules = types.Where(module.IsAssignableFrom).ToArray();
        var plain = name.Split('<')[0].Replace('+', '.');
        if (modules.FirstOrDefault(type => type.IsGenericTypeDefinition && FullName(type) == plain) is { } generic)
            return $" {CSharpName(generic)} {Obstacle(generic)}";
        var names = modules.Where(type => Obstacle(type) is null).Select(CSharpName).ToArray();
        var factories = types.Where(type => !type.IsGenericTypeDefinition)
            .SelectMany(type => Factories(type, module).Select(method => (method, Name: $"{CSharpName(type)}.{method.Name}"))).ToArray();
        var methods = factories.Where(item => item.method.IsPublic && item.method.DeclaringType!.IsVisible)
            .Select(item => item.Name).Distinct().ToArray();
        if (names.Length == 0 && methods.Length == 0)
        {
            var uses = assembly.GetReferencedAssemblies().Any(reference => reference.Name is "TorchSharp" or "Bridge.Torch");
            const string none = " The assembly has no module types";
            return uses ? $"{none}." : $"{none}: it refers neither to TorchSharp nor to Bridge.Torch.";
        }

        return NearNames.Suggest(name, [.. names, .. factories.Select(item => item.Name)])
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

    /// <summary>Returns the full name of a type as C# writes it, with the names of type parameters.</summary>
    internal static string CSharpName(Type type)
    {
        var parameters = string.Join(", ", type.GetGenericArguments().Select(argument => argument.Name));
        return FullName(type) + (parameters.Length > 0 ? $"<{parameters}>" : "");
    }

    /// <summary>Returns why no object of a type can be created; null if the type is neither generic nor abstract.</summary>
    internal static string? Obstacle(Type type) =>
        type.IsGenericTypeDefinition ? "is generic and cannot be created: name a class that derives from it, or a static method."
        : type.IsAbstract ? "is abstract and cannot be created." : null;

    private static string FullName(Type type) =>
        string.Join('.', type.FullName!.Split('+').Select(part => part.Split('`')[0]));

    private static IEnumerable<MethodInfo> Factories(Type type, Type module)
    {
        const BindingFlags all = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
        return type.GetMethods(all).Where(method => !method.IsGenericMethodDefinition && !method.IsSpecialName && Returns(method, module)
            && !method.Name.Contains('<', StringComparison.Ordinal) && (method.IsPublic || method.IsAssembly || method.IsFamilyOrAssembly));
    }

    // The return type, or an assembly that it needs, may be missing.
    private static bool Returns(MethodInfo method, Type module)
    {
        try
        {
            return module.IsAssignableFrom(method.ReturnType);
        }
        catch (Exception exception) when (exception is IOException or TypeLoadException)
        {
            return false;
        }
    }

    private static string List(string what, string[] names)
    {
        if (names.Length == 0) return "";
        var more = names.Length > MaxListed ? $" and {names.Length - MaxListed} more" : "";
        return $" {what}: {string.Join(", ", names.Take(MaxListed))}{more}.";
    }
}

using System.Reflection;

namespace Bridge.Interop;

/// <summary>Finds classes, and static methods that give a module, by the names that users write.</summary>
internal static class TypeNames
{
    /// <summary>How many names are listed.</summary>
    private const int Listed = 20;

    /// <summary>A name as reflection may have it: as it is, and with a plus for each dot, from the right on, since C# writes a dot before nested types.</summary>
    internal static IEnumerable<string> Spellings(string name)
    {
        yield return name;
        for (var dot = name.LastIndexOf('.'); dot > 0; dot = name.LastIndexOf('.', dot - 1))
        {
            name = $"{name[..dot]}+{name[(dot + 1)..]}";
            yield return name;
        }
    }

    /// <summary>A class by its full name; null where there is none.</summary>
    internal static Type? Find(Assembly assembly, string name) => Spellings(name).Select(spelling => assembly.GetType(spelling)).FirstOrDefault(found => found is not null);

    /// <summary>The static methods of a name, <c>Namespace.Type.Method</c>, that give a module, of any access; none where a class has that name.</summary>
    internal static MethodInfo[] Factories(Assembly assembly, string name, Type module)
    {
        var dot = name.LastIndexOf('.');
        if (dot <= 0 || Find(assembly, name) is not null) return [];
        const BindingFlags any = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
        return [.. Find(assembly, name[..dot])?.GetMethods(any).Where(method => method.Name == name[(dot + 1)..] && module.IsAssignableFrom(method.ReturnType)) ?? []];
    }

    /// <summary>What to load instead of a name that there is none of: near names, all module types, all static methods that give one.</summary>
    internal static string Others(Assembly assembly, string name, Type module)
    {
        var types = Types(assembly).ToArray();
        var names = types.Where(type => module.IsAssignableFrom(type) && !type.IsAbstract).Select(Written).ToArray();
        var methods = types.Where(type => type.IsVisible && !type.IsGenericTypeDefinition).SelectMany(type => Factories(type, module)).Distinct().ToArray();
        if (names.Length == 0 && methods.Length == 0)
        {
            var uses = assembly.GetReferencedAssemblies().Any(reference => reference.Name is "TorchSharp" or "Bridge.Torch");
            return uses ? " It has no module types." : " It has no module types: it refers neither to TorchSharp nor to Bridge.Torch.";
        }

        return NearNames.Suggest(name, [.. names, .. methods]) + List("module types", names) + List("static methods that give one", methods);
    }

    /// <summary>The types of an assembly that can be loaded.</summary>
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
                .Where(method => !method.IsGenericMethodDefinition && !method.IsSpecialName && module.IsAssignableFrom(method.ReturnType)).Select(method => $"{Written(type)}.{method.Name}").ToArray();
        }
        catch (Exception exception) when (exception is IOException or TypeLoadException)
        {
            return []; // what they need is not there
        }
    }

    private static string Written(Type type) => type.FullName!.Replace('+', '.');

    private static string List(string what, string[] names)
    {
        if (names.Length == 0) return "";
        var more = names.Length > Listed ? $" and {names.Length - Listed} more" : "";
        return $" Its {what}: {string.Join(", ", names.Take(Listed))}{more}.";
    }
}

using System.Reflection;

namespace Bridge.Interop.Surface;

/// <summary>A class of an assembly, or all overloads of a static method that returns a module.</summary>
internal sealed class ListedModel
{
    private ListedModel(string name, CheckedType? type, bool isModule, CheckedMethod[] methods)
    {
        (Name, Type, IsModule, Methods) = (name, type, isModule, methods);
    }

    /// <summary>The full name, as C# writes it.</summary>
    internal string Name { get; }

    /// <summary>The class; null for a static method.</summary>
    internal CheckedType? Type { get; }

    /// <summary>True for a module class and for a static method; false for a class that is not a module.</summary>
    internal bool IsModule { get; }

    /// <summary>The public and internal constructors of the class, or the overloads of the method.</summary>
    internal CheckedMethod[] Methods { get; }

    /// <summary>Why the module class cannot be created; empty if it can, and for a static method or a class that is not a module.</summary>
    internal string Obstacle
    {
        get
        {
            if (!IsModule || Type is not { } type) return "";
            if (type.Definition.GetGenericParameters().Count > 0)
                return "is generic: name a class that derives from it with type arguments, or a static method that returns one";
            if (type.Definition.Attributes.HasFlag(TypeAttributes.Abstract))
                return "is abstract: name a class that derives from it, or a static method that returns one";
            return Methods.Length == 0 ? "has no public or internal constructor: name a static method that returns one" : "";
        }
    }

    /// <summary>
    /// Returns an assembly's classes, and its non-generic accessible static methods that return a module, sorted by name.
    /// </summary>
    internal static List<ListedModel> All(CheckedAssembly assembly)
    {
        List<ListedModel> found = [];
        foreach (var type in assembly.Types)
        {
            if (type.Definition.Attributes.HasFlag(TypeAttributes.Interface)) continue;
            List<CheckedMethod> constructors = [];
            Dictionary<string, List<CheckedMethod>> factories = [];
            foreach (var method in type.Methods)
            {
                if (method is { IsConstructor: true, IsAccessible: true }) constructors.Add(method);
                else if (IsFactory(assembly, method))
                {
                    if (!factories.TryGetValue(method.Name, out var overloads)) factories[method.Name] = overloads = [];
                    overloads.Add(method);
                }
            }

            found.Add(new(TypeName(type), type, assembly.IsModule(type), constructors.ToArray()));
            foreach (var (name, overloads) in factories)
                found.Add(new($"{CSharpText.Class(type.Name)}.{name}", null, isModule: true, overloads.ToArray()));
        }

        found.Sort((a, b) => string.CompareOrdinal(a.Name, b.Name));
        return found;
    }

    private static string TypeName(CheckedType type)
    {
        var arguments = CSharpSignature.Names(type.Assembly.Reader, type.Definition.GetGenericParameters());
        var space = type.Name.Split('/')[0].LastIndexOf('.') is > 0 and var dot ? type.Name[..(dot + 1)] : "";
        return space + Torch.CSharpTypeName.Named(type.Name, arguments);
    }

    private static bool IsFactory(CheckedAssembly assembly, CheckedMethod method)
    {
        if (!method.IsStatic || !method.IsAccessible || method.Definition.Attributes.HasFlag(MethodAttributes.SpecialName)) return false;
        if (method.Name.Contains('<', StringComparison.Ordinal) || method.Type.Definition.GetGenericParameters().Count > 0) return false;
        if (method.Definition.GetGenericParameters().Count > 0) return false;
        var returned = method.Definition.DecodeSignature(SignatureText.Instance, null).ReturnType;
        var name = GenericParts.Split(returned).Type;
        return assembly.FindReferenced(name) is { } own ? assembly.IsModule(own)
            : name.StartsWith("TorchSharp.", StringComparison.Ordinal) && BridgeTorchSurface.Instance.IsModule(name);
    }
}

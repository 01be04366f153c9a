namespace Bridge.TorchSharp.Analyzers;

/// <summary>Recognizes TorchSharp's symbols by their full names, because two assemblies of a program can declare them.</summary>
internal static class TorchSymbols
{
    /// <summary>Returns whether the compilation knows TorchSharp's modules.</summary>
    internal static bool AreIn(Compilation compilation) => !compilation.GetTypesByMetadataName("TorchSharp.torch+nn+Module").IsEmpty;

    /// <summary>Returns whether a value of the type is a <c>torch.nn.Module</c>.</summary>
    internal static bool IsModule(ITypeSymbol? type) => Derives(type, IsModuleItself);

    /// <summary>Returns whether a value of the type is a module, or an <c>IModule</c>, which only modules implement.</summary>
    internal static bool IsModuleOrInterface(ITypeSymbol? type) =>
        IsModule(type) || (type is INamedTypeSymbol { Name: "IModule", TypeKind: TypeKind.Interface } named && IsIn(named, "nn", "torch"));

    /// <summary>Returns whether a value of the type is a parameter.</summary>
    internal static bool IsParameter(ITypeSymbol? type) => Derives(type, named => IsOfModules(named, "Parameter"));

    /// <summary>Returns whether the type is that of tensors.</summary>
    internal static bool IsTensor(ITypeSymbol? type) => type is INamedTypeSymbol { Name: "Tensor" } named && IsIn(named, "torch");

    /// <summary>Returns whether a value of the type is a <c>Sequential</c> of modules with one tensor.</summary>
    internal static bool IsSequential(ITypeSymbol? type) => Derives(type, named => named.Arity == 0 && IsOfModules(named, "Sequential"));

    /// <summary>Returns whether the type is one of TorchSharp's lists or dictionaries of modules or parameters.</summary>
    internal static bool IsContainer(ITypeSymbol? type) => Derives(
        type,
        named => named.Name is "ModuleList" or "ModuleDict" or "ParameterList" or "ParameterDict" && IsOfModules(named, named.Name));

    /// <summary>Returns whether the type is one of the abstract <c>torch.nn.Module</c>s.</summary>
    internal static bool IsModuleItself(INamedTypeSymbol type) => type.Name is "Module" or "HookableModule" && IsIn(type, "nn", "torch");

    /// <summary>Returns whether the type has a <c>call</c> that runs hooks.</summary>
    internal static bool HasHooks(ITypeSymbol? type) => Derives(type, IsHooked);

    /// <summary>Returns the <c>forward</c> that <c>call</c> runs between the hooks, if the method is or overrides it.</summary>
    internal static IMethodSymbol? Hooked(IMethodSymbol method)
    {
        if (method.Name != "forward" || method.IsStatic)
        {
            return null;
        }
        while (method.OverriddenMethod is { } overridden)
        {
            method = overridden;
        }
        return IsHooked(method.ContainingType) ? method : null;
    }

    /// <summary>
    /// Returns the <c>forward</c> that <c>call</c> runs, if each <c>forward</c> of the type that can have that many arguments is it.
    /// </summary>
    internal static IMethodSymbol? OnlyHooked(ITypeSymbol? type, int arguments)
    {
        IMethodSymbol? found = null;
        foreach (var method in Methods(type, "forward").Where(method => Accepts(method, arguments)))
        {
            if (Hooked(method) is not { } hooked || hooked.Parameters.Length != arguments)
            {
                return null;
            }
            found = hooked;
        }
        return found;
    }

    /// <summary>Returns whether the method adds a hook to a module.</summary>
    internal static bool AddsHook(IMethodSymbol method) =>
        method.Name is "register_forward_hook" or "register_forward_pre_hook"
        && method.ContainingType.Name is "HookableModule" or "HookableScriptModule";

    /// <summary>Returns whether the method registers what it is given as a part of its module.</summary>
    internal static bool RegistersPart(IMethodSymbol method) =>
        method.Name is "register_module" or "add_module" or "register_parameter" or "register_buffer" && IsModule(method.ContainingType);

    private static IEnumerable<IMethodSymbol> Methods(ITypeSymbol? type, string name)
    {
        for (var at = type; at is not null; at = at.BaseType)
        {
            foreach (var method in at.GetMembers(name).OfType<IMethodSymbol>())
            {
                yield return method;
            }
        }
    }

    private static bool Accepts(IMethodSymbol method, int arguments) =>
        method.Parameters.Count(parameter => !parameter.IsOptional && !parameter.IsParams) <= arguments
        && (method.Parameters.Length >= arguments || method.Parameters.Any(parameter => parameter.IsParams));

    private static bool IsHooked(INamedTypeSymbol type) => type.Name switch
    {
        "Module" => type.Arity >= 2 && IsIn(type, "nn", "torch"),
        "ScriptModule" => type.Arity >= 2 && IsIn(type, "jit", "torch"), // the others have no hooks
        _ => false,
    };

    private static bool IsOfModules(INamedTypeSymbol type, string name) =>
        type.Name == name && type.ContainingType is null && IsNamespace(type.ContainingNamespace, "Modules", "TorchSharp");

    private static bool IsIn(INamedTypeSymbol type, params string[] outer)
    {
        foreach (var name in outer)
        {
            if (type.ContainingType?.Name != name)
            {
                return false;
            }
            type = type.ContainingType;
        }
        return type.ContainingType is null && IsNamespace(type.ContainingNamespace, "TorchSharp");
    }

    private static bool IsNamespace(INamespaceSymbol space, params string[] names)
    {
        foreach (var name in names)
        {
            if (space.IsGlobalNamespace || space.Name != name)
            {
                return false;
            }
            space = space.ContainingNamespace;
        }
        return space.IsGlobalNamespace;
    }

    private static bool Derives(ITypeSymbol? type, System.Func<INamedTypeSymbol, bool> matches)
    {
        if (type is ITypeParameterSymbol parameter)
        {
            return parameter.ConstraintTypes.Any(constraint => Derives(constraint, matches));
        }
        for (var at = type as INamedTypeSymbol; at is not null; at = at.BaseType)
        {
            if (matches(at))
            {
                return true;
            }
        }
        return false;
    }
}

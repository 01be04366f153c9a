using System.Reflection.Metadata;

namespace Bridge.Interop.Surface;

/// <summary>A type of a checked assembly.</summary>
internal sealed class CheckedType
{
    private CheckedMethod[]? _methods;
    private CheckedType?[]? _interfaces;
    private CheckedType? _base;
    private Uses? _uses;

    internal CheckedType(CheckedAssembly assembly, TypeDefinitionHandle handle, string name)
    {
        Assembly = assembly;
        Name = name;
        Definition = assembly.Reader.GetTypeDefinition(handle);
    }

    internal CheckedAssembly Assembly { get; }

    internal TypeDefinition Definition { get; }

    /// <summary>The full name, with '/' before a nested type.</summary>
    internal string Name { get; }

    /// <summary>The name of the user's class: the compiler's classes for lambdas and iterators belong to the enclosing class.</summary>
    internal string Owner => Name.IndexOf("/<", StringComparison.Ordinal) is >= 0 and var end ? Name[..end] : Name;

    internal bool IsGenerated => Name.Contains('<', StringComparison.Ordinal);

    internal CheckedMethod[] Methods => _methods ??= Assembly.MethodsOf(Definition);

    /// <summary>The base class; null if there is none, or it is not in a checked assembly, such as a class of TorchSharp or .NET.</summary>
    internal CheckedType? Base => Definition.BaseType.IsNil ? null : _base ??= Assembly.Resolve(Definition.BaseType);

    /// <summary>The interfaces that the declaration names; null for each that is not in a checked assembly.</summary>
    internal CheckedType?[] Interfaces => _interfaces ??= Assembly.InterfacesOf(Definition);

    /// <summary>What the declaration uses: the base class, the interfaces, the types of the fields, and the static constructor.</summary>
    internal Uses Uses => _uses ??= Assembly.UsesOf(this);

    /// <summary>
    /// Returns whether TorchSharp or .NET may call a virtual method of this type, because the method overrides one of theirs, or may
    /// implement a method of one of their interfaces.
    /// </summary>
    internal bool IsCalledFromOutside(CheckedMethod method)
    {
        if (method.IsNewSlot) return HasForeignInterface();
        for (var type = Base; type is not null; type = type.Base)
        {
            foreach (var other in type.Methods)
                if (other.IsVirtual && other.Slot == method.Slot) return type.IsCalledFromOutside(other);
        }

        return true;
    }

    private bool HasForeignInterface()
    {
        foreach (var item in Interfaces)
            if (item is null || item.HasForeignInterface()) return true;
        return false;
    }
}

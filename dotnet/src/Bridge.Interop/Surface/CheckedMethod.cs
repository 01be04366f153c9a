using System.Reflection;
using System.Reflection.Metadata;

namespace Bridge.Interop.Surface;

/// <summary>A method of a checked assembly.</summary>
internal sealed class CheckedMethod
{
    private Uses[]? _uses;

    internal CheckedMethod(CheckedType type, MethodDefinitionHandle handle)
    {
        Type = type;
        Handle = handle;
        Definition = type.Assembly.Reader.GetMethodDefinition(handle);
        Name = type.Assembly.Reader.GetString(Definition.Name);
        Slot = SlotOf(type.Assembly.Reader);
    }

    internal CheckedType Type { get; }

    internal MethodDefinitionHandle Handle { get; }

    internal MethodDefinition Definition { get; }

    internal string Name { get; }

    internal bool IsConstructor => Name == ".ctor";

    internal bool IsStatic => Definition.Attributes.HasFlag(MethodAttributes.Static);

    internal bool IsVirtual => Definition.Attributes.HasFlag(MethodAttributes.Virtual);

    internal bool IsNewSlot => Definition.Attributes.HasFlag(MethodAttributes.NewSlot);

    /// <summary>Whether all classes of the assembly can call the method.</summary>
    internal bool IsAccessible =>
        (Definition.Attributes & MethodAttributes.MemberAccessMask)
            is MethodAttributes.Public or MethodAttributes.Assembly or MethodAttributes.FamORAssem;

    /// <summary>Whether the method has a name by which Python calls methods of modules (<see cref="Torch.ForwardOverloads"/>).</summary>
    internal bool IsForward => Name is "forward" or "call" or "Forward";

    /// <summary>
    /// The name and the number of parameters, which a method shares with its overrides and implementations. The parameter types are left
    /// out, because they differ where a generic class's method has type parameters and its override has type arguments.
    /// </summary>
    internal string Slot { get; }

    /// <summary>What the signature and the code use.</summary>
    internal Uses[] Uses => _uses ??= Type.Assembly.UsesOf(this);

    private string SlotOf(MetadataReader reader)
    {
        var blob = reader.GetBlobReader(Definition.Signature);
        if (blob.ReadSignatureHeader().IsGeneric) blob.ReadCompressedInteger();
        // The name of an explicit implementation begins with the interface's.
        return $"{Name[(Name.LastIndexOf('.') + 1)..]}`{blob.ReadCompressedInteger()}";
    }
}

using System.Collections.Immutable;
using System.Reflection.Metadata;
using System.Text;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Reads the attributes of types, members and parameters.</summary>
internal sealed class DeclaredAttributes(MetadataReader reader)
{
    private const string CompilerServices = "System.Runtime.CompilerServices.";

    // Attributes that compilers write, and those that are compared in another way.
    private static readonly HashSet<string> Others =
    [
        "System.Diagnostics.DebuggerNonUserCodeAttribute", "System.ObsoleteAttribute", "System.ParamArrayAttribute",
        "System.Reflection.DefaultMemberAttribute",
    ];

    /// <summary>Returns the attributes that a user can see, with the bytes of their arguments as text.</summary>
    internal ImmutableArray<string> Text(CustomAttributeHandleCollection attributes) =>
    [
        .. from handle in attributes
           let attribute = reader.GetCustomAttribute(handle)
           let name = VisibleName(attribute)
           where name.Length > 0 && !name.StartsWith(CompilerServices, StringComparison.Ordinal) && !Others.Contains(name)
           select $"{name}({Arguments(attribute)})",
    ];

    /// <summary>Returns whether there is an attribute of a type.</summary>
    internal bool Has(CustomAttributeHandleCollection attributes, string name) => Find(attributes, name) is not null;

    /// <summary>Returns "warning" or "error": what the compiler says to who uses it; or nothing.</summary>
    internal string Obsolete(CustomAttributeHandleCollection attributes)
    {
        if (Find(attributes, "System.ObsoleteAttribute") is not { } found) return "";
        var value = Value(found);
        if (value.RemainingBytes <= 2) return "warning"; // No argument; two bytes count the named ones.
        value.ReadSerializedString();
        return value.RemainingBytes > 2 && value.ReadBoolean() ? "error" : "warning";
    }

    /// <summary>Returns the names of a tuple's items.</summary>
    internal string TupleNames(CustomAttributeHandleCollection attributes)
    {
        if (Find(attributes, CompilerServices + "TupleElementNamesAttribute") is not { } found) return "";
        var value = Value(found);
        var names = new string?[value.ReadInt32()];
        for (var i = 0; i < names.Length; i++) names[i] = value.ReadSerializedString();
        return string.Join(",", names);
    }

    /// <summary>Returns the marks of nullability, or null.</summary>
    internal byte[]? Nullable(CustomAttributeHandleCollection attributes)
    {
        if (Find(attributes, CompilerServices + "NullableAttribute") is not { } found) return null;
        var value = Value(found);
        return value.RemainingBytes == 3 ? [value.ReadByte()] : value.ReadBytes(value.ReadInt32()); // Two bytes count the named ones.
    }

    /// <summary>Returns the mark of what has none of its own, or null.</summary>
    internal byte? NullableContext(CustomAttributeHandleCollection attributes) =>
        Find(attributes, CompilerServices + "NullableContextAttribute") is { } found ? Value(found).ReadByte() : null;

    private BlobReader Value(CustomAttribute attribute)
    {
        var value = reader.GetBlobReader(attribute.Value);
        value.ReadUInt16(); // The prolog of an attribute's value.
        return value;
    }

    private string Arguments(CustomAttribute attribute)
    {
        var bytes = reader.GetBlobBytes(attribute.Value).AsSpan(2..^2);
        return string.Concat(Encoding.Latin1.GetString(bytes)
            .Select(letter => letter is < ' ' or > '~' ? $"\\{(int)letter}" : $"{letter}"));
    }

    private CustomAttribute? Find(CustomAttributeHandleCollection attributes, string name)
    {
        foreach (var handle in attributes)
            if (reader.GetCustomAttribute(handle) is var attribute && Name(attribute).Name == name) return attribute;
        return null;
    }

    private string VisibleName(CustomAttribute attribute)
    {
        var (name, definition) = Name(attribute);
        return definition.IsNil || Visibility.IsVisible(reader, definition) ? name : "";
    }

    private (string Name, TypeDefinitionHandle Definition) Name(CustomAttribute attribute)
    {
        if (attribute.Constructor.Kind == HandleKind.MethodDefinition)
        {
            var definition = reader.GetMethodDefinition((MethodDefinitionHandle)attribute.Constructor).GetDeclaringType();
            return (SignatureText.Name(reader, definition), definition);
        }

        var type = reader.GetMemberReference((MemberReferenceHandle)attribute.Constructor).Parent;
        return (type.Kind == HandleKind.TypeReference ? SignatureText.Name(reader, (TypeReferenceHandle)type) : "", default);
    }
}

using System.Collections.Immutable;
using System.Globalization;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Reads how an assembly declares its public and protected members: what a compiler sees and a signature leaves out.</summary>
internal sealed class Declarations : IDisposable
{
    private const string CompilerServices = "System.Runtime.CompilerServices.";
    private readonly PEReader _file;
    private readonly MetadataReader _reader;
    private readonly Dictionary<string, TypeDefinitionHandle> _types = [];

    // The property or event that a method is an accessor of.
    private readonly Dictionary<MethodDefinitionHandle, CustomAttributeHandleCollection> _owners = [];

    internal Declarations(string path)
    {
        _file = new(new MemoryStream(File.ReadAllBytes(path)));
        _reader = _file.GetMetadataReader();
        foreach (var handle in _reader.TypeDefinitions)
            if (Visibility.IsVisible(_reader, handle)) _types[SignatureText.Name(_reader, handle)] = handle;
        foreach (var handle in _reader.PropertyDefinitions)
        {
            var property = _reader.GetPropertyDefinition(handle);
            var accessors = property.GetAccessors();
            if (!accessors.Getter.IsNil) _owners[accessors.Getter] = property.GetCustomAttributes();
            if (!accessors.Setter.IsNil) _owners[accessors.Setter] = property.GetCustomAttributes();
        }
    }

    /// <summary>Gets the names of the visible types.</summary>
    internal IEnumerable<string> Types => _types.Keys;

    public void Dispose() => _file.Dispose();

    /// <summary>Returns the declarations of a type itself, or null if there is no such visible type.</summary>
    internal Declaration? Type(string name) => _types.TryGetValue(name, out var handle)
        ? new([], Obsolete(_reader.GetTypeDefinition(handle).GetCustomAttributes()), "")
        : null;

    /// <summary>Yields the visible members that a type declares, base types not included.</summary>
    internal IEnumerable<(string Name, string Signature, Declaration Declaration)> Members(string type) =>
        Members(_types[type], null).Select(member => (member.Name, member.Signature, member.Read()));

    /// <summary>Returns a member of a type or of its base types, or null.</summary>
    internal Declaration? Find(string type, string name, string signature) =>
        _types.TryGetValue(type, out var handle) ? Find(handle, null, name, signature) : null;

    private Declaration? Find(TypeDefinitionHandle type, string[]? arguments, string name, string signature)
    {
        foreach (var member in Members(type, arguments))
            if (member.Name == name && member.Signature == signature) return member.Read();
        var parent = _reader.GetTypeDefinition(type).BaseType;
        if (parent.IsNil) return null;
        switch (parent.Kind)
        {
            case HandleKind.TypeDefinition: return Find((TypeDefinitionHandle)parent, null, name, signature);
            case HandleKind.TypeSpecification:
                var instance = _reader.GetTypeSpecification((TypeSpecificationHandle)parent);
                var (generic, own) = GenericParts.Split(instance.DecodeSignature(SignatureText.Instance, arguments));
                return _types.TryGetValue(generic, out var ancestor) ? Find(ancestor, own, name, signature) : null;
            default: return null;
        }
    }

    private IEnumerable<(string Name, string Signature, Func<Declaration> Read)> Members(TypeDefinitionHandle type, string[]? arguments)
    {
        var definition = _reader.GetTypeDefinition(type);
        foreach (var handle in definition.GetMethods())
        {
            var method = _reader.GetMethodDefinition(handle);
            if (!Visibility.IsVisible(method.Attributes & MethodAttributes.MemberAccessMask)) continue;
            var signature = SignatureText.Format(method.DecodeSignature(SignatureText.Instance, arguments));
            yield return (_reader.GetString(method.Name), signature, () => Read(handle));
        }

        foreach (var handle in definition.GetFields())
        {
            var field = _reader.GetFieldDefinition(handle);
            // The access flags of fields and methods have the same values.
            if (!Visibility.IsVisible((MethodAttributes)(field.Attributes & FieldAttributes.FieldAccessMask))) continue;
            var signature = field.DecodeSignature(SignatureText.Instance, arguments);
            yield return (_reader.GetString(field.Name), signature, () => Read(handle));
        }
    }

    private Declaration Read(MethodDefinitionHandle handle)
    {
        var method = _reader.GetMethodDefinition(handle);
        var parameters = method.GetParameters().Select(_reader.GetParameter).Where(parameter => parameter.SequenceNumber > 0);
        var obsolete = Obsolete(method.GetCustomAttributes());
        if (obsolete.Length == 0 && _owners.TryGetValue(handle, out var attributes)) obsolete = Obsolete(attributes);
        return new([.. parameters.OrderBy(parameter => parameter.SequenceNumber).Select(Read)], obsolete, "");
    }

    private Declaration Read(FieldDefinitionHandle handle)
    {
        var field = _reader.GetFieldDefinition(handle);
        var assigned = field.Attributes.HasFlag(FieldAttributes.InitOnly) ? "readonly" : "";
        if (field.Attributes.HasFlag(FieldAttributes.Literal)) assigned = $"const {Constant(field.GetDefaultValue())}";
        return new([], Obsolete(field.GetCustomAttributes()), assigned);
    }

    private DeclaredParameter Read(Parameter parameter)
    {
        var attributes = parameter.GetCustomAttributes();
        var isOptional = parameter.Attributes.HasFlag(ParameterAttributes.Optional);
        var tuple = Attribute(attributes, CompilerServices + "TupleElementNamesAttribute") is { } found ? Names(found) : "";
        return new(
            _reader.GetString(parameter.Name),
            isOptional ? Constant(parameter.GetDefaultValue()) : "required",
            Attribute(attributes, "System.ParamArrayAttribute") is null ? "" : "params",
            tuple);
    }

    private string Constant(ConstantHandle handle)
    {
        if (handle.IsNil) return "optional";
        var constant = _reader.GetConstant(handle);
        var value = _reader.GetBlobReader(constant.Value).ReadConstant(constant.TypeCode);
        return value is null ? "null" : string.Create(CultureInfo.InvariantCulture, $"{value} ({constant.TypeCode})");
    }

    // Returns "warning" or "error": what the compiler says to who uses it.
    private string Obsolete(CustomAttributeHandleCollection attributes)
    {
        if (Attribute(attributes, "System.ObsoleteAttribute") is not { } found) return "";
        var value = _reader.GetBlobReader(found.Value);
        value.ReadUInt16(); // The prolog of an attribute's value.
        if (value.RemainingBytes <= 2) return "warning"; // No argument; two bytes count the named ones.
        value.ReadSerializedString();
        return value.RemainingBytes > 2 && value.ReadBoolean() ? "error" : "warning";
    }

    private string Names(CustomAttribute attribute)
    {
        var value = _reader.GetBlobReader(attribute.Value);
        value.ReadUInt16();
        var names = new string?[value.ReadInt32()];
        for (var i = 0; i < names.Length; i++) names[i] = value.ReadSerializedString();
        return string.Join(",", names);
    }

    private CustomAttribute? Attribute(CustomAttributeHandleCollection attributes, string name)
    {
        foreach (var handle in attributes)
        {
            var attribute = _reader.GetCustomAttribute(handle);
            if (attribute.Constructor.Kind != HandleKind.MemberReference) continue;
            var type = _reader.GetMemberReference((MemberReferenceHandle)attribute.Constructor).Parent;
            if (type.Kind == HandleKind.TypeReference && SignatureText.Name(_reader, (TypeReferenceHandle)type) == name) return attribute;
        }

        return null;
    }
}

/// <summary>How a member is declared.</summary>
/// <param name="Parameters">The parameters in order.</param>
/// <param name="Obsolete">What [Obsolete] gives its users: a warning, an error, or nothing.</param>
/// <param name="Assigned">Whether a field is readonly or a constant.</param>
internal sealed record Declaration(ImmutableArray<DeclaredParameter> Parameters, string Obsolete, string Assigned);

/// <summary>A parameter: its name, default ("required" if it has none), params, and the names of a tuple's items.</summary>
internal sealed record DeclaredParameter(string Name, string Default, string Params, string Tuple);

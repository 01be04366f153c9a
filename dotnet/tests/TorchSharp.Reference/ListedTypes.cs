using System.Collections.Immutable;
using System.Reflection.Metadata;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Writes types as the list does, and notes the assembly's own types and those of other assemblies that are mentioned.</summary>
internal sealed class ListedTypes(MetadataReader reader) : ISignatureTypeProvider<string, string[]?>, ICustomAttributeTypeProvider<string>
{
    private const byte IsValueType = 0x11; // ELEMENT_TYPE_VALUETYPE
    private static readonly SignatureText Text = SignatureText.Instance;
    private readonly Dictionary<string, bool?> _structs = [];
    private readonly SortedDictionary<string, AssemblyReference> _assemblies = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _places = [];

    /// <summary>Gets the types of the assembly itself that are mentioned.</summary>
    internal HashSet<TypeDefinitionHandle> Own { get; } = [];

    /// <summary>Yields the assemblies whose types are mentioned, with the names of the classes and of the structs, in order.</summary>
    internal IEnumerable<(string Name, AssemblyReference Assembly, List<string> Classes, List<string> Structs)> External()
    {
        foreach (var (name, assembly) in _assemblies)
        {
            var types = _places.Where(place => place.Value == name).Select(place => place.Key).Order(StringComparer.Ordinal)
                .ToLookup(type => _structs[type] ?? Type.GetType(type)?.IsValueType ?? false);
            yield return (name, assembly, [.. types[false]], [.. types[true]]);
        }
    }

    /// <summary>Writes a base type, an interface, a constraint or an attribute's type.</summary>
    internal string Entity(EntityHandle handle) => handle.Kind switch
    {
        HandleKind.TypeDefinition => GetTypeFromDefinition(reader, (TypeDefinitionHandle)handle, 0),
        HandleKind.TypeReference => GetTypeFromReference(reader, (TypeReferenceHandle)handle, 0),
        _ => GetTypeFromSpecification(reader, null, (TypeSpecificationHandle)handle, 0),
    };

    public string GetTypeFromDefinition(MetadataReader metadata, TypeDefinitionHandle handle, byte rawTypeKind)
    {
        Own.Add(handle);
        return SignatureText.Name(metadata, handle);
    }

    public string GetTypeFromReference(MetadataReader metadata, TypeReferenceHandle handle, byte rawTypeKind)
    {
        var name = SignatureText.Name(metadata, handle);
        // A base type and a modifier are mentioned without their kind.
        bool? isStruct = rawTypeKind == 0 ? null : rawTypeKind == IsValueType;
        _structs[name] = isStruct ?? _structs.GetValueOrDefault(name);
        var type = metadata.GetTypeReference(handle);
        if (type.ResolutionScope.Kind == HandleKind.TypeReference)
            GetTypeFromReference(metadata, (TypeReferenceHandle)type.ResolutionScope, 0);
        for (; type.ResolutionScope.Kind == HandleKind.TypeReference;)
            type = metadata.GetTypeReference((TypeReferenceHandle)type.ResolutionScope);
        var assembly = metadata.GetAssemblyReference((AssemblyReferenceHandle)type.ResolutionScope);
        _places[name] = metadata.GetString(assembly.Name);
        _assemblies[_places[name]] = assembly;
        return name;
    }

    public string GetTypeFromSpecification(
        MetadataReader metadata, string[]? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
        metadata.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

    public string GetGenericInstantiation(string genericType, ImmutableArray<string> typeArguments) =>
        Text.GetGenericInstantiation(genericType, typeArguments);

    public string GetGenericTypeParameter(string[]? genericContext, int index) => Text.GetGenericTypeParameter(null, index);

    public string GetGenericMethodParameter(string[]? genericContext, int index) => Text.GetGenericMethodParameter(null, index);

    public string GetPrimitiveType(PrimitiveTypeCode typeCode) => Text.GetPrimitiveType(typeCode);

    public string GetSZArrayType(string elementType) => Text.GetSZArrayType(elementType);

    public string GetArrayType(string elementType, ArrayShape shape) => Text.GetArrayType(elementType, shape);

    public string GetByReferenceType(string elementType) => Text.GetByReferenceType(elementType);

    public string GetPointerType(string elementType) => Text.GetPointerType(elementType);

    public string GetPinnedType(string elementType) => Text.GetPinnedType(elementType);

    public string GetFunctionPointerType(MethodSignature<string> signature) => Text.GetFunctionPointerType(signature);

    public string GetModifiedType(string modifier, string unmodifiedType, bool isRequired) =>
        Text.GetModifiedType(modifier, unmodifiedType, isRequired);

    public string GetSystemType() => "System.Type";

    public bool IsSystemType(string type) => type == "System.Type";

    public string GetTypeFromSerializedName(string name) => name;

    // Enumerations of other numbers than int occur in no attribute that is listed.
    public PrimitiveTypeCode GetUnderlyingEnumType(string type) => PrimitiveTypeCode.Int32;
}

using System.Collections.Immutable;
using System.Reflection.Metadata;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Reads the types of signatures, without marks as yet: these are in attributes.</summary>
internal sealed class MarkedTypes : ISignatureTypeProvider<MarkedType, object?>
{
    internal static readonly MarkedTypes Instance = new();

    private MarkedTypes() { }

    public MarkedType GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) =>
        new(SignatureText.Name(reader, handle), [], rawTypeKind != (byte)SignatureTypeKind.ValueType);

    public MarkedType GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) =>
        new(SignatureText.Name(reader, handle), [], rawTypeKind != (byte)SignatureTypeKind.ValueType);

    public MarkedType GetTypeFromSpecification(
        MetadataReader reader, object? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
        reader.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

    // A generic value type has a byte, which is 0.
    public MarkedType GetGenericInstantiation(MarkedType genericType, ImmutableArray<MarkedType> typeArguments) =>
        genericType with { Arguments = typeArguments, HasMark = true };

    public MarkedType GetGenericTypeParameter(object? genericContext, int index) => new($"!{index}", [], true, Position: index);

    public MarkedType GetGenericMethodParameter(object? genericContext, int index) => new($"!!{index}", [], true);

    public MarkedType GetPrimitiveType(PrimitiveTypeCode typeCode) =>
        new(SignatureText.Instance.GetPrimitiveType(typeCode), [], typeCode is PrimitiveTypeCode.String or PrimitiveTypeCode.Object);

    public MarkedType GetSZArrayType(MarkedType elementType) => new("", [elementType], true, "[]");

    public MarkedType GetArrayType(MarkedType elementType, ArrayShape shape) =>
        new("", [elementType], true, $"[{new string(',', shape.Rank - 1)}]");

    public MarkedType GetByReferenceType(MarkedType elementType) => new("", [elementType], false, "&");

    public MarkedType GetPointerType(MarkedType elementType) => new("", [elementType], true, "*");

    public MarkedType GetPinnedType(MarkedType elementType) => elementType;

    public MarkedType GetFunctionPointerType(MethodSignature<MarkedType> signature) => new("delegate*", [], true);

    public MarkedType GetModifiedType(MarkedType modifier, MarkedType unmodifiedType, bool isRequired) => unmodifiedType;
}

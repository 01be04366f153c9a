using System.Collections.Immutable;
using System.Reflection.Metadata;

namespace Bridge.Interop.Surface;

/// <summary>The types that a member or type names, those of its signature included; a generic instance names its generic type first.</summary>
internal static class TypeHandles
{
    internal static IEnumerable<EntityHandle> Of(MetadataReader reader, EntityHandle handle)
    {
        switch (handle.Kind)
        {
            case HandleKind.TypeDefinition or HandleKind.TypeReference: return [handle];
            case HandleKind.TypeSpecification: return reader.GetTypeSpecification((TypeSpecificationHandle)handle).DecodeSignature(Collector.Instance, null);
            case HandleKind.MethodSpecification:
                var specification = reader.GetMethodSpecification((MethodSpecificationHandle)handle);
                return Of(reader, specification.Method).Concat(specification.DecodeSignature(Collector.Instance, null).SelectMany(types => types));
            case HandleKind.MemberReference:
                var member = reader.GetMemberReference((MemberReferenceHandle)handle);
                // Of the signature the member itself is checked.
                return Of(reader, member.Parent);
            case HandleKind.MethodDefinition:
                var method = reader.GetMethodDefinition((MethodDefinitionHandle)handle);
                var signature = method.DecodeSignature(Collector.Instance, null);
                return signature.ParameterTypes.SelectMany(types => types).Concat(signature.ReturnType).Append(method.GetDeclaringType());
            case HandleKind.FieldDefinition:
                var field = reader.GetFieldDefinition((FieldDefinitionHandle)handle);
                return field.DecodeSignature(Collector.Instance, null).Append(field.GetDeclaringType());
            default: return [];
        }
    }

    private sealed class Collector : ISignatureTypeProvider<EntityHandle[], object?>
    {
        internal static readonly Collector Instance = new();

        public EntityHandle[] GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) => [handle];

        public EntityHandle[] GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) => [handle];

        public EntityHandle[] GetTypeFromSpecification(MetadataReader reader, object? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
            reader.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

        public EntityHandle[] GetGenericInstantiation(EntityHandle[] genericType, ImmutableArray<EntityHandle[]> typeArguments) => [.. genericType, .. typeArguments.SelectMany(types => types)];

        public EntityHandle[] GetGenericTypeParameter(object? genericContext, int index) => [];

        public EntityHandle[] GetGenericMethodParameter(object? genericContext, int index) => [];

        public EntityHandle[] GetPrimitiveType(PrimitiveTypeCode typeCode) => [];

        public EntityHandle[] GetSZArrayType(EntityHandle[] elementType) => elementType;

        public EntityHandle[] GetArrayType(EntityHandle[] elementType, ArrayShape shape) => elementType;

        public EntityHandle[] GetByReferenceType(EntityHandle[] elementType) => elementType;

        public EntityHandle[] GetPointerType(EntityHandle[] elementType) => elementType;

        public EntityHandle[] GetPinnedType(EntityHandle[] elementType) => elementType;

        public EntityHandle[] GetFunctionPointerType(MethodSignature<EntityHandle[]> signature) => [.. signature.ReturnType, .. signature.ParameterTypes.SelectMany(types => types)];

        public EntityHandle[] GetModifiedType(EntityHandle[] modifier, EntityHandle[] unmodifiedType, bool isRequired) => unmodifiedType;
    }
}

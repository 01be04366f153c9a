using System.Collections.Immutable;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Bridge.Interop.Surface;

/// <summary>
/// Collects the metadata tokens of the types to which a handle refers. The handle may be that of a type, of the declaration of a method or
/// field, or of the type arguments of a generic method. For a generic instance, the generic type comes first.
/// </summary>
internal static class TypeHandles
{
    internal static List<int> Collect(MetadataReader reader, EntityHandle handle)
    {
        var found = new Collector();
        Add(reader, handle, found);
        return found.Tokens;
    }

    private static void Add(MetadataReader reader, EntityHandle handle, Collector found)
    {
        switch (handle.Kind)
        {
            case HandleKind.TypeDefinition or HandleKind.TypeReference:
                found.Tokens.Add(MetadataTokens.GetToken(handle));
                return;
            case HandleKind.TypeSpecification:
                reader.GetTypeSpecification((TypeSpecificationHandle)handle).DecodeSignature(found, null);
                return;
            case HandleKind.MethodSpecification:
                reader.GetMethodSpecification((MethodSpecificationHandle)handle).DecodeSignature(found, null);
                return;
            case HandleKind.MethodDefinition:
                var method = reader.GetMethodDefinition((MethodDefinitionHandle)handle);
                method.DecodeSignature(found, null);
                found.Tokens.Add(MetadataTokens.GetToken(method.GetDeclaringType()));
                return;
            case HandleKind.FieldDefinition:
                var field = reader.GetFieldDefinition((FieldDefinitionHandle)handle);
                field.DecodeSignature(found, null);
                found.Tokens.Add(MetadataTokens.GetToken(field.GetDeclaringType()));
                return;
        }
    }

    // Collects the handles that are decoded; the decoded values are unused.
    private sealed class Collector : ISignatureTypeProvider<object?, object?>
    {
        internal List<int> Tokens { get; } = [];

        public object? GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) => Note(handle);

        public object? GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) => Note(handle);

        public object? GetTypeFromSpecification(
            MetadataReader reader, object? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
            reader.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

        public object? GetGenericInstantiation(object? genericType, ImmutableArray<object?> typeArguments) => null;

        public object? GetGenericTypeParameter(object? genericContext, int index) => null;

        public object? GetGenericMethodParameter(object? genericContext, int index) => null;

        public object? GetPrimitiveType(PrimitiveTypeCode typeCode) => null;

        public object? GetSZArrayType(object? elementType) => null;

        public object? GetArrayType(object? elementType, ArrayShape shape) => null;

        public object? GetByReferenceType(object? elementType) => null;

        public object? GetPointerType(object? elementType) => null;

        public object? GetPinnedType(object? elementType) => null;

        public object? GetFunctionPointerType(MethodSignature<object?> signature) => null;

        public object? GetModifiedType(object? modifier, object? unmodifiedType, bool isRequired) => null;

        private object? Note(EntityHandle handle)
        {
            Tokens.Add(MetadataTokens.GetToken(handle));
            return null;
        }
    }
}

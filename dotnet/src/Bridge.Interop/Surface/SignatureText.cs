using System.Collections.Immutable;
using System.Reflection.Metadata;

namespace Bridge.Interop.Surface;

/// <summary>
/// Writes the types of signatures as text, so that the signatures of two assemblies can be compared. A primitive type's
/// text is its C# keyword. Another type's text is its full name without the assembly, with '/' before a nested type. The generic context
/// holds the type arguments that replace <c>!n</c>; null leaves <c>!n</c> unchanged.
/// </summary>
internal sealed class SignatureText : ISignatureTypeProvider<string, string[]?>
{
    internal static readonly SignatureText Instance = new();

    private SignatureText() { }

    internal static string Format(MethodSignature<string> signature)
    {
        var arity = signature.GenericParameterCount > 0 ? $"`{signature.GenericParameterCount}" : "";
        var modifier = signature.Header.IsInstance ? "" : "static ";
        return $"{modifier}{signature.ReturnType}({string.Join(",", signature.ParameterTypes)}){arity}";
    }

    internal static string Name(MetadataReader reader, TypeDefinitionHandle handle)
    {
        var type = reader.GetTypeDefinition(handle);
        var name = reader.GetString(type.Name);
        if (type.GetDeclaringType() is { IsNil: false } outer) return $"{Name(reader, outer)}/{name}";
        return type.Namespace.IsNil ? name : $"{reader.GetString(type.Namespace)}.{name}";
    }

    internal static string Name(MetadataReader reader, TypeReferenceHandle handle)
    {
        var type = reader.GetTypeReference(handle);
        var name = reader.GetString(type.Name);
        if (type.ResolutionScope.Kind == HandleKind.TypeReference)
            return $"{Name(reader, (TypeReferenceHandle)type.ResolutionScope)}/{name}";
        return type.Namespace.IsNil ? name : $"{reader.GetString(type.Namespace)}.{name}";
    }

    public string GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) => Name(reader, handle);

    public string GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) => Name(reader, handle);

    public string GetTypeFromSpecification(
        MetadataReader reader, string[]? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
        reader.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

    public string GetGenericInstantiation(string genericType, ImmutableArray<string> typeArguments) =>
        $"{genericType}<{string.Join(",", typeArguments)}>";

    public string GetGenericTypeParameter(string[]? genericContext, int index) =>
        genericContext is null ? $"!{index}" : genericContext[index];

    public string GetGenericMethodParameter(string[]? genericContext, int index) => $"!!{index}";

    public string GetPrimitiveType(PrimitiveTypeCode typeCode) => typeCode switch
    {
        PrimitiveTypeCode.Void => "void",
        PrimitiveTypeCode.String => "string",
        PrimitiveTypeCode.Object => "object",
        PrimitiveTypeCode.Double => "double",
        PrimitiveTypeCode.Byte => "byte",
        PrimitiveTypeCode.Char => "char",
        PrimitiveTypeCode.Boolean => "bool",
        PrimitiveTypeCode.SByte => "sbyte",
        PrimitiveTypeCode.Int16 => "short",
        PrimitiveTypeCode.UInt16 => "ushort",
        PrimitiveTypeCode.Int32 => "int",
        PrimitiveTypeCode.UInt32 => "uint",
        PrimitiveTypeCode.Int64 => "long",
        PrimitiveTypeCode.UInt64 => "ulong",
        PrimitiveTypeCode.Single => "float",
        PrimitiveTypeCode.IntPtr => "nint",
        PrimitiveTypeCode.UIntPtr => "nuint",
        _ => typeCode.ToString().ToLowerInvariant(),
    };

    public string GetSZArrayType(string elementType) => $"{elementType}[]";

    public string GetArrayType(string elementType, ArrayShape shape) => $"{elementType}[{new string(',', shape.Rank - 1)}]";

    public string GetByReferenceType(string elementType) => $"{elementType}&";

    public string GetPointerType(string elementType) => $"{elementType}*";

    public string GetPinnedType(string elementType) => elementType;

    public string GetFunctionPointerType(MethodSignature<string> signature) => $"delegate*{Format(signature)}";

    public string GetModifiedType(string modifier, string unmodifiedType, bool isRequired) =>
        $"{unmodifiedType} {(isRequired ? "modreq" : "modopt")}({modifier})";
}

using System.Collections.Immutable;
using System.Globalization;
using System.Reflection;
using System.Reflection.Metadata;
using Bridge.Torch;

namespace Bridge.Interop.Surface;

/// <summary>
/// Writes constructors and methods, read from an assembly's metadata, as C# declares them: <c>Net(int width = 8, string name = null)</c>.
/// </summary>
/// <remarks>Uses loops instead of LINQ, and a class instead of a struct as generic context, so that the JIT compiles less code.</remarks>
internal sealed class CSharpSignature : ISignatureTypeProvider<string, CSharpSignature.TypeParameters>
{
    private readonly HashSet<string> _structs = [];

    /// <summary>Returns the declaration of a constructor, or of a method with its return type.</summary>
    internal static string Of(CheckedMethod method)
    {
        var (reader, writer) = (method.Type.Assembly.Reader, new CSharpSignature());
        var types = method.Definition.DecodeSignature(writer, new(
            Names(reader, method.Type.Definition.GetGenericParameters()), Names(reader, method.Definition.GetGenericParameters())));
        var raw = method.Definition.DecodeSignature(SignatureText.Instance, null).ParameterTypes;
        List<string> parameters = [];
        foreach (var handle in method.Definition.GetParameters())
        {
            var parameter = reader.GetParameter(handle);
            // Number 0 is the return value.
            if (parameter.SequenceNumber is > 0 and var number)
                parameters.Add(writer.Parameter(method, parameter, types.ParameterTypes[number - 1], raw[number - 1]));
        }

        var name = method.Name;
        if (method.IsConstructor)
        {
            var full = CSharpText.Class(method.Type.Name);
            name = full[(full.LastIndexOf('.') + 1)..].Split('`')[0];
        }

        return $"{(method.IsConstructor ? "" : types.ReturnType + " ")}{name}({string.Join(", ", parameters)})";
    }

    /// <summary>Returns the names of type parameters.</summary>
    internal static string[] Names(MetadataReader reader, GenericParameterHandleCollection parameters)
    {
        List<string> names = [];
        foreach (var handle in parameters) names.Add(reader.GetString(reader.GetGenericParameter(handle).Name));
        return names.ToArray();
    }

    private string Parameter(CheckedMethod method, Parameter parameter, string type, string raw)
    {
        var reader = method.Type.Assembly.Reader;
        if (parameter.Attributes.HasFlag(ParameterAttributes.Out)) type = type.Replace("ref ", "out ", StringComparison.Ordinal);
        var text = $"{(IsParams(reader, parameter) ? "params " : "")}{type} {reader.GetString(parameter.Name)}";
        if (!parameter.Attributes.HasFlag(ParameterAttributes.Optional)) return text;
        var handle = parameter.GetDefaultValue();
        // The default of a decimal or DateTime is stored in an attribute.
        if (handle.IsNil) return $"{text} = …";
        var value = Constant(reader, handle);
        if (value is null) return $"{text} = {(_structs.Contains(type) ? "default" : "null")}";
        var target = type.EndsWith('?') && raw.Contains('<', StringComparison.Ordinal) ? GenericParts.Split(raw).Arguments[0] : raw;
        return $"{text} = {EnumMember(method.Type.Assembly, target, value) ?? Literal(value)}";
    }

    private static bool IsParams(MetadataReader reader, Parameter parameter)
    {
        foreach (var handle in parameter.GetCustomAttributes())
        {
            var attribute = reader.GetCustomAttribute(handle);
            if (attribute.Constructor.Kind == HandleKind.MemberReference
                && reader.GetMemberReference((MemberReferenceHandle)attribute.Constructor).Parent is { Kind: HandleKind.TypeReference } type
                && SignatureText.Name(reader, (TypeReferenceHandle)type) == "System.ParamArrayAttribute") return true;
        }

        return false;
    }

    private static object? Constant(MetadataReader reader, ConstantHandle handle)
    {
        var constant = reader.GetConstant(handle);
        return reader.GetBlobReader(constant.Value).ReadConstant(constant.TypeCode);
    }

    private static string Literal(object value) => value switch
    {
        bool truth => truth ? "true" : "false",
        string text => $"\"{text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)
            .Replace("\n", "\\n", StringComparison.Ordinal).Replace("\t", "\\t", StringComparison.Ordinal)}\"",
        char character => $"'{character}'",
        float number => $"{number.ToString("R", CultureInfo.InvariantCulture)}f",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };

    // Returns the C# text of an enumeration's value; null if the type is not an enumeration, or its assembly is not known.
    private static string? EnumMember(CheckedAssembly assembly, string type, object value)
    {
        if (value is string or bool or char or float or double) return null;
        var name = Torch.CSharpTypeName.Named(type, []);
        if (assembly.FindReferenced(type) is { } own)
        {
            var reader = own.Assembly.Reader;
            foreach (var handle in own.Definition.GetFields())
            {
                var field = reader.GetFieldDefinition(handle);
                if (field.GetDefaultValue() is { IsNil: false } number && value.Equals(Constant(reader, number)))
                    return $"{name}.{reader.GetString(field.Name)}";
            }

            return $"({name}){Literal(value)}";
        }

        var found = typeof(TorchSharp.torch).Assembly.GetType(type.Replace('/', '+')) ?? Type.GetType(type.Replace('/', '+'));
        if (found is not { IsEnum: true }) return null;
        return Enum.GetName(found, Enum.ToObject(found, value)) is { } member ? $"{name}.{member}" : $"({name}){Literal(value)}";
    }

    public string GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) =>
        Note(SignatureText.Name(reader, handle), rawTypeKind);

    public string GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) =>
        Note(SignatureText.Name(reader, handle), rawTypeKind);

    public string GetTypeFromSpecification(
        MetadataReader reader, TypeParameters genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
        reader.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

    public string GetGenericInstantiation(string genericType, ImmutableArray<string> typeArguments) =>
        CSharpTypeName.Named(genericType, typeArguments.ToArray());

    public string GetGenericTypeParameter(TypeParameters genericContext, int index) => genericContext.Type[index];

    public string GetGenericMethodParameter(TypeParameters genericContext, int index) => genericContext.Method[index];

    public string GetPrimitiveType(PrimitiveTypeCode typeCode) => SignatureText.Instance.GetPrimitiveType(typeCode);

    public string GetSZArrayType(string elementType) => CSharpTypeName.Array(elementType, 1);

    public string GetArrayType(string elementType, ArrayShape shape) => CSharpTypeName.Array(elementType, shape.Rank);

    public string GetByReferenceType(string elementType) => $"ref {elementType}";

    public string GetPointerType(string elementType) => $"{elementType}*";

    public string GetPinnedType(string elementType) => elementType;

    public string GetFunctionPointerType(MethodSignature<string> signature) => "delegate*";

    public string GetModifiedType(string modifier, string unmodifiedType, bool isRequired) => unmodifiedType;

    // Returns the name of a generic type unchanged: GetGenericInstantiation writes it with its type arguments.
    private string Note(string name, byte rawTypeKind)
    {
        if (name.Contains('`', StringComparison.Ordinal)) return name;
        var text = CSharpTypeName.Named(name, []);
        if (rawTypeKind == (byte)SignatureTypeKind.ValueType) _structs.Add(text);
        return text;
    }

    /// <summary>The names of the type parameters of a type and of its method.</summary>
    internal sealed record TypeParameters(string[] Type, string[] Method);
}

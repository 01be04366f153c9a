using System.Collections.Immutable;
using System.Globalization;
using System.Reflection;
using System.Reflection.Metadata;
using Bridge.Torch;

namespace Bridge.Interop.Surface;

/// <summary>Writes constructors and methods of metadata as C# declares them: <c>Net(int width = 8, string? name = null)</c>.</summary>
/// <remarks>The generic context holds the names of the type parameters: those of the type, then those of the method.</remarks>
internal sealed class CSharpSignature : ISignatureTypeProvider<string, (string[] Type, string[] Method)>
{
    private readonly HashSet<string> _structs = [];

    /// <summary>Returns a constructor, or a method with its result.</summary>
    internal static string Of(CheckedMethod method)
    {
        var (reader, writer) = (method.Type.Assembly.Reader, new CSharpSignature());
        string[] Names(GenericParameterHandleCollection items) =>
            items.Select(item => reader.GetString(reader.GetGenericParameter(item).Name)).ToArray();
        var context = (Names(method.Type.Definition.GetGenericParameters()), Names(method.Definition.GetGenericParameters()));
        var types = method.Definition.DecodeSignature(writer, context);
        var raw = method.Definition.DecodeSignature(SignatureText.Instance, null).ParameterTypes;
        var parameters = method.Definition.GetParameters().Select(reader.GetParameter).Where(item => item.SequenceNumber > 0)
            .Select(item => writer.Parameter(method, item, types.ParameterTypes[item.SequenceNumber - 1], raw[item.SequenceNumber - 1]));
        var name = method.Name;
        if (method.IsConstructor)
        {
            var simple = method.Type.Name[(method.Type.Name.LastIndexOfAny(['/', '.']) + 1)..];
            name = simple.Split('`')[0];
        }

        return $"{(method.IsConstructor ? "" : types.ReturnType + " ")}{name}({string.Join(", ", parameters)})";
    }

    private string Parameter(CheckedMethod method, Parameter parameter, string type, string raw)
    {
        var reader = method.Type.Assembly.Reader;
        if (parameter.Attributes.HasFlag(ParameterAttributes.Out)) type = type.Replace("ref ", "out ", StringComparison.Ordinal);
        foreach (var attribute in parameter.GetCustomAttributes().Select(reader.GetCustomAttribute))
            if (IsParams(reader, attribute)) type = "params " + type;
        var text = $"{type} {reader.GetString(parameter.Name)}";
        if (!parameter.Attributes.HasFlag(ParameterAttributes.Optional)) return text;
        var handle = parameter.GetDefaultValue();
        // A default of a decimal or DateTime is an attribute.
        if (handle.IsNil) return $"{text} = …";
        var constant = reader.GetConstant(handle);
        var value = reader.GetBlobReader(constant.Value).ReadConstant(constant.TypeCode);
        if (value is null) return $"{text} = {(_structs.Contains(type) ? "default" : "null")}";
        var target = type.EndsWith('?') && raw.Contains('<', StringComparison.Ordinal) ? GenericParts.Split(raw).Arguments[0] : raw;
        return $"{text} = {EnumMember(method.Type.Assembly, target, value) ?? Literal(value)}";
    }

    private static bool IsParams(MetadataReader reader, CustomAttribute attribute) =>
        attribute.Constructor.Kind == HandleKind.MemberReference
        && reader.GetMemberReference((MemberReferenceHandle)attribute.Constructor).Parent is { Kind: HandleKind.TypeReference } parent
        && SignatureText.Name(reader, (TypeReferenceHandle)parent) == "System.ParamArrayAttribute";

    private static string Literal(object value) => value switch
    {
        bool truth => truth ? "true" : "false",
        string text => $"\"{text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)
            .Replace("\n", "\\n", StringComparison.Ordinal).Replace("\t", "\\t", StringComparison.Ordinal)}\"",
        char character => $"'{character}'",
        float number => $"{number.ToString("R", CultureInfo.InvariantCulture)}f",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };

    // Returns null for a type that is no enumeration, or one of an assembly that is not known.
    private static string? EnumMember(CheckedAssembly assembly, string type, object value)
    {
        if (value is string or bool or char or float or double) return null;
        var name = Torch.CSharpTypeName.Named(type, []);
        if (assembly.FindReferenced(type) is { } own)
        {
            var reader = own.Assembly.Reader;
            foreach (var field in own.Definition.GetFields().Select(reader.GetFieldDefinition))
            {
                if (field.GetDefaultValue() is not { IsNil: false } handle) continue;
                var constant = reader.GetConstant(handle);
                if (value.Equals(reader.GetBlobReader(constant.Value).ReadConstant(constant.TypeCode)))
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
        MetadataReader reader, (string[] Type, string[] Method) genericContext, TypeSpecificationHandle handle, byte rawTypeKind) =>
        reader.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

    public string GetGenericInstantiation(string genericType, ImmutableArray<string> typeArguments) =>
        CSharpTypeName.Named(genericType, typeArguments.ToArray());

    public string GetGenericTypeParameter((string[] Type, string[] Method) genericContext, int index) => genericContext.Type[index];

    public string GetGenericMethodParameter((string[] Type, string[] Method) genericContext, int index) => genericContext.Method[index];

    public string GetPrimitiveType(PrimitiveTypeCode typeCode) => CSharpTypeName.Named($"System.{typeCode}", []);

    public string GetSZArrayType(string elementType) => CSharpTypeName.Array(elementType, 1);

    public string GetArrayType(string elementType, ArrayShape shape) => CSharpTypeName.Array(elementType, shape.Rank);

    public string GetByReferenceType(string elementType) => $"ref {elementType}";

    public string GetPointerType(string elementType) => $"{elementType}*";

    public string GetPinnedType(string elementType) => elementType;

    public string GetFunctionPointerType(MethodSignature<string> signature) => "delegate*";

    public string GetModifiedType(string modifier, string unmodifiedType, bool isRequired) => unmodifiedType;

    // A generic type is named when its type arguments are known.
    private string Note(string name, byte rawTypeKind)
    {
        if (name.Contains('`', StringComparison.Ordinal)) return name;
        var text = CSharpTypeName.Named(name, []);
        if (rawTypeKind == (byte)SignatureTypeKind.ValueType) _structs.Add(text);
        return text;
    }
}

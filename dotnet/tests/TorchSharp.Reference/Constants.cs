using System.Globalization;
using System.Reflection.Metadata;
using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Reads and writes constants: <c>[type, value]</c>.</summary>
internal static class Constants
{
    internal static object? Value(JsonElement constant)
    {
        if (constant[0].GetString() == "null") return null;
        var value = constant[1];
        return constant[0].GetString() switch
        {
            "bool" => value.GetBoolean(),
            "char" => (char)value.GetInt32(),
            "string" => value.GetString(),
            var type => Number(type!, value.ValueKind == JsonValueKind.String ? value.GetString()! : value.GetRawText()),
        };
    }

    /// <summary>Lists a constant of an assembly.</summary>
    internal static JsonArray List(MetadataReader reader, ConstantHandle handle)
    {
        var constant = reader.GetConstant(handle);
        if (constant.TypeCode == ConstantTypeCode.NullReference) return new("null");
        // Both enumerations have the numbers of ELEMENT_TYPE.
        var type = SignatureText.Instance.GetPrimitiveType((PrimitiveTypeCode)constant.TypeCode);
        return new(type, Node(reader.GetBlobReader(constant.Value).ReadConstant(constant.TypeCode)));
    }

    /// <summary>Writes a value: what JSON's numbers cannot hold is a string.</summary>
    internal static JsonNode? Node(object? value) => value switch
    {
        null => null,
        bool truth => JsonValue.Create(truth),
        char letter => JsonValue.Create((int)letter),
        string text => JsonValue.Create(text),
        float number => float.IsFinite(number) ? JsonValue.Create(number) : JsonValue.Create(Name(number)),
        double number => double.IsFinite(number) ? JsonValue.Create(number) : JsonValue.Create(Name(number)),
        ulong and > 1UL << 53 => JsonValue.Create(Text(value)),
        ulong number => JsonValue.Create(number),
        _ => Convert.ToInt64(value, CultureInfo.InvariantCulture) is var number && number is > 1L << 53 or < -(1L << 53)
            ? JsonValue.Create(Text(value))
            : JsonValue.Create(number),
    };

    private static string Name(double number) => number.ToString(CultureInfo.InvariantCulture);

    private static string Text(object value) => Convert.ToString(value, CultureInfo.InvariantCulture)!;

    // The cast makes the arms objects; otherwise all of them would convert to double.
    private static object Number(string type, string text) => type switch
    {
        "sbyte" => (object)sbyte.Parse(text, CultureInfo.InvariantCulture),
        "byte" => byte.Parse(text, CultureInfo.InvariantCulture),
        "short" => short.Parse(text, CultureInfo.InvariantCulture),
        "ushort" => ushort.Parse(text, CultureInfo.InvariantCulture),
        "int" => int.Parse(text, CultureInfo.InvariantCulture),
        "uint" => uint.Parse(text, CultureInfo.InvariantCulture),
        "long" => long.Parse(text, CultureInfo.InvariantCulture),
        "ulong" => ulong.Parse(text, CultureInfo.InvariantCulture),
        "float" => float.Parse(text, CultureInfo.InvariantCulture),
        "double" => double.Parse(text, CultureInfo.InvariantCulture),
        _ => throw new NotSupportedException($"a constant of type {type}"),
    };
}

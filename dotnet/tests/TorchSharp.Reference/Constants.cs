using System.Globalization;
using System.Text.Json;

namespace TorchSharp.Reference;

/// <summary>Reads constants: <c>[type, value]</c>.</summary>
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

using System.Text.Json;

namespace Bridge.Conformance;

/// <summary>Fields of a step, a node or an action. What a word needs and the program lacks is a <see cref="Defect"/>: Python validates programs.</summary>
internal static class Json
{
    internal static JsonElement Need(this JsonElement element, string name) =>
        element.TryGetProperty(name, out var value) ? value : throw new Defect($"'{name}' is missing in {element.GetRawText()}");

    internal static string NeedText(this JsonElement element, string name) => element.Need(name).GetString()!;

    internal static string? Text(this JsonElement element, string name) => element.TryGetProperty(name, out var value) ? value.GetString() : null;

    internal static bool Flag(this JsonElement element, string name) =>
        element.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.True;

    internal static int Integer(this JsonElement element, string name, int otherwise) =>
        element.TryGetProperty(name, out var value) ? value.GetInt32() : otherwise;

    /// <summary>The items of a list, none when there is no such field.</summary>
    internal static IEnumerable<JsonElement> Items(this JsonElement element, string name) =>
        element.TryGetProperty(name, out var value) ? value.EnumerateArray() : Enumerable.Empty<JsonElement>();

    /// <summary>The only field of an object: the form of a value, the word of an action.</summary>
    internal static JsonProperty First(this JsonElement element)
    {
        using var fields = element.EnumerateObject();
        return fields.MoveNext() ? fields.Current : throw new Defect("an object without a field");
    }
}

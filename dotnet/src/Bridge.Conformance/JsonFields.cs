using System.Text.Json;

namespace Bridge.Conformance;

/// <summary>Reads fields of a hook program. Python has validated the program, so its required fields exist.</summary>
internal static class JsonFields
{
    internal static JsonElement Need(this JsonElement element, string name) =>
        element.TryGetProperty(name, out var value) ? value : throw new DefectException($"'{name}' is missing in {element.GetRawText()}");

    internal static string NeedText(this JsonElement element, string name) => element.Need(name).GetString()!;

    internal static string? Text(this JsonElement element, string name) =>
        element.TryGetProperty(name, out var value) ? value.GetString() : null;

    internal static bool Flag(this JsonElement element, string name) =>
        element.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.True;

    internal static int Integer(this JsonElement element, string name, int otherwise) =>
        element.TryGetProperty(name, out var value) ? value.GetInt32() : otherwise;

    /// <summary>Returns the items of the list in a field; none if there is no such field.</summary>
    internal static IEnumerable<JsonElement> Items(this JsonElement element, string name) =>
        element.TryGetProperty(name, out var value) ? value.EnumerateArray() : Enumerable.Empty<JsonElement>();

    /// <summary>Returns the first field of an object, such as <c>"list"</c> of <c>{"list": [1, 2]}</c>.</summary>
    /// <exception cref="DefectException">The object has no field.</exception>
    internal static JsonProperty First(this JsonElement element)
    {
        using var fields = element.EnumerateObject();
        return fields.MoveNext() ? fields.Current : throw new DefectException("an object without a field");
    }
}

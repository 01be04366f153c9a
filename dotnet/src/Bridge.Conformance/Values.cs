using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance;

/// <summary>Values of programs in C#, and back. Dictionaries here only grow, so they keep the order of their keys.</summary>
internal sealed class Values(IWorld world, Func<string, object?> find)
{
    /// <summary>What a program's value stands for.</summary>
    internal object? Make(JsonElement value)
    {
        if (value.ValueKind == JsonValueKind.Null) return null;
        if (value.ValueKind == JsonValueKind.Number) return world.Number(value);
        var form = value.First();
        return form.Name switch
        {
            "plain" => world.Plain(form.Value),
            "text" => form.Value.GetString(),
            "tuple" => form.Value.EnumerateArray().Select(Make).ToArray(),
            "list" => form.Value.EnumerateArray().Select(Make).ToList(),
            "dict" => form.Value.EnumerateObject().ToDictionary(item => item.Name, item => Make(item.Value)),
            "name" => find(form.Value.GetString()!),
            _ => throw new Defect($"a value '{form.Name}'"),
        };
    }

    /// <summary>A value as a trace has it.</summary>
    internal JsonNode? Write(object? value) => value switch
    {
        null => null,
        string text => new JsonObject { ["text"] = text },
        object?[] items => new JsonObject { ["tuple"] = WriteAll(items) },
        List<object?> items => new JsonObject { ["list"] = WriteAll(items) },
        Dictionary<string, object?> items => new JsonObject { ["dict"] = WriteAll(items) },
        _ => world.Write(value) ?? new JsonObject { ["object"] = value.GetType().Name },
    };

    internal JsonArray WriteAll(IEnumerable<object?> items) => new(items.Select(Write).ToArray());

    internal JsonObject WriteAll(IEnumerable<KeyValuePair<string, object?>> items) =>
        new(items.Select(item => KeyValuePair.Create(item.Key, Write(item.Value))));

    /// <summary>An output with n added: of a tuple or list to its first item, of a dict to its first value.</summary>
    internal object? Plus(object? output, JsonElement n) => output switch
    {
        object?[] items => (object?[])[Plus(items[0], n), .. items[1..]],
        List<object?> items => (List<object?>)[Plus(items[0], n), .. items[1..]],
        Dictionary<string, object?> items => PlusFirst(items, n),
        _ => world.Plus(output, n),
    };

    /// <summary>An item of a container by its key or number.</summary>
    internal static object? Item(object? value, string key) => value switch
    {
        Dictionary<string, object?> items => items[key],
        object?[] items => items[int.Parse(key, CultureInfo.InvariantCulture)],
        List<object?> items => items[int.Parse(key, CultureInfo.InvariantCulture)],
        _ => throw new InvalidCastException($"{value?.GetType().Name ?? "None"} has no items"),
    };

    private Dictionary<string, object?> PlusFirst(Dictionary<string, object?> items, JsonElement n)
    {
        var (first, value) = items.First();
        return new(items) { [first] = Plus(value, n) };
    }
}

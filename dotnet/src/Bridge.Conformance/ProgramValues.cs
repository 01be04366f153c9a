using System.Collections;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance;

/// <summary>
/// Converts values between hook programs, C# and traces. A tuple is any <c>ITuple</c>, a list any <c>IList</c>, a dict any
/// <c>IDictionary</c> with strings as keys. Nothing is removed from dicts, so they keep the order of insertion.
/// </summary>
internal sealed class ProgramValues(IWorld world, Func<string, object?> find)
{
    internal object? Make(JsonElement value) => Make(value, world.Numbers, find);

    /// <summary>
    /// Creates a value of a program. <paramref name="numbers"/> creates the numbers in it, and <paramref name="find"/> resolves names.
    /// </summary>
    internal static object? Make(JsonElement value, INumberFactory numbers, Func<string, object?> find)
    {
        if (value.ValueKind == JsonValueKind.Null) return null;
        if (value.ValueKind == JsonValueKind.Number) return numbers.Number(value);
        var form = value.First();
        return form.Name switch
        {
            "plain" => numbers.Plain(form.Value),
            "text" => form.Value.GetString(),
            "vector" => numbers.Vector(form.Value),
            "tuple" => new ProgramTuple(form.Value.EnumerateArray().Select(Made).ToArray()),
            "list" => form.Value.EnumerateArray().Select(Made).ToList(),
            "dict" => form.Value.EnumerateObject().ToDictionary(item => item.Name, item => Made(item.Value)),
            "name" => find(form.Value.GetString()!),
            _ => throw new DefectException($"unknown value '{form.Name}'"),
        };

        object? Made(JsonElement item) => Make(item, numbers, find);
    }

    internal JsonNode? Write(object? value) => value switch
    {
        null => null,
        string text => new JsonObject { ["text"] = text },
        ITuple tuple => new JsonObject { ["tuple"] = WriteAll(Items(tuple)) },
        IDictionary dict => new JsonObject { ["dict"] = WriteAll(Pairs(dict)) },
        IList list => new JsonObject { ["list"] = WriteAll(list.Cast<object?>()) },
        _ => world.Write(value) ?? new JsonObject { ["object"] = value.GetType().Name },
    };

    internal JsonArray WriteAll(IEnumerable<object?> items) => new(items.Select(Write).ToArray());

    internal JsonObject WriteAll(IEnumerable<KeyValuePair<string, object?>> items) =>
        new(items.Select(item => KeyValuePair.Create(item.Key, Write(item.Value))));

    /// <summary>
    /// Returns an output with a number added. In a tuple, list or dict, the number is added to the first item or value, recursively.
    /// </summary>
    internal static object? Plus(object? output, Func<object?, object?> plus) => output switch
    {
        ITuple tuple => new ProgramTuple(PlusFirst(Items(tuple), plus)),
        IDictionary dict => PlusFirst(Pairs(dict), plus),
        IList list => PlusFirst(list.Cast<object?>().ToArray(), plus).ToList(),
        _ => plus(output),
    };

    internal static object?[] Items(ITuple tuple) => Enumerable.Range(0, tuple.Length).Select(i => tuple[i]).ToArray();

    /// <summary>Returns an item of a container by its key or index.</summary>
    internal static object? Item(object? value, string key) => value switch
    {
        ITuple tuple => tuple[int.Parse(key, CultureInfo.InvariantCulture)],
        IDictionary dict => dict.Contains(key) ? dict[key] : throw new KeyNotFoundException(key),
        IList list => list[int.Parse(key, CultureInfo.InvariantCulture)],
        _ => throw new InvalidCastException($"{value?.GetType().Name ?? "None"} has no items"),
    };

    private static IEnumerable<KeyValuePair<string, object?>> Pairs(IDictionary dict) =>
        dict.Keys.Cast<string>().Select(key => KeyValuePair.Create(key, dict[key]));

    private static object?[] PlusFirst(object?[] items, Func<object?, object?> plus) => [Plus(items[0], plus), .. items[1..]];

    private static Dictionary<string, object?> PlusFirst(IEnumerable<KeyValuePair<string, object?>> items, Func<object?, object?> plus)
    {
        var changed = new Dictionary<string, object?>(items);
        var (first, value) = changed.First();
        changed[first] = Plus(value, plus);
        return changed;
    }
}

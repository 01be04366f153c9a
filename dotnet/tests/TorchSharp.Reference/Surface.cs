using System.Text.Json;

namespace TorchSharp.Reference;

/// <summary>The public surface of an assembly as surface.jsonl lists it. The first line of the file explains the keys.</summary>
internal sealed class Surface
{
    private readonly HashSet<string> _structs = [];

    private Surface(JsonElement head, List<JsonElement> types)
    {
        Head = head;
        Types = types;
        foreach (var type in types)
            if (type.GetProperty("kind").GetString() is "struct" or "enum") _structs.Add(Name(type));
        foreach (var assembly in head.GetProperty("external").EnumerateObject())
        {
            foreach (var name in assembly.Value.GetProperty("classes").EnumerateArray()) External[name.GetString()!] = assembly.Name;
            foreach (var name in assembly.Value.GetProperty("structs").EnumerateArray())
            {
                External[name.GetString()!] = assembly.Name;
                _structs.Add(name.GetString()!);
            }
        }
    }

    /// <summary>Gets the first line: name, version, key, attributes and referenced assemblies.</summary>
    internal JsonElement Head { get; }

    /// <summary>Gets the public key that signs the assembly.</summary>
    internal byte[] PublicKey => Convert.FromHexString(Text(Head, "publicKey"));

    /// <summary>Gets the types; an enclosing type comes before its nested types.</summary>
    internal List<JsonElement> Types { get; }

    /// <summary>Gets the assembly names of types in other assemblies.</summary>
    internal Dictionary<string, string> External { get; } = [];

    /// <summary>Reads a list.</summary>
    /// <param name="path">surface.jsonl, or a file of the same format.</param>
    internal static Surface Read(string path)
    {
        var lines = File.ReadLines(path).Select(line => JsonDocument.Parse(line).RootElement).ToList();
        return new(lines[0], [.. lines.Skip(1).OrderBy(type => Name(type).Count(letter => letter == '/'))]);
    }

    internal bool IsStruct(string name) => _structs.Contains(name);

    internal static string Name(JsonElement type) => type.GetProperty("name").GetString()!;

    internal static string Text(JsonElement entry, string key, string otherwise = "") =>
        entry.TryGetProperty(key, out var found) ? found.GetString()! : otherwise;

    internal static IEnumerable<JsonElement> List(JsonElement entry, string key) =>
        entry.TryGetProperty(key, out var found) ? found.EnumerateArray() : [];

    internal static HashSet<string> Flags(JsonElement entry, string key) =>
        [.. Text(entry, key).Split(' ', StringSplitOptions.RemoveEmptyEntries)];
}

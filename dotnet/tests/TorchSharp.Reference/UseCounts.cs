using System.Text.Json;
using System.Text.Json.Nodes;

namespace TorchSharp.Reference;

/// <summary>How often published projects use a member. It is counted by hand, so a new list takes it from the list before it.</summary>
internal sealed class UseCounts
{
    private readonly Dictionary<string, JsonElement> _counts = [];

    internal UseCounts(Surface before)
    {
        foreach (var type in before.Types)
            foreach (var kind in Kinds)
                foreach (var member in Surface.List(type, kind))
                    if (member.TryGetProperty("u", out var counts)) _counts[Key(Surface.Name(type), member)] = counts;
    }

    private static string[] Kinds => ["fields", "methods"];

    /// <summary>Adds the counts to a type's members.</summary>
    internal void Add(JsonObject type)
    {
        foreach (var member in Kinds.SelectMany(kind => type[kind] as JsonArray ?? []).Cast<JsonObject>())
        {
            var key = Key(type["name"]!.GetValue<string>(), JsonSerializer.SerializeToElement(member));
            if (_counts.TryGetValue(key, out var counts)) member["u"] = JsonNode.Parse(counts.GetRawText());
        }
    }

    private static string Key(string type, JsonElement member)
    {
        var parameters = string.Join(",", Surface.List(member, "p").Select(parameter => Surface.Text(parameter, "t")));
        return $"{type} {Surface.Text(member, "n")}`{Surface.List(member, "g").Count()}({parameters}) {Surface.Text(member, "r")}";
    }
}

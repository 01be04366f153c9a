using System.Text.Json;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Which members of the list Bridge.Torch has exactly, by another signature, or not at all.</summary>
internal static class Coverage
{
    /// <summary>A line a member: state, type, member, in how many of the nine assemblies it is referenced, how often, and the reason of a stub; tabs between.</summary>
    internal static IEnumerable<string> Lines(Surface surface) =>
        Rows(surface).Select(row => $"{row.State}\t{row.Type}\t{row.Member}\t{row.Projects}\t{row.References}\t{row.Reason}");

    /// <summary>The same, as a JSON object a line; there a member's name and signature are as surface.jsonl writes them, too.</summary>
    internal static IEnumerable<string> Json(Surface surface) => Rows(surface).Select(row => JsonSerializer.Serialize(row, Lower));

    private static IEnumerable<Row> Rows(Surface surface)
    {
        var ours = OurSurface.Instance;
        foreach (var type in surface.Types.Where(IsVisible))
        {
            var name = Surface.Name(type);
            var (projects, references) = Uses(type);
            if (!ours.HasType(name)) yield return new("absent", name, "", "", "", projects, references, "");
            foreach (var (member, signature, entry) in Members(type))
            {
                var reason = ours.StubReason(name, member, signature);
                var state = !ours.HasType(name) ? "absent" : reason is not null ? "stub" : ours.Has(name, member, signature) ? "exact" : ours.HasName(name, member) ? "differs" : "absent";
                (projects, references) = Uses(entry);
                yield return new(state, name, Pretty.Member(name, member, signature), member, signature, projects, references, reason ?? "");
            }
        }
    }

    private static readonly JsonSerializerOptions Lower = new() { PropertyNamingPolicy = JsonNamingPolicy.CamelCase };

    private sealed record Row(string State, string Type, string Member, string Name, string Signature, int Projects, int References, string Reason);

    private static bool IsVisible(JsonElement type) =>
        !type.TryGetProperty("opaque", out _) && !type.TryGetProperty("hidden", out _) && Surface.Name(type).StartsWith("TorchSharp.", StringComparison.Ordinal);

    private static IEnumerable<(string Name, string Signature, JsonElement Entry)> Members(JsonElement type)
    {
        foreach (var method in Surface.List(type, "methods").Where(entry => !entry.TryGetProperty("hidden", out _)))
        {
            var flags = Surface.Flags(method, "f");
            var generic = Surface.List(method, "g").Count();
            var signature = $"{(flags.Contains("static") ? "static " : "")}{Surface.Text(method, "r")}({string.Join(",", Surface.List(method, "p").Select(parameter => Surface.Text(parameter, "t")))}){(generic > 0 ? $"`{generic}" : "")}";
            yield return (Surface.Text(method, "n"), signature, method);
        }

        foreach (var field in Surface.List(type, "fields").Where(entry => !entry.TryGetProperty("hidden", out _)))
        {
            // Internal ones are in the list because a struct's size depends on them; nobody else can use them.
            if (Surface.Flags(field, "f").Overlaps(["private", "internal", "rtspecialname"])) continue;
            var constant = Surface.Flags(field, "f").Contains("literal") ? "const " : "";
            yield return (Surface.Text(field, "n"), constant + Surface.Text(field, "t"), field);
        }
    }

    private static (int Projects, int References) Uses(JsonElement entry) => entry.TryGetProperty("u", out var uses) ? (uses[0].GetInt32(), uses[1].GetInt32()) : (0, 0);
}

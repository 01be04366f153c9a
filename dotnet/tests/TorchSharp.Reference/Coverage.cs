using System.Text.Json;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Compares the members of the list with Bridge.Torch: exact, with another signature, or absent.</summary>
internal static class Coverage
{
    /// <summary>
    /// Yields a line for each member: state, type, member, the number of the nine assemblies that refer to it, the number of references,
    /// and the reason of a stub, separated by tabs.
    /// </summary>
    internal static IEnumerable<string> Lines(Surface surface) => Rows(surface)
        .Select(row => $"{row.State}\t{row.Type}\t{row.Member}\t{row.Projects}\t{row.References}\t{row.Reason}");

    /// <summary>Yields the same as a JSON object for each member, with name and signature as in surface.jsonl.</summary>
    internal static IEnumerable<string> Json(Surface surface) => Rows(surface).Select(row => JsonSerializer.Serialize(row, Lower));

    private static IEnumerable<Row> Rows(Surface surface)
    {
        var ours = BridgeTorchSurface.Instance;
        foreach (var type in surface.Types.Where(IsVisible))
        {
            var name = Surface.Name(type);
            var (projects, references) = Uses(type);
            if (!ours.HasType(name)) yield return new("absent", name, "", "", "", projects, references, "");
            foreach (var (member, signature, entry) in Members(type))
            {
                var reason = ours.StubReason(name, member, signature);
                var state = "exact";
                if (!ours.HasType(name)) state = "absent";
                else if (reason is not null) state = "stub";
                else if (!ours.Has(name, member, signature)) state = ours.HasName(name, member) ? "differs" : "absent";
                (projects, references) = Uses(entry);
                var text = CSharpText.Member(name, member, signature);
                yield return new(state, name, text, member, signature, projects, references, reason ?? "");
            }
        }
    }

    private static readonly JsonSerializerOptions Lower = new() { PropertyNamingPolicy = JsonNamingPolicy.CamelCase };

    private sealed record Row(
        string State, string Type, string Member, string Name, string Signature, int Projects, int References, string Reason);

    private static bool IsVisible(JsonElement type) =>
        !type.TryGetProperty("opaque", out _)
        && !type.TryGetProperty("hidden", out _)
        && Surface.Name(type).StartsWith("TorchSharp.", StringComparison.Ordinal);

    private static IEnumerable<(string Name, string Signature, JsonElement Entry)> Members(JsonElement type)
    {
        foreach (var method in Surface.List(type, "methods").Where(entry => !entry.TryGetProperty("hidden", out _)))
        {
            var flags = Surface.Flags(method, "f");
            var generic = Surface.List(method, "g").Count();
            var parameters = string.Join(",", Surface.List(method, "p").Select(parameter => Surface.Text(parameter, "t")));
            var arity = generic > 0 ? $"`{generic}" : "";
            var signature = $"{(flags.Contains("static") ? "static " : "")}{Surface.Text(method, "r")}({parameters}){arity}";
            yield return (Surface.Text(method, "n"), signature, method);
        }

        foreach (var field in Surface.List(type, "fields").Where(entry => !entry.TryGetProperty("hidden", out _)))
        {
            // The list has internal fields because the size of a struct depends on them.
            if (Surface.Flags(field, "f").Overlaps(["private", "internal", "rtspecialname"])) continue;
            var constant = Surface.Flags(field, "f").Contains("literal") ? "const " : "";
            yield return (Surface.Text(field, "n"), constant + Surface.Text(field, "t"), field);
        }
    }

    private static (int Projects, int References) Uses(JsonElement entry) =>
        entry.TryGetProperty("u", out var uses) ? (uses[0].GetInt32(), uses[1].GetInt32()) : (0, 0);
}

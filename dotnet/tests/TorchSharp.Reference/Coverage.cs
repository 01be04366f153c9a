using System.Text.Json;
using Bridge.Interop.Surface;

namespace TorchSharp.Reference;

/// <summary>Which members of the list Bridge.Torch has exactly, by another signature, or not at all.</summary>
internal static class Coverage
{
    /// <summary>A line a member: state, type, member, in how many of the nine assemblies it is referenced, and how often; tabs between.</summary>
    internal static IEnumerable<string> Lines(Surface surface)
    {
        var ours = OurSurface.Instance;
        foreach (var type in surface.Types.Where(IsVisible))
        {
            var name = Surface.Name(type);
            if (!ours.HasType(name))
            {
                yield return $"absent\t{name}\t\t{Uses(type)}";
            }

            foreach (var (member, signature, entry) in Members(type))
            {
                var state = !ours.HasType(name) ? "absent" : ours.Has(name, member, signature) ? "exact" : ours.HasName(name, member) ? "differs" : "absent";
                yield return $"{state}\t{name}\t{Pretty.Member(name, member, signature)}\t{Uses(entry)}";
            }
        }
    }

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
            if (Surface.Flags(field, "f").Overlaps(["private", "rtspecialname"])) continue;
            var constant = Surface.Flags(field, "f").Contains("literal") ? "const " : "";
            yield return (Surface.Text(field, "n"), constant + Surface.Text(field, "t"), field);
        }
    }

    private static string Uses(JsonElement entry) => entry.TryGetProperty("u", out var uses) ? $"{uses[0]}\t{uses[1]}" : "0\t0";
}

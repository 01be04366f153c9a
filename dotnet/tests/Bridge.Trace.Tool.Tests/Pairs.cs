using System.Text;
using System.Text.Json;

namespace Bridge.Trace.Tool.Tests;

/// <summary>The bytes of a trace file, and of the file of values beside it, if any.</summary>
internal sealed record PairFile(byte[] Trace, byte[]? Values)
{
    internal void Save(string path)
    {
        File.WriteAllBytes(path, Trace);
        if (Values is not null) File.WriteAllBytes(Path.ChangeExtension(path, ".values.safetensors"), Values);
    }
}

/// <summary>Two files, the tolerances of their comparison, and Python's verdict.</summary>
internal sealed record Pair(PairFile A, PairFile B, double Relative, double Absolute, JsonElement Verdict);

/// <summary>The pairs of <c>tests/trace/pairs.jsonl</c>, whose format <c>tools/trace_pairs/corpus.py</c> describes.</summary>
internal static class Pairs
{
    private static readonly Lazy<Dictionary<string, Pair>> Read = new(() => Load().ToDictionary());

    internal static IReadOnlyDictionary<string, Pair> All => Read.Value;

    private static IEnumerable<KeyValuePair<string, Pair>> Load()
    {
        Dictionary<string, PairFile> files = [];
        List<string> known = [];
        foreach (var text in File.ReadLines(Path.Combine(AppContext.BaseDirectory, "pairs.jsonl")))
        {
            var line = JsonDocument.Parse(text).RootElement;
            if (line.TryGetProperty("trace", out var trace)) files[trace.GetString()!] = FileOf(line, known);
            if (!line.TryGetProperty("pair", out var name)) continue;
            yield return new(
                name.GetString()!,
                new(Side("a"), Side("b"), Number(line, "rtol"), Number(line, "atol"), line.GetProperty("verdict")));

            PairFile Side(string side) => files[line.GetProperty(side).GetString()!];
        }
    }

    private static double Number(JsonElement line, string name) => line.TryGetProperty(name, out var number) ? number.GetDouble() : 0;

    private static PairFile FileOf(JsonElement line, List<string> known)
    {
        var values = line.TryGetProperty("values", out var stored) ? stored.GetBytesFromBase64() : null;
        if (line.TryGetProperty("base64", out var bytes)) return new(bytes.GetBytesFromBase64(), values);
        if (line.TryGetProperty("text", out var text)) return new(Encoding.UTF8.GetBytes(text.GetString()!), values);
        var all = new StringBuilder();
        foreach (var item in line.GetProperty("lines").EnumerateArray())
        {
            if (item.ValueKind == JsonValueKind.Object) known.Add(item.GetRawText());
            all.Append(item.ValueKind == JsonValueKind.Object ? known[^1] : known[item.GetInt32()]).Append('\n');
        }

        return new(Encoding.UTF8.GetBytes(all.ToString()), values);
    }
}

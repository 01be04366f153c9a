using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Bridge.Trace.Tool.Comparison;
using Bridge.Trace.Tool.Printing;
using Bridge.Trace.Tool.Reading;

namespace Bridge.Trace.Tool.Tests.Comparison;

public sealed class PairsTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("pairs");

    public static TheoryData<string> Names => [.. Pairs.All.Keys];

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void ThereAreManyPairs()
    {
        Assert.True(Pairs.All.Count >= 300);
        Assert.True(Pairs.All.Keys.Count(name => name.StartsWith("random", StringComparison.Ordinal)) >= 100);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void VerdictIsThatOfPython(string name)
    {
        var pair = Pairs.All[name];
        string a = Path.Combine(_folder.FullName, "a.jsonl"), b = Path.Combine(_folder.FullName, "b.jsonl");
        pair.A.Save(a);
        pair.B.Save(b);
        Assert.Equal(Expected(pair.Verdict), Verdict(a, b, new(pair.Relative, pair.Absolute)));
    }

    private static string Verdict(string a, string b, Tolerance allowed)
    {
        try
        {
            var diff = TraceComparer.CompareFiles(a, b, allowed);
            var json = DiffJson.Write(diff);
            return Words(
                diff.Same ? "same" : "different",
                First(diff.FirstStructural),
                First(diff.FirstNumeric),
                DiffWords.Explain(diff),
                Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(json))).ToLowerInvariant());
        }
        catch (TraceFileException error)
        {
            return Words(error.Error.ToString(), Path.GetFileName(error.Path), $"line {error.Line}", $"field {error.Field}");
        }
    }

    private static string Expected(JsonElement verdict)
    {
        if (verdict.TryGetProperty("error", out var error))
        {
            var (line, field) = (verdict.GetProperty("line"), verdict.GetProperty("field"));
            return Words($"{error}", $"{verdict.GetProperty("file")}", $"line {line}", $"field {field}");
        }

        var first = verdict.GetProperty("first");
        return Words(
            $"{verdict.GetProperty("verdict")}", First(first[0]), First(first[1]), $"{verdict.GetProperty("explanation")}",
            $"{verdict.GetProperty("sha256")}");
    }

    private static string First(Difference? item) =>
        item is null ? "" : $"{item.Kind} '{item.Path}' {item.Positions.A} {item.Positions.B}";

    private static string First(JsonElement item) =>
        item.ValueKind == JsonValueKind.Null ? "" : $"{item[0]} '{item[1]}' {item[2][0]} {item[2][1]}";

    private static string Words(params string[] words) => string.Join('\n', words);
}

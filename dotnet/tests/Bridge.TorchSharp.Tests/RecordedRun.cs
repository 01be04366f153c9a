using System.Text.Json;

namespace Bridge.TorchSharp.Tests;

/// <summary>Records a model in a temporary folder and reads the file.</summary>
internal sealed class RecordedRun : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory().FullName;

    internal string File => Path.Combine(_folder, "run.jsonl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>Returns phase, path and the enclosing call's number of each event.</summary>
    internal string[] Calls(object model, Action run) =>
        [.. Events(model, run).Select(line => $"{line.GetProperty("phase")} {line.GetProperty("path")} {line.GetProperty("parent")}")];

    /// <summary>Returns the arguments of the first call: kinds, with the value of a number or the shape of a tensor.</summary>
    internal string Arguments(object model, Action run) =>
        string.Join("; ", Events(model, run)[0].GetProperty("values").EnumerateArray().Select(Value));

    private static string Value(JsonElement value) => value.GetProperty("kind").GetString() switch
    {
        "tensor" => value.GetProperty("shape").GetRawText(),
        { } kind => value.TryGetProperty("literal", out var literal) ? $"{kind} {literal}" : kind,
        _ => "",
    };

    private JsonElement[] Events(object model, Action run)
    {
        using (HookTrace.Record(model, File)) run();
        return [.. System.IO.File.ReadLines(File).Select(line => JsonDocument.Parse(line).RootElement).ToArray()[1..^1]];
    }
}

using System.Globalization;
using System.Text.Json;
using Bridge.Hooks;

namespace Bridge.Interop;

/// <summary>The names that Python gives to a recording: module paths and types by id, digests by tensor index, and the header.</summary>
internal sealed class RecordedNames : TraceNames
{
    private readonly Dictionary<int, (string Path, string Type)> _modules = [];
    private readonly List<string?> _digests = [];
    private readonly List<string> _texts;

    /// <summary>Reads <c>{"header": {…}, "modules": [[id, path, type], …], "digests": [text or null, …]}</c>.</summary>
    /// <param name="utf8">The JSON, in UTF-8.</param>
    /// <param name="texts">The recorded strings.</param>
    internal RecordedNames(ReadOnlySpan<byte> utf8, List<string> texts)
    {
        _texts = texts;
        var reader = new Utf8JsonReader(utf8);
        using var json = JsonDocument.ParseValue(ref reader);
        var root = json.RootElement;
        foreach (var module in root.GetProperty("modules").EnumerateArray())
            _modules[module[0].GetInt32()] = (module[1].GetString()!, module[2].GetString()!);
        foreach (var digest in root.GetProperty("digests").EnumerateArray()) _digests.Add(digest.GetString());
        Header = Read(root.GetProperty("header"));
    }

    internal TraceHeader Header { get; }

    public override string Path(in EventRecord record) => _modules.TryGetValue(record.Path, out var known) ? known.Path : $"?{record.Path}";

    public override string Type(in EventRecord record) => _modules.TryGetValue(record.Path, out var known) ? known.Type : "?";

    public override string? Digest(in ValueRecord value) =>
        value.Payload >= 0 && value.Payload < _digests.Count ? _digests[(int)value.Payload] : null;

    public override string? Text(in ValueRecord value) => _texts[(int)value.Payload];

    private static TraceHeader Read(JsonElement header)
    {
        string Text(string name) => header.GetProperty(name).GetString()!;
        List<KeyValuePair<string, string>> Digests(string name) =>
            [.. header.GetProperty(name).EnumerateObject().Select(item => KeyValuePair.Create(item.Name, item.Value.GetString()!))];
        return new()
        {
            Runtime = Text("runtime"),
            RuntimeVersion = Text("runtime_version"),
            Bridge = Text("bridge"),
            Torch = Text("torch"),
            Python = Text("python"),
            DotNet = header.GetProperty("dotnet").GetString(),
            Device = Text("device"),
            Threads = header.GetProperty("threads").GetInt32(),
            Seed = Int128.Parse(header.GetProperty("seed").GetRawText(), CultureInfo.InvariantCulture),
            Modules = header.GetProperty("modules").GetInt32(),
            Values = Text("values"),
            Roots = [.. header.GetProperty("roots").EnumerateArray().Select(item => item.GetString()!)],
            Inputs = Digests("inputs"),
            Weights = Digests("weights"),
        };
    }
}

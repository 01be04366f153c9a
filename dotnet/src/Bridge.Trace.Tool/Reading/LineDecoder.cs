using System.Numerics;
using System.Text;
using static Bridge.Trace.Tool.Reading.TraceFileError;

namespace Bridge.Trace.Tool.Reading;

/// <summary>Decodes and checks the lines of a trace file.</summary>
/// <param name="path">The file, for messages.</param>
internal sealed class LineDecoder(string path)
{
    private const int Schema = 1;
    private static readonly UTF8Encoding Strict = new(false, throwOnInvalidBytes: true);
    // Equal strings of a trace are stored once.
    private readonly Dictionary<string, string> _texts = new(StringComparer.Ordinal);

    /// <exception cref="TraceFileException">The line is invalid.</exception>
    internal TraceFileHeader Header(ReadOnlySpan<byte> line)
    {
        JsonObject found;
        try
        {
            found = Object(line, 1);
        }
        catch (TraceFileException error) when (error.Error == NotJsonError)
        {
            throw new TraceFileException(NotATraceError, path, "not a trace file: it does not begin with a header", 1);
        }

        if (!found.TryGet("schema", out var version) || version is null)
            throw new TraceFileException(NotATraceError, path, "not a trace file: its first line has no schema version", 1, "schema");
        CheckField("schema", version, FieldRules.Schema, 1);
        if ((BigInteger)version != Schema)
        {
            var words = $"this is a trace of schema version {version}, and this tool reads version {Schema}: "
                + "record it again, or read it with the package that wrote it";
            throw new TraceFileException(SchemaVersionError, path, words, 1, "schema");
        }

        CheckFields(found, FieldRules.Header, 1);
        return new(
            Text(found, "runtime"), Text(found, "runtime_version"), Text(found, "torch"), Text(found, "python"),
            found.TryGet("dotnet", out var dotnet) ? dotnet as string : null, Text(found, "device"), Get<BigInteger>(found, "seed"),
            Get<BigInteger>(found, "modules"), Text(found, "values"), Texts(found, "unseen"), Digests(found, "inputs"),
            Digests(found, "weights"));
    }

    /// <exception cref="TraceFileException">The line is invalid.</exception>
    internal TraceEvent Event(ReadOnlySpan<byte> line, int number)
    {
        var found = Object(line, number);
        CheckFields(found, FieldRules.Event, number);
        var items = Get<List<object?>>(found, "values");
        var values = new TraceValue[items.Count];
        for (var k = 0; k < values.Length; k++) values[k] = Value(items[k], $"values[{k}]", number);
        return new(Shared(Text(found, "path")))
        {
            Number = (int)Get<BigInteger>(found, "seq"),
            Type = Shared(Text(found, "type")),
            Phase = Shared(Text(found, "phase")),
            Call = (int)Get<BigInteger>(found, "call"),
            Parent = (int)Get<BigInteger>(found, "parent"),
            Hook = (int)Get<BigInteger>(found, "hook"),
            Scope = Shared(Text(found, "scope")),
            Values = values,
        };
    }

    /// <exception cref="TraceFileException">The line is invalid.</exception>
    internal TraceFooter Footer(ReadOnlySpan<byte> line, int number)
    {
        var found = Object(line, number);
        CheckFields(found, FieldRules.Footer, number);
        return new(Get<BigInteger>(found, "events"), Get<BigInteger>(found, "known"), Text(found, "digest"));
    }

    /// <summary>Returns whether a line begins as a footer, is a valid JSON object, and is not an event.</summary>
    internal bool IsFooter(ReadOnlySpan<byte> line)
    {
        if (!line.StartsWith("{\"events\""u8)) return false;
        try
        {
            return !Object(line, 0).TryGet("seq", out _);
        }
        catch (TraceFileException)
        {
            return false;
        }
    }

    private TraceValue Value(object? item, string field, int number)
    {
        CheckField(field, item, FieldRules.Object, number);
        var found = (JsonObject)item!;
        if (!found.TryGet("kind", out var kind)) throw Missing($"{field}.kind", number);
        CheckField($"{field}.kind", kind, FieldRules.Kind, number);
        var name = Shared((string)kind!);
        if (name == "tensor") return Tensor(found, field, number);
        CheckFields(found, FieldRules.Literal(name), number, $"{field}.");
        found.TryGet("literal", out var literal);
        if (name == "float" && literal is string text)
            literal = text switch { "NaN" => double.NaN, "Infinity" => double.PositiveInfinity, _ => double.NegativeInfinity };
        return new() { Kind = name, Literal = literal };
    }

    private TraceValue Tensor(JsonObject found, string field, int number)
    {
        CheckFields(found, FieldRules.Tensor, number, $"{field}.");
        found.TryGet("digest", out var digest);
        found.TryGet("data", out var data);
        if (data is not null && !data.Equals(digest))
            throw new TraceFileException(
                FieldTypeError, path, "the field should be equal to the field 'digest', or null", number, $"{field}.data");
        return new()
        {
            Kind = "tensor",
            Shape = [.. Get<List<object?>>(found, "shape").Select(size => (long)(BigInteger)size!)],
            DType = Shared(Text(found, "dtype")),
            Device = Shared(Text(found, "device")),
            Digest = digest as string,
            Stored = data is not null,
        };
    }

    private JsonObject Object(ReadOnlySpan<byte> line, int number)
    {
        object? found;
        try
        {
            found = JsonText.Parse(Strict.GetString(line));
        }
        catch (DuplicateNameException error)
        {
            throw new TraceFileException(DuplicateFieldError, path, "duplicate field", number, FieldRules.Shorten(error.Message));
        }
        catch (Exception error) when (error is FormatException or DecoderFallbackException)
        {
            throw new TraceFileException(NotJsonError, path, $"the line is not JSON ({error.Message})", number);
        }

        return found as JsonObject ?? throw new TraceFileException(NotJsonError, path, "the line is JSON, but not an object", number);
    }

    private void CheckFields(JsonObject found, IReadOnlyList<(string Name, FieldRule Rule)> rules, int number, string within = "")
    {
        var known = 0;
        foreach (var (name, rule) in rules)
        {
            if (!found.TryGet(name, out var value))
            {
                if (rule.Optional) continue;
                throw Missing(within + name, number);
            }

            CheckField(within + name, value, rule, number);
            known++;
        }

        if (found.Members.Count == known) return;
        var unknown = found.Members.First(member => rules.All(rule => rule.Name != member.Key)).Key;
        throw new TraceFileException(UnknownFieldError, path, "unknown field", number, within + FieldRules.Shorten(unknown));
    }

    private void CheckField(string name, object? value, FieldRule rule, int number)
    {
        if (!rule.IsValid(value))
            throw new TraceFileException(FieldTypeError, path, $"{FieldRules.Describe(value)} should be {rule.Words}", number, name);
    }

    private TraceFileException Missing(string field, int number) => new(MissingFieldError, path, "the field is missing", number, field);

    private string Shared(string text) => _texts.TryGetValue(text, out var known) ? known : _texts[text] = text;

    private static T Get<T>(JsonObject found, string name) => found.TryGet(name, out var value) ? (T)value! : default!;

    private static string Text(JsonObject found, string name) => Get<string>(found, name);

    private static string[] Texts(JsonObject found, string name) =>
        found.TryGet(name, out var items) ? [.. ((List<object?>)items!).Cast<string>()] : [];

    private static List<KeyValuePair<string, string>> Digests(JsonObject found, string name) =>
        [.. Get<JsonObject>(found, name).Members.Select(member => KeyValuePair.Create(member.Key, (string)member.Value!))];
}

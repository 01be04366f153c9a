using System.Text;
using System.Text.Json;
using TorchSharp;

namespace Bridge.Conformance.Mirrored;

/// <summary>The events that C# has recorded and Python has not taken yet, as JSON. Any thread may add events.</summary>
/// <param name="writer">Writes the events' values.</param>
internal sealed class EventBuffer(TraceValueWriter writer)
{
    private readonly MemoryStream _bytes = new();

    /// <summary>Adds an event.</summary>
    /// <param name="kind">The kind of the event.</param>
    /// <param name="hook">The hook's name; null for events without a hook.</param>
    /// <param name="module">The module; null for events without a module.</param>
    /// <param name="fields">The other fields of the event. An array is written as a list, <c>kwargs</c> as an object.</param>
    internal void Add(string kind, string? hook, torch.nn.Module? module, params ReadOnlySpan<(string Name, object? Value)> fields)
    {
        lock (_bytes)
        {
            _bytes.Write(_bytes.Length == 0 ? "["u8 : ","u8);
            using var json = new Utf8JsonWriter(_bytes);
            json.WriteStartObject();
            json.WriteString("event", kind);
            if (hook is not null) json.WriteString("hook", hook);
            if (module is not null) json.WriteNumber("module", module.Number);
            foreach (var (name, value) in fields)
            {
                json.WritePropertyName(name);
                if (value is IDictionary<string, object?> named && name == "kwargs") WriteKwargs(json, named);
                else if (value is object?[] several) writer.WriteArray(json, several);
                else writer.Write(json, value);
            }

            json.WriteEndObject();
        }
    }

    private void WriteKwargs(Utf8JsonWriter json, IDictionary<string, object?> kwargs)
    {
        json.WriteStartObject();
        foreach (var (name, value) in kwargs)
        {
            json.WritePropertyName(name);
            writer.Write(json, value);
        }

        json.WriteEndObject();
    }

    /// <summary>Removes the events and returns them; null if there are none.</summary>
    internal string? Take()
    {
        lock (_bytes)
        {
            if (_bytes.Length == 0) return null;
            _bytes.Write("]"u8);
            var text = Encoding.UTF8.GetString(_bytes.GetBuffer(), 0, (int)_bytes.Length);
            _bytes.SetLength(0);
            return text;
        }
    }
}

using System.Text;
using System.Text.Json;
using TorchSharp;

namespace Bridge.Conformance.Mirrored;

/// <summary>The events that C# has and Python does not know yet, as JSON. A thread of the program has its own; all other threads share one.</summary>
/// <param name="writer">Writes their values.</param>
internal sealed class Events(Writer writer)
{
    private readonly MemoryStream _bytes = new();

    /// <summary>Adds an event about a module.</summary>
    /// <param name="kind">Its word.</param>
    /// <param name="hook">The hook, if it is one's.</param>
    /// <param name="module">The module.</param>
    /// <param name="args">Its arguments.</param>
    /// <param name="more">Other fields.</param>
    internal void Add(string kind, string? hook, torch.nn.Module module, IEnumerable<object?> args, Action<Utf8JsonWriter>? more = null)
    {
        lock (_bytes)
        {
            _bytes.Write(_bytes.Length == 0 ? "["u8 : ","u8);
            using var json = new Utf8JsonWriter(_bytes);
            json.WriteStartObject();
            json.WriteString("event", kind);
            if (hook is not null) json.WriteString("hook", hook);
            json.WriteNumber("module", module.Id);
            json.WritePropertyName("args");
            writer.Items(json, args);
            more?.Invoke(json);
            json.WriteEndObject();
        }
    }

    /// <summary>Removes and returns the events.</summary>
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

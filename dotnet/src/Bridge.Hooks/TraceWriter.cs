using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Bridge.Hooks;

/// <summary>
/// Writes a trace file: JSON lines with a header, the events and a footer. For the same trace, <c>bridge.write_trace</c> in Python writes
/// the same bytes. The schema is <c>bridge/trace/file/trace.schema.json</c>.
/// </summary>
public sealed class TraceWriter
{
    private const int BlockSize = 1 << 16;
    // Readers refuse longer lines.
    private const int MaxHeaderLength = 1 << 24;
    private readonly StringBuilder _text = new(2 * BlockSize);
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly Stream _stream;
    private readonly TraceNames _names;
    private byte[] _bytes = new byte[2 * BlockSize];
    private long _events;
    private long _known;

    private TraceWriter(Stream stream, TraceHeader header, TraceNames names, int maxHeaderLength)
    {
        (_stream, _names) = (stream, names);
        header.Write(_text);
        if (_text.Length > maxHeaderLength)
        {
            // The digests of the inputs can be omitted: the events have them, too.
            (header with { Inputs = [] }).Write(_text.Clear());
            if (_text.Length > maxHeaderLength)
                throw new InvalidDataException("The header of the trace is too long: the model has too many parameters and buffers.");
        }

        stream.Write(Encode());
    }

    /// <summary>Writes a trace file completely or not at all: a temporary file is written and then replaces the old file.</summary>
    /// <param name="path">The file, or a link to it.</param>
    /// <param name="header">The first line.</param>
    /// <param name="buffer">The events.</param>
    /// <param name="names">Resolves the numbers in the buffer.</param>
    /// <exception cref="InvalidDataException">The header is too long, even without the digests of the inputs.</exception>
    /// <exception cref="IOException">The file cannot be written, or is a device, a pipe or a folder.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be written for lack of permission.</exception>
    public static void Write(string path, TraceHeader header, TraceBuffer buffer, TraceNames names)
    {
        using var file = new AtomicFile(path);
        Write(file.Stream, header, buffer, names);
        file.Commit();
    }

    /// <summary>Writes a trace to a stream.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="header">The first line.</param>
    /// <param name="buffer">The events.</param>
    /// <param name="names">Resolves the numbers in the buffer.</param>
    /// <exception cref="InvalidDataException">The header is too long, even without the digests of the inputs.</exception>
    public static void Write(Stream stream, TraceHeader header, TraceBuffer buffer, TraceNames names) =>
        Write(stream, header, [buffer], names);

    /// <summary>Writes a trace to a stream.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="header">The first line.</param>
    /// <param name="buffers">The events. A buffer is written before the next one is enumerated.</param>
    /// <param name="names">Resolves the numbers in the current buffer.</param>
    /// <param name="maxHeaderLength">The maximum length of the first line, in characters.</param>
    internal static void Write(
        Stream stream, TraceHeader header, IEnumerable<TraceBuffer> buffers, TraceNames names, int maxHeaderLength = MaxHeaderLength)
    {
        var writer = new TraceWriter(stream, header, names, maxHeaderLength);
        using var hash = writer._hash;
        foreach (var buffer in buffers) writer.Add(buffer);
        writer.End();
    }

    /// <summary>Writes the header and returns the writer, to which events are added one after another.</summary>
    /// <param name="stream">The stream.</param>
    /// <param name="header">The first line.</param>
    /// <param name="names">Resolves the numbers in the buffers.</param>
    internal static TraceWriter Begin(Stream stream, TraceHeader header, TraceNames names) =>
        new(stream, header, names, MaxHeaderLength);

    /// <summary>Adds events, which are written when there are many of them, or by <see cref="Flush"/>.</summary>
    internal void Add(TraceBuffer buffer)
    {
        var (text, names) = (_text, _names);
        foreach (ref readonly var record in buffer.Events)
        {
            AppendNumber(text, "{\"seq\":", _events++);
            text.Append(",\"path\":");
            TraceText.Quote(text, names.Path(record));
            text.Append(",\"type\":");
            TraceText.Quote(text, names.Type(record));
            text.Append(",\"phase\":\"").Append(TracePhaseNames.All[(int)record.Phase]).Append('"');
            AppendNumber(text, ",\"call\":", record.Call);
            AppendNumber(text, ",\"parent\":", record.Parent);
            AppendNumber(text, ",\"hook\":", record.Hook);
            text.Append(",\"scope\":\"").Append(HookScopeNames.All[(int)record.Scope]).Append("\",\"values\":[");
            var values = buffer.Values.Slice(record.FirstValue, record.ValueCount);
            for (var k = 0; k < values.Length; k++)
            {
                if (k > 0) text.Append(',');
                if (AppendValue(text, values[k], buffer.Dims, names)) _known++;
            }

            text.Append("]}\n");
            if (text.Length >= BlockSize) Flush();
        }
    }

    /// <summary>Writes the added events to the stream.</summary>
    internal void Flush()
    {
        var bytes = Encode();
        _hash.AppendData(bytes);
        _stream.Write(bytes);
    }

    /// <summary>Writes the last events and the footer.</summary>
    internal void End()
    {
        Flush();
        AppendNumber(_text, "{\"events\":", _events);
        AppendNumber(_text, ",\"known\":", _known);
        _text.Append(",\"digest\":\"").Append(Convert.ToHexString(_hash.GetHashAndReset()).ToLowerInvariant()).Append("\"}\n");
        _stream.Write(Encode());
    }

    // Returns whether the content of the value is known: it is a number, a boolean, or a tensor with a digest.
    private static bool AppendValue(StringBuilder text, in ValueRecord value, ReadOnlySpan<long> dims, TraceNames names)
    {
        switch (value.Kind)
        {
            case ValueKind.Tensor:
                return AppendTensor(text, value, dims.Slice((int)value.FirstDim, value.Ndim), names);
            case ValueKind.Int:
                AppendNumber(text, "{\"kind\":\"int\",\"literal\":", value.Payload);
                text.Append('}');
                return true;
            case ValueKind.Float:
                text.Append("{\"kind\":\"float\",\"literal\":");
                text.Append(TraceText.Real(BitConverter.Int64BitsToDouble(value.Payload))).Append('}');
                return true;
            case ValueKind.Bool:
                text.Append("{\"kind\":\"bool\",\"literal\":").Append(value.Payload != 0 ? "true" : "false").Append('}');
                return true;
            case ValueKind.Str:
                text.Append("{\"kind\":\"str\",\"literal\":");
                if (names.Text(value) is { } literal) TraceText.Quote(text, literal);
                else text.Append("null");
                text.Append('}');
                return false;
            default:
                text.Append(value.Kind == ValueKind.None ? "{\"kind\":\"none\"}" : "{\"kind\":\"object\"}");
                return false;
        }
    }

    private static bool AppendTensor(StringBuilder text, in ValueRecord value, ReadOnlySpan<long> sizes, TraceNames names)
    {
        text.Append("{\"kind\":\"tensor\",\"shape\":[");
        for (var i = 0; i < sizes.Length; i++) AppendNumber(text, i > 0 ? "," : "", sizes[i]);

        text.Append("],\"dtype\":");
        TraceText.Quote(text, names.DType(value.Dtype));
        text.Append(",\"device\":");
        TraceText.Quote(text, names.Device(value.DeviceType, value.DeviceIndex));
        if (names.Digest(value) is not { } digest)
        {
            text.Append(",\"digest\":null,\"data\":null}");
            return false;
        }

        text.Append(",\"digest\":\"").Append(digest).Append("\",\"data\":");
        if (names.Stored(value)) text.Append('"').Append(digest).Append('"');
        else text.Append("null");
        text.Append('}');
        return true;
    }

    // Append($"…") would format in the current culture, and box each number until the JIT optimizes this method.
    private static void AppendNumber(StringBuilder text, string before, long value)
    {
        Span<char> digits = stackalloc char[20];
        value.TryFormat(digits, out var count, default, CultureInfo.InvariantCulture);
        text.Append(before).Append(digits[..count]);
    }

    // Removes the text and returns it as bytes, which are valid until the next call.
    private ReadOnlySpan<byte> Encode()
    {
        if (_bytes.Length < _text.Length) _bytes = new byte[_text.Length];
        var used = 0;
        foreach (var chunk in _text.GetChunks()) used += Encoding.ASCII.GetBytes(chunk.Span, _bytes.AsSpan(used));
        _text.Clear();
        return _bytes.AsSpan(0, used);
    }
}

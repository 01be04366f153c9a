using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Bridge.Hooks;

/// <summary>
/// Writes a trace file: JSON lines, a header, the events, a footer. For the same events the same bytes as <c>bridge.write_trace</c> in Python;
/// <c>bridge/contract/trace.schema.json</c> is the schema.
/// </summary>
public static class TraceWriter
{
    private const int Block = 1 << 16;

    /// <summary>Writes a file, all or nothing: under another name first, which then takes the place of what was there.</summary>
    /// <param name="path">The file.</param>
    /// <param name="header">The first line.</param>
    /// <param name="buffer">The events.</param>
    /// <param name="names">What the numbers in the buffer mean.</param>
    /// <exception cref="IOException">The file cannot be written; nothing is left of it.</exception>
    /// <exception cref="UnauthorizedAccessException">The same, for lack of permission.</exception>
    public static void Write(string path, TraceHeader header, TraceBuffer buffer, TraceNames names)
    {
        var full = Path.GetFullPath(path);
        var temporary = Path.Combine(Path.GetDirectoryName(full)!, $".{Path.GetFileName(full)}.{Guid.NewGuid():N}.part");
        try
        {
            using (var stream = new FileStream(temporary, FileMode.CreateNew, FileAccess.Write))
            {
                Write(stream, header, buffer, names);
            }

            File.Move(temporary, full, overwrite: true);
        }
        catch
        {
            File.Delete(temporary);
            throw;
        }
    }

    /// <summary>Writes the lines to a stream.</summary>
    /// <param name="stream">Where to.</param>
    /// <param name="header">The first line.</param>
    /// <param name="buffer">The events.</param>
    /// <param name="names">What the numbers in the buffer mean.</param>
    public static void Write(Stream stream, TraceHeader header, TraceBuffer buffer, TraceNames names)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var text = new StringBuilder(2 * Block);
        header.Write(text);
        stream.Write(Drain(text));
        var known = 0L;
        var events = buffer.Events;
        for (var i = 0; i < events.Length; i++)
        {
            ref readonly var record = ref events[i];
            text.Append(CultureInfo.InvariantCulture, $"{{\"seq\":{i},\"path\":");
            TraceText.Quote(text, names.Path(record));
            text.Append(",\"type\":");
            TraceText.Quote(text, names.Type(record));
            text.Append(CultureInfo.InvariantCulture, $",\"phase\":\"{TracePhaseNames.All[(int)record.Phase]}\",\"call\":{record.Call}");
            text.Append(CultureInfo.InvariantCulture, $",\"parent\":{record.Parent},\"hook\":{record.Hook}");
            text.Append(CultureInfo.InvariantCulture, $",\"scope\":\"{HookScopeNames.All[(int)record.Scope]}\",\"values\":[");
            var values = buffer.Values.Slice(record.FirstValue, record.ValueCount);
            for (var k = 0; k < values.Length; k++)
            {
                if (k > 0) text.Append(',');
                if (Value(text, values[k], buffer.Dims, names)) known++;
            }

            text.Append("]}\n");
            if (text.Length >= Block) Flush(text, stream, hash);
        }

        Flush(text, stream, hash);
        var digest = Convert.ToHexString(hash.GetHashAndReset()).ToLowerInvariant();
        text.Append(CultureInfo.InvariantCulture, $"{{\"events\":{events.Length},\"known\":{known},\"digest\":\"{digest}\"}}\n");
        stream.Write(Drain(text));
    }

    // Whether the content is known: a number, or a tensor with a digest.
    private static bool Value(StringBuilder text, in ValueRecord value, ReadOnlySpan<long> dims, TraceNames names)
    {
        switch (value.Kind)
        {
            case ValueKind.Tensor:
                return Tensor(text, value, dims.Slice((int)value.FirstDim, value.Ndim), names);
            case ValueKind.Int:
                text.Append(CultureInfo.InvariantCulture, $"{{\"kind\":\"int\",\"literal\":{value.Payload}}}");
                return true;
            case ValueKind.Float:
                text.Append("{\"kind\":\"float\",\"literal\":").Append(TraceText.Real(BitConverter.Int64BitsToDouble(value.Payload))).Append('}');
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

    private static bool Tensor(StringBuilder text, in ValueRecord value, ReadOnlySpan<long> sizes, TraceNames names)
    {
        text.Append("{\"kind\":\"tensor\",\"shape\":[");
        for (var i = 0; i < sizes.Length; i++)
        {
            if (i > 0) text.Append(',');
            text.Append(CultureInfo.InvariantCulture, $"{sizes[i]}");
        }

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

    private static void Flush(StringBuilder text, Stream stream, IncrementalHash hash)
    {
        var bytes = Drain(text);
        hash.AppendData(bytes);
        stream.Write(bytes);
    }

    private static byte[] Drain(StringBuilder text)
    {
        var bytes = Encoding.ASCII.GetBytes(text.ToString());
        text.Clear();
        return bytes;
    }
}

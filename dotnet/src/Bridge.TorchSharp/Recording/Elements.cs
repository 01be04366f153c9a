using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The elements of recorded tensors by digest. They are written to a safetensors file beside the trace.</summary>
/// <remarks>The file has the same bytes as one that <c>bridge/trace/file/elements.py</c> writes.</remarks>
internal sealed class Elements
{
    private readonly ConcurrentDictionary<string, Stored> _stored = new(StringComparer.Ordinal);

    /// <summary>Returns <c>run.values.safetensors</c> for <c>run.jsonl</c>, and <c>run.elements.safetensors</c> for <c>run</c>.</summary>
    internal static string ValuesFile(string trace) =>
        Path.GetExtension(trace) == ".jsonl" ? Path.ChangeExtension(trace, ".values.safetensors") : $"{trace}.elements.safetensors";

    /// <summary>Copies a tensor's elements, unless elements with that digest are stored.</summary>
    /// <param name="digest">The digest.</param>
    /// <param name="numpy">NumPy's name of the element type, such as <c>&lt;f4</c>.</param>
    /// <param name="sizes">The shape.</param>
    /// <param name="bytes">The elements in C order.</param>
    internal void Add(string digest, string numpy, ReadOnlySpan<long> sizes, ReadOnlySpan<byte> bytes)
    {
        if (!_stored.ContainsKey(digest)) _stored.TryAdd(digest, new(numpy[1..], sizes.ToArray(), bytes.ToArray()));
    }

    /// <summary>Writes the file of values and the trace. If either fails, the old files are restored.</summary>
    /// <param name="trace">The file of the trace.</param>
    /// <param name="write">Writes the trace.</param>
    internal void Write(string trace, Action<Stream> write)
    {
        using var values = new AtomicFile(ValuesFile(trace));
        using var lines = new AtomicFile(trace);
        Write(values.Stream);
        write(lines.Stream);
        values.Commit(keepBackup: true);
        try
        {
            lines.Commit();
        }
        catch
        {
            values.Rollback();
            throw;
        }
    }

    private void Write(Stream stream)
    {
        // Largest element type first, so that all elements are aligned.
        var all = _stored.OrderByDescending(entry => entry.Value.Type[1..], StringComparer.Ordinal)
            .ThenBy(entry => entry.Key, StringComparer.Ordinal).ToArray();
        var header = new StringBuilder("{");
        var end = 0L;
        foreach (var (digest, stored) in all)
        {
            var start = end;
            end += stored.Bytes.Length;
            if (header.Length > 1) header.Append(',');
            header.Append('"').Append(JsonEncodedText.Encode(digest)).Append("\":{\"dtype\":\"").Append(Name(stored.Type));
            header.Append("\",\"shape\":[").AppendJoin(',', stored.Shape);
            header.Append(CultureInfo.InvariantCulture, $"],\"data_offsets\":[{start},{end}]}}");
        }

        header.Append('}');
        while (header.Length % 8 != 0) header.Append(' ');
        Span<byte> length = stackalloc byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(length, header.Length);
        stream.Write(length);
        stream.Write(Encoding.ASCII.GetBytes(header.ToString()));
        foreach (var (_, stored) in all) stream.Write(stored.Bytes);
    }

    // Converts NumPy's name of an element type to that of safetensors.
    private static string Name(string numpy) => numpy == "b1" ? "BOOL" : $"{char.ToUpperInvariant(numpy[0])}{8 * (numpy[1] - '0')}";

    private sealed record Stored(string Type, long[] Shape, byte[] Bytes);
}

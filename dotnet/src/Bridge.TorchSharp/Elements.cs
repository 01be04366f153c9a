using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The elements of a recording's tensors by their digest, and the file of them beside the trace, in safetensors.</summary>
/// <remarks>As <c>bridge/trace/file/elements.py</c> writes it, by the same bytes.</remarks>
internal sealed class Elements
{
    private readonly ConcurrentDictionary<string, Stored> _stored = new(StringComparer.Ordinal);

    /// <summary>Where the values of a trace file are: <c>run.jsonl</c> has <c>run.values.safetensors</c>, <c>run</c> has <c>run.elements.safetensors</c>.</summary>
    internal static string Beside(string trace) =>
        Path.GetExtension(trace) == ".jsonl" ? Path.ChangeExtension(trace, ".values.safetensors") : $"{trace}.elements.safetensors";

    /// <summary>Keeps a copy of a tensor's elements, unless one of that digest is there.</summary>
    /// <param name="digest">Its digest.</param>
    /// <param name="numpy">Its element type as NumPy writes it, such as <c>&lt;f4</c>.</param>
    /// <param name="sizes">Its shape.</param>
    /// <param name="bytes">Its elements in C order.</param>
    internal void Add(string digest, string numpy, ReadOnlySpan<long> sizes, ReadOnlySpan<byte> bytes)
    {
        if (!_stored.ContainsKey(digest)) _stored.TryAdd(digest, new(numpy[1..], sizes.ToArray(), bytes.ToArray()));
    }

    /// <summary>Puts the file in place, then the trace, both of them complete; where that fails, what was there before is back.</summary>
    /// <param name="trace">The trace's file.</param>
    /// <param name="write">Writes the trace.</param>
    internal void Write(string trace, Action<Stream> write)
    {
        using var values = new AtomicFile(Beside(trace));
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
        // Larger items first, so that each is aligned.
        var all = _stored.OrderByDescending(entry => entry.Value.Type[1..], StringComparer.Ordinal).ThenBy(entry => entry.Key, StringComparer.Ordinal).ToArray();
        var header = new StringBuilder("{");
        var end = 0L;
        foreach (var (digest, stored) in all)
        {
            var start = end;
            end += stored.Bytes.Length;
            if (header.Length > 1) header.Append(',');
            header.Append(JsonSerializer.Serialize(digest)).Append(":{\"dtype\":\"").Append(Name(stored.Type)).Append("\",\"shape\":[").AppendJoin(',', stored.Shape)
                .Append(CultureInfo.InvariantCulture, $"],\"data_offsets\":[{start},{end}]}}");
        }

        header.Append('}');
        while (header.Length % 8 != 0) header.Append(' ');
        Span<byte> length = stackalloc byte[8];
        BinaryPrimitives.WriteInt64LittleEndian(length, header.Length);
        stream.Write(length);
        stream.Write(Encoding.ASCII.GetBytes(header.ToString()));
        foreach (var (_, stored) in all) stream.Write(stored.Bytes);
    }

    // The format's names, by NumPy's.
    private static string Name(string numpy) => numpy == "b1" ? "BOOL" : $"{char.ToUpperInvariant(numpy[0])}{8 * (numpy[1] - '0')}";

    private sealed record Stored(string Type, long[] Shape, byte[] Bytes);
}

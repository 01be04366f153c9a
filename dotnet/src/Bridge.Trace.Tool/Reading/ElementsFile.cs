using System.Buffers.Binary;
using System.Text;
using System.Text.Json;
using Bridge.TorchSharp;

namespace Bridge.Trace.Tool.Reading;

/// <summary>
/// Reads the file of values beside a trace: the elements of tensors by digest, in the format safetensors. Complex tensors are stored as
/// real tensors with an additional last dimension of 2.
/// </summary>
internal sealed class ElementsFile
{
    private const int MaxHeader = 100_000_000;
    private static readonly Dictionary<string, (ElementKind Kind, int Size)> Types = new(StringComparer.Ordinal)
    {
        ["BOOL"] = (ElementKind.Boolean, 1),
        ["I8"] = (ElementKind.Signed, 1),
        ["I16"] = (ElementKind.Signed, 2),
        ["I32"] = (ElementKind.Signed, 4),
        ["I64"] = (ElementKind.Signed, 8),
        ["U8"] = (ElementKind.Unsigned, 1),
        ["U16"] = (ElementKind.Unsigned, 2),
        ["U32"] = (ElementKind.Unsigned, 4),
        ["U64"] = (ElementKind.Unsigned, 8),
        ["F16"] = (ElementKind.Real, 2),
        ["F32"] = (ElementKind.Real, 4),
        ["F64"] = (ElementKind.Real, 8),
    };

    // Other types of the format, which no trace has.
    private static readonly string[] OtherTypes = ["BF16", "C64", "F4", "F6_E2M3", "F6_E3M2", "F8_E4M3", "F8_E5M2", "F8_E8M0"];

    private readonly string _path;
    private readonly Dictionary<string, Entry> _entries = new(StringComparer.Ordinal);

    /// <exception cref="TraceFileException">The file cannot be read.</exception>
    internal ElementsFile(string path)
    {
        _path = path;
        try
        {
            ReadNames();
        }
        catch (Exception error) when (IsFault(error))
        {
            throw Fault($"the file of values cannot be read ({error.Message})");
        }
    }

    /// <summary>Returns the path of a trace's file of values.</summary>
    internal static string Beside(string trace)
    {
        var name = Path.GetFileName(trace);
        var other = name.Length > 6 && name.EndsWith(".jsonl", StringComparison.Ordinal)
            ? $"{name[..^6]}.values.safetensors"
            : $"{name}.elements.safetensors";
        return Path.Combine(Path.GetDirectoryName(trace) ?? "", other);
    }

    /// <summary>Returns the elements of a tensor, checked against its digest; null if they were not stored.</summary>
    /// <exception cref="TraceFileException">The elements cannot be read, or do not match the trace.</exception>
    internal TensorElements? Read(TraceValue value)
    {
        if (!value.Stored) return null;
        var key = value.Digest!;
        if (!_entries.TryGetValue(key, out var entry)) throw Fault($"the elements with digest {key} are missing from this file");
        TensorElements found;
        try
        {
            found = Load(entry, value.DType!);
        }
        catch (Exception error) when (IsFault(error))
        {
            throw Fault($"the elements with digest {key} cannot be read ({error.Message})");
        }

        if (Digest(found) != key) throw Fault($"the elements do not match their digest {key}");
        if (!found.Shape.AsSpan().SequenceEqual(value.Shape))
            throw Fault($"the elements with digest {key} do not have the shape in the trace");
        return found;
    }

    private static string Digest(TensorElements found)
    {
        var hash = new Blake2b();
        var comma = found.Shape.Length == 1 ? "," : "";
        hash.Add(Encoding.ASCII.GetBytes($"{found.NumPyName}({string.Join(", ", found.Shape)}{comma})"));
        hash.Add(found.Data);
        return hash.End();
    }

    private TensorElements Load(Entry entry, string dtype)
    {
        if (!Types.TryGetValue(entry.Type, out var type)) throw new InvalidDataException($"the dtype is {entry.Type}");
        var data = new byte[entry.Length];
        using (var file = File.OpenRead(_path))
        {
            file.Position = entry.Start;
            file.ReadExactly(data);
        }

        var complex = dtype.StartsWith("complex", StringComparison.Ordinal) && type.Kind == ElementKind.Real && entry.Shape is [.., 2];
        if (!complex) return new(type.Kind, type.Size, entry.Shape, data);
        return type.Size < 4
            ? throw new InvalidDataException($"complex numbers of dtype {entry.Type}")
            : new(ElementKind.Complex, 2 * type.Size, entry.Shape[..^1], data);
    }

    private void ReadNames()
    {
        using var file = File.OpenRead(_path);
        var size = new byte[8];
        file.ReadExactly(size);
        var length = BinaryPrimitives.ReadUInt64LittleEndian(size);
        if (length > MaxHeader || 8 + (long)length > file.Length) throw new InvalidDataException("the header is too long");
        var header = new byte[length];
        file.ReadExactly(header);
        var start = 8 + (long)length;
        using var document = JsonDocument.Parse(header);
        foreach (var item in document.RootElement.EnumerateObject().Where(item => item.Name != "__metadata__"))
            _entries[item.Name] = Entry.Of(item.Value, start);

        var end = start;
        foreach (var entry in _entries.Values.OrderBy(entry => (entry.Start, entry.Length)))
        {
            if (entry.Start != end) throw new InvalidDataException("the offsets are not contiguous");
            if (Types.TryGetValue(entry.Type, out var type) && checked(entry.Shape.Aggregate((long)type.Size, Multiply)) != entry.Length)
                throw new InvalidDataException("an offset does not fit the shape");
            end += entry.Length;
        }

        if (end != file.Length) throw new InvalidDataException("the header does not cover the file");
    }

    private static long Multiply(long product, long size) => checked(product * size);

    private static bool IsFault(Exception error) =>
        error is IOException or UnauthorizedAccessException or InvalidDataException or JsonException or InvalidOperationException
            or KeyNotFoundException or FormatException or OverflowException;

    private TraceFileException Fault(string words) => new(TraceFileError.TraceValuesError, _path, words);

    private sealed record Entry(string Type, long[] Shape, long Start, long Length)
    {
        internal static Entry Of(JsonElement item, long start)
        {
            var offsets = item.GetProperty("data_offsets").EnumerateArray().Select(offset => offset.GetInt64()).ToArray();
            if (offsets is not [>= 0, _] || offsets[1] < offsets[0]) throw new InvalidDataException("the offsets are invalid");
            var shape = item.GetProperty("shape").EnumerateArray().Select(size => size.GetInt64()).ToArray();
            var type = item.GetProperty("dtype").GetString() ?? "null";
            if (!Types.ContainsKey(type) && !OtherTypes.Contains(type)) throw new InvalidDataException($"the dtype {type} is unknown");
            return new(type, shape, start + offsets[0], offsets[1] - offsets[0]);
        }
    }
}

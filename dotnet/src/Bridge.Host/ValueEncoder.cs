using System.Collections;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Bridge.Host;

/// <summary>Encodes values as JSON and collects their tensors, which are copied to shared memory when their total size is known.</summary>
internal sealed unsafe class ValueEncoder
{
    private const long Alignment = 64;

    // The source is a tensor, a copy of its elements (byte[]) or their address (IntPtr). The encoder disposes a tensor if `Own` is true.
    private readonly List<(object Source, bool Own, long Offset, long Length)> _tensors = [];
    private TensorAccess? _access;
    private bool _copies;

    /// <summary>Gets the size of the collected tensors in bytes.</summary>
    internal long Length { get; private set; }

    /// <summary>Removes the collected tensors.</summary>
    internal void Clear()
    {
        foreach (var (source, own, _, _) in _tensors)
            if (own) ((IDisposable)source).Dispose();
        _tensors.Clear();
        Length = 0;
    }

    /// <summary>Writes a value and copies its tensors' elements now. Of an object of any other type, writes only the type's name.</summary>
    /// <exception cref="NotSupportedException">A dictionary's keys are not strings, or a tensor's element type cannot be sent.</exception>
    internal void WriteCopy(Utf8JsonWriter json, object? value, TensorAccess access)
    {
        _copies = true;
        try
        {
            Write(json, value, access);
        }
        finally
        {
            _copies = false;
        }
    }

    /// <summary>Writes a value.</summary>
    /// <exception cref="NotSupportedException">The value, or an item of the value, cannot be sent.</exception>
    internal void Write(Utf8JsonWriter json, object? value, TensorAccess access)
    {
        _access = access;
        switch (value)
        {
            case null:
                json.WriteNullValue();
                break;
            case bool truth:
                json.WriteBooleanValue(truth);
                break;
            case string text:
                json.WriteStringValue(text);
                break;
            case Enum member:
                json.WriteStringValue(member.ToString());
                break;
            case sbyte or byte or short or ushort or int or uint or long:
                json.WriteNumberValue(Convert.ToInt64(value, CultureInfo.InvariantCulture));
                break;
            case Half or float or double or decimal:
                Write(json, value is Half half ? (double)half : Convert.ToDouble(value, CultureInfo.InvariantCulture));
                break;
            case ITuple tuple:
                json.WriteStartObject();
                json.WriteStartArray("tuple");
                for (var i = 0; i < tuple.Length; i++) Write(json, tuple[i], access);
                json.WriteEndArray();
                json.WriteEndObject();
                break;
            case IDictionary dictionary:
                json.WriteStartObject();
                json.WriteStartObject("dict");
                foreach (DictionaryEntry entry in dictionary)
                {
                    json.WritePropertyName(entry.Key as string ?? throw Unsupported(value, "its keys are not strings"));
                    Write(json, entry.Value, access);
                }

                json.WriteEndObject();
                json.WriteEndObject();
                break;
            case IList list:
                json.WriteStartArray();
                foreach (var item in list) Write(json, item, access);
                json.WriteEndArray();
                break;
            default:
                if (access.Tensor.IsInstanceOfType(value)) WriteTensor(json, value, access);
                else if (_copies) WriteOther(json, value);
                else throw Unsupported(value, "tensors, numbers except ulong, strings, bools, tuples, lists and dictionaries can be sent");
                break;
        }
    }

    /// <summary>
    /// Replaces the tensor by the address of its elements, if only one is collected and its elements are in the block of the arguments
    /// (<see cref="SharedMemory.OffsetInBlock"/>). Returns whether they are.
    /// </summary>
    /// <param name="memory">The shared memory.</param>
    /// <param name="start">The offset of the elements in the block.</param>
    internal bool TryAliasArguments(SharedMemory memory, out long start)
    {
        start = -1;
        if (_tensors is not [{ Source: not (byte[] or IntPtr), Length: > 0 } only]) return false;
        var address = _access!.Address(only.Source);
        start = memory.OffsetInBlock(address, only.Length);
        if (start < 0) return false;
        if (only.Own) ((IDisposable)only.Source).Dispose();
        _tensors[0] = ((IntPtr)address, false, only.Offset, only.Length);
        return true;
    }

    /// <summary>Copies the elements of all tensors to memory of sufficient size, and removes the tensors.</summary>
    internal void CopyTo(byte* room)
    {
        foreach (var (source, _, offset, length) in _tensors)
        {
            if (source is byte[] copied) copied.CopyTo(new Span<byte>(room + offset, copied.Length));
            else if (source is IntPtr address) Buffer.MemoryCopy((void*)address, room + offset, length, length);
            else _access!.CopyElements(source, room + offset, length);
        }

        Clear();
    }

    private void WriteTensor(Utf8JsonWriter json, object tensor, TensorAccess access)
    {
        if (!access.HasHandle(tensor))
        {
            json.WriteNullValue();
            return;
        }

        var (dtype, shape) = access.Describe(tensor);
        var length = TensorAccess.ByteLength(dtype, shape);
        var plain = access.ToContiguousCpu(tensor);
        var own = !ReferenceEquals(plain, tensor);
        if (_copies)
        {
            // An array, because a new tensor would be disposed with the dispose scope of the model's code.
            var elements = GC.AllocateUninitializedArray<byte>(checked((int)length));
            fixed (byte* room = elements) access.CopyElements(plain, room, length);
            if (own) ((IDisposable)plain).Dispose();
            (plain, own) = (elements, false);
        }

        _tensors.Add((plain, own, Length, length));
        json.WriteStartObject();
        json.WriteStartObject("tensor");
        json.WriteNumber("dtype", dtype);
        json.WriteStartArray("shape");
        foreach (var size in shape) json.WriteNumberValue(size);
        json.WriteEndArray();
        json.WriteNumber("offset", Length);
        json.WriteEndObject();
        json.WriteEndObject();
        Length = (Length + length + Alignment - 1) / Alignment * Alignment;
    }

    private static NotSupportedException Unsupported(object value, string reason) =>
        new($"A {value.GetType()} cannot be sent between processes: {reason}.");

    private static void WriteOther(Utf8JsonWriter json, object value)
    {
        json.WriteStartObject();
        json.WriteString("other", value.GetType().Name);
        json.WriteEndObject();
    }

    // JSON has no infinities, and Utf8JsonWriter writes 1.0 as 1.
    private static void Write(Utf8JsonWriter json, double number)
    {
        json.WriteStartObject();
        if (double.IsFinite(number)) json.WriteNumber("float", number);
        else json.WriteString("float", double.IsNaN(number) ? "nan" : number > 0 ? "inf" : "-inf");
        json.WriteEndObject();
    }
}

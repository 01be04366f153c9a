using System.Collections;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text.Json;

namespace Bridge.Host;

/// <summary>Values on their way to Python: written as JSON, their tensors collected, to be copied where there is room for all of them.</summary>
internal sealed unsafe class Outgoing
{
    private const long Alignment = 64;
    private readonly List<(object Elements, bool Own, long Offset, long Length)> _tensors = [];
    private TensorCrossing? _crossing;
    private bool _copies;

    /// <summary>The bytes that all of them take.</summary>
    internal long Length { get; private set; }

    /// <summary>Forgets what was collected.</summary>
    internal void Clear()
    {
        foreach (var (elements, own, _, _) in _tensors)
            if (own) ((IDisposable)elements).Dispose();
        _tensors.Clear();
        Length = 0;
    }

    /// <summary>Writes a value as it is now, whatever is written to its tensors later; <c>other</c> for what does not cross.</summary>
    internal void WriteCopy(Utf8JsonWriter json, object? value, TensorCrossing crossing)
    {
        _copies = true;
        try
        {
            Write(json, value, crossing);
        }
        finally
        {
            _copies = false;
        }
    }

    /// <summary>Writes a value.</summary>
    /// <exception cref="NotSupportedException">It is of a kind that Python has no counterpart for.</exception>
    internal void Write(Utf8JsonWriter json, object? value, TensorCrossing crossing)
    {
        _crossing = crossing;
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
                for (var i = 0; i < tuple.Length; i++) Write(json, tuple[i], crossing);
                json.WriteEndArray();
                json.WriteEndObject();
                break;
            case IDictionary dictionary:
                json.WriteStartObject();
                json.WriteStartObject("dict");
                foreach (DictionaryEntry entry in dictionary)
                {
                    json.WritePropertyName(entry.Key as string ?? throw new NotSupportedException($"A {value.GetType()} does not cross between processes: its keys are no strings."));
                    Write(json, entry.Value, crossing);
                }

                json.WriteEndObject();
                json.WriteEndObject();
                break;
            case IList list:
                json.WriteStartArray();
                foreach (var item in list) Write(json, item, crossing);
                json.WriteEndArray();
                break;
            default:
                if (crossing.Tensor.IsInstanceOfType(value)) Tensor(json, value, crossing);
                else if (_copies) Other(json, value);
                else throw new NotSupportedException($"A {value.GetType()} does not cross between processes: tensors, numbers, strings, truth values, tuples, lists and dictionaries do.");
                break;
        }
    }

    /// <summary>
    /// Where its only tensor is in the memory of the arguments: from now on it is that memory, whoever has tensors on it.
    /// </summary>
    internal bool TakePlace(SharedMemory memory, out long start)
    {
        start = -1;
        if (_tensors is not [{ Elements: not (byte[] or IntPtr), Length: > 0 } only]) return false;
        var address = _crossing!.Address(only.Elements);
        start = memory.Offset(address, only.Length);
        if (start < 0) return false;
        if (only.Own) ((IDisposable)only.Elements).Dispose();
        _tensors[0] = ((IntPtr)address, false, only.Offset, only.Length);
        return true;
    }

    /// <summary>Copies all tensors to memory that has room for them, and forgets them.</summary>
    internal void CopyTo(byte* room)
    {
        foreach (var (elements, _, offset, length) in _tensors)
        {
            if (elements is byte[] copied) copied.CopyTo(new Span<byte>(room + offset, copied.Length));
            else if (elements is IntPtr place) Buffer.MemoryCopy((void*)place, room + offset, length, length);
            else _crossing!.Copy(elements, room + offset, length);
        }

        Clear();
    }

    private void Tensor(Utf8JsonWriter json, object tensor, TensorCrossing crossing)
    {
        if (!crossing.HasElements(tensor))
        {
            json.WriteNullValue();
            return;
        }

        var (dtype, shape) = crossing.Describe(tensor);
        var length = TensorCrossing.Length(dtype, shape);
        var plain = crossing.Plain(tensor);
        var own = !ReferenceEquals(plain, tensor);
        if (_copies)
        {
            // Of .NET's own: a tensor that is made here would belong to the scope that the model's code is in, and end with it.
            var elements = GC.AllocateUninitializedArray<byte>(checked((int)length));
            fixed (byte* room = elements) crossing.Copy(plain, room, length);
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

    private static void Other(Utf8JsonWriter json, object value)
    {
        json.WriteStartObject();
        json.WriteString("other", value.GetType().Name);
        json.WriteEndObject();
    }

    // JSON has no infinities, and an integer may stand for a real number.
    private static void Write(Utf8JsonWriter json, double number)
    {
        json.WriteStartObject();
        if (double.IsFinite(number)) json.WriteNumber("float", number);
        else json.WriteString("float", double.IsNaN(number) ? "nan" : number > 0 ? "inf" : "-inf");
        json.WriteEndObject();
    }
}

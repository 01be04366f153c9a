using System.Collections;
using System.Globalization;
using System.Text.Json;
using Bridge.Torch;

namespace Bridge.Host;

/// <summary>
/// Encodes plain values (see <see cref="Tuples"/>) as JSON and collects their tensors, which are copied to shared memory when their total
/// size is known.
/// </summary>
/// <param name="session">The session, which keeps the objects of models' own classes that are encoded.</param>
internal sealed unsafe class ValueEncoder(HostSession session)
{
    private const long Alignment = 64;

    // The source is a tensor, a copy of its elements (byte[]) or their address (IntPtr). The encoder disposes a tensor if `Own` is true.
    private readonly List<(object Source, bool Own, long Offset, long Length)> _tensors = [];
    private readonly Stack<object> _open = []; // The objects whose fields are being read: an object that leads to itself is read once.
    private TensorAccess? _access;
    private bool _copies, _marks;

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

    /// <summary>
    /// Writes an argument or a result of a recorded call, and copies its tensors' elements now. Lists, dictionaries and objects of users'
    /// classes are written as tuples of their items, values and fields (<see cref="DataFields"/>), other objects as their type's name.
    /// </summary>
    /// <exception cref="NotSupportedException">A tensor's element type cannot be sent.</exception>
    internal void WriteCopy(Utf8JsonWriter json, object? value, TensorAccess access)
    {
        _copies = true;
        try
        {
            Write(json, ReadFields(Tuples.Unpack(value)), access);
        }
        finally
        {
            _copies = false;
            _open.Clear();
        }
    }

    /// <summary>Writes a plain value, and which of its tensors require gradients.</summary>
    internal void WriteMarked(Utf8JsonWriter json, object? value, TensorAccess access)
    {
        _marks = true;
        try
        {
            Write(json, value, access);
        }
        finally
        {
            _marks = false;
        }
    }

    /// <summary>
    /// Writes a plain value. A module of a loaded model is written as the model's number and the module's path. Any other object without a
    /// counterpart in Python is added to the session's objects, and written as its number and class.
    /// </summary>
    /// <exception cref="NotSupportedException">A tensor's element type cannot be sent.</exception>
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
            case ulong large:
                json.WriteNumberValue(large);
                break;
            case sbyte or byte or short or ushort or int or uint or long:
                json.WriteNumberValue(Convert.ToInt64(value, CultureInfo.InvariantCulture));
                break;
            case Half or float or double:
                Write(json, value is Half half ? (double)half : Convert.ToDouble(value, CultureInfo.InvariantCulture));
                break;
            case object?[] tuple:
                json.WriteStartObject();
                WriteItems(json, tuple, access, "tuple");
                json.WriteEndObject();
                break;
            case ListOfValues list:
                WriteItems(json, list.Items, access);
                break;
            case DictOfValues map:
                json.WriteStartObject();
                json.WriteStartObject("dict");
                foreach (var (key, item) in map.Items)
                {
                    json.WritePropertyName(key);
                    Write(json, item, access);
                }

                json.WriteEndObject();
                json.WriteEndObject();
                break;
            default:
                if (access.Tensor.IsInstanceOfType(value)) WriteTensor(json, value, access);
                else WriteObject(json, value);
                break;
        }
    }

    /// <summary>
    /// If only one tensor is collected, and <see cref="SharedMemory.OffsetInBlock"/> returns an offset for its elements, replaces the
    /// tensor by the address of its elements. Returns whether it did.
    /// </summary>
    /// <param name="memory">The shared memory.</param>
    /// <param name="start">The offset of the elements in the block of the arguments; -1 if nothing is replaced.</param>
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
        if (_marks && access.RequiresGrad(tensor)) json.WriteBoolean("grad", true);
        json.WriteEndObject();
        json.WriteEndObject();
        Length = (Length + length + Alignment - 1) / Alignment * Alignment;
    }

    private void WriteItems(Utf8JsonWriter json, object?[] items, TensorAccess access, string? name = null)
    {
        if (name is not null) json.WritePropertyName(name);
        json.WriteStartArray();
        foreach (var item in items) Write(json, item, access);
        json.WriteEndArray();
    }

    // Replaces lists, dictionaries and objects of users' classes by tuples of their items, values and fields, as other runtimes do.
    private object? ReadFields(object? value)
    {
        if (value is null or string or IConvertible) return value;
        Nesting.Check();
        switch (value)
        {
            case object?[] items: return items.Select(ReadFields).ToArray();
            case ListOfValues list: return list.Items.Select(ReadFields).ToArray();
            case DictOfValues map: return map.Items.Select(item => ReadFields(item.Value)).ToArray();
            case IDictionary map: return map.Values.Cast<object?>().Select(item => ReadFields(Tuples.Unpack(item))).ToArray();
        }

        if (DataFields.Of(value.GetType()) is not { Length: > 0 } fields || _open.Contains(value)) return value;
        _open.Push(value);
        var read = fields.Select(field => ReadFields(Tuples.Unpack(field.GetValue(value)))).ToArray();
        _open.Pop();
        return read;
    }

    private void WriteObject(Utf8JsonWriter json, object value)
    {
        json.WriteStartObject();
        if (_copies)
        {
            json.WriteString("other", value.GetType().Name);
        }
        else if (session.Library!.Module.IsInstanceOfType(value) && session.Find(value) is var (model, path))
        {
            json.WriteStartArray("module");
            json.WriteNumberValue(model);
            json.WriteStringValue(path);
            json.WriteEndArray();
        }
        else
        {
            json.WriteStartArray("object");
            json.WriteNumberValue(session.Objects.Add(value));
            json.WriteStringValue(CSharpTypeName.Of(value.GetType()));
            json.WriteEndArray();
        }

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

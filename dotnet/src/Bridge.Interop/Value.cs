using System.Runtime.InteropServices;
using System.Text;
using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>An argument or result as it crosses. 16 bytes: kind, content.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct Value
{
    internal long Kind;
    internal long Bits;

    internal const long None = 0;

    /// <summary>From Python: the address of a TensorImpl that Python keeps alive meanwhile. To Python: a handle, owned by who receives it.</summary>
    internal const long Tensor = 1;
    internal const long Int = 2;
    internal const long Float = 3;
    internal const long Bool = 4;

    /// <summary>The next <c>Bits</c> values, nested ones counting once.</summary>
    internal const long Tuple = 5;

    /// <summary>From Python: an owned handle, as a callback's result.</summary>
    internal const long Handle = 6;

    /// <summary>As a tuple, but a list.</summary>
    internal const long List = 7;

    /// <summary>The address of a length (8 bytes) and that much UTF-8. To Python: its receiver frees it.</summary>
    internal const long Text = 8;

    /// <summary>From Python: the parameter's default.</summary>
    internal const long Default = 9;

    /// <summary>The next <c>Bits</c> pairs of a text and a value, nested ones counting once.</summary>
    internal const long Dict = 10;
}

/// <summary>Values to objects and back.</summary>
internal static unsafe class Values
{
    /// <summary>Objects of what Python handed over. The GIL is held; each tensor is a new object with a handle of its own.</summary>
    internal static object?[] Read(Value* values, int count)
    {
        var items = new object?[count];
        var at = 0;
        for (var i = 0; i < count; i++) items[i] = ReadOne(values, ref at);
        return items;
    }

    /// <summary>Writes a result, flattened, giving new handles away.</summary>
    /// <exception cref="InvalidOperationException">There are more values than room, or one can not cross.</exception>
    internal static int Write(object? value, Value* values, int capacity)
    {
        var at = 0;
        Write(value, values, capacity, ref at);
        return at;
    }

    /// <summary>Arguments for Python: handles stay the caller's.</summary>
    internal static int Lend(object?[] items, Value* values, int capacity)
    {
        var at = 0;
        foreach (var item in items) Write(item, values, capacity, ref at, lend: true);
        return at;
    }

    private static object? ReadOne(Value* values, ref int at)
    {
        var value = values[at++];
        switch (value.Kind)
        {
            case Value.None: return null;
            case Value.Tensor:
                var impl = (IntPtr)value.Bits;
                // The slot is, for the length of this call, a C++ tensor that nobody owns; the new handle is ours.
                return torch.Tensor.Own(Abi.NewHandle((IntPtr)(&impl)));
            case Value.Handle: return torch.Tensor.Own((IntPtr)value.Bits);
            case Value.Int: return value.Bits;
            case Value.Float: return BitConverter.Int64BitsToDouble(value.Bits);
            case Value.Bool: return value.Bits != 0;
            case Value.Tuple or Value.List:
                var items = new object?[value.Bits];
                for (var i = 0; i < items.Length; i++) items[i] = ReadOne(values, ref at);
                return value.Kind == Value.List ? new ListOfValues(items) : items;
            case Value.Text: return Encoding.UTF8.GetString((byte*)value.Bits + 8, checked((int)*(long*)value.Bits));
            case Value.Dict:
                var pairs = new KeyValuePair<string, object?>[value.Bits];
                for (var i = 0; i < pairs.Length; i++) pairs[i] = KeyValuePair.Create((string)ReadOne(values, ref at)!, ReadOne(values, ref at));
                return new DictOfValues(pairs);
            case Value.Default: return System.Reflection.Missing.Value;
            default: throw new InvalidOperationException($"unknown value kind {value.Kind}");
        }
    }

    private static void Write(object? value, Value* values, int capacity, ref int at, bool lend = false)
    {
        if (at >= capacity) throw new InvalidOperationException($"The result has more than {capacity} values.");
        ref var slot = ref values[at++];
        switch (value)
        {
            case null: slot = new() { Kind = Value.None }; break;
            case torch.Tensor tensor:
                slot = new() { Kind = Value.Tensor, Bits = lend ? tensor.Handle : Abi.NewHandle(tensor.Handle) };
                GC.KeepAlive(tensor);
                break;
            case bool truth: slot = new() { Kind = Value.Bool, Bits = truth ? 1 : 0 }; break;
            case long or int or short or byte or sbyte or uint or ushort: slot = new() { Kind = Value.Int, Bits = Convert.ToInt64(value, System.Globalization.CultureInfo.InvariantCulture) }; break;
            case float or double: slot = new() { Kind = Value.Float, Bits = BitConverter.DoubleToInt64Bits(Convert.ToDouble(value, System.Globalization.CultureInfo.InvariantCulture)) }; break;
            case object?[] or ListOfValues:
                var items = value as object?[] ?? ((ListOfValues)value).Items;
                slot = new() { Kind = value is ListOfValues ? Value.List : Value.Tuple, Bits = items.Length };
                foreach (var item in items) Write(item, values, capacity, ref at, lend);
                break;
            case DictOfValues map:
                slot = new() { Kind = Value.Dict, Bits = map.Items.Length };
                foreach (var (key, item) in map.Items)
                {
                    Write(key, values, capacity, ref at, lend);
                    Write(item, values, capacity, ref at, lend);
                }

                break;
            case string text:
                var bytes = Encoding.UTF8.GetBytes(text);
                var block = (byte*)NativeMemory.Alloc((nuint)bytes.Length + 8);
                *(long*)block = bytes.Length;
                bytes.CopyTo(new Span<byte>(block + 8, bytes.Length));
                slot = new() { Kind = Value.Text, Bits = (long)block };
                break;
            default: throw new InvalidOperationException($"A {value.GetType().FullName} cannot be handed to Python; tensors, numbers, strings, and tuples, lists and dictionaries of them can.");
        }
    }
}

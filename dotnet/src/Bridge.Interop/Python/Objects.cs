using System.Globalization;
using System.Text;
using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>
/// Arguments and results as they cross: Python's objects to .NET's and back. Tensors cross by reference; numbers, strings and None by value;
/// tuples, lists and dictionaries of them item by item.
/// </summary>
/// <remarks>
/// The GIL is held throughout. Containers are read as they are in memory, whatever <c>__len__</c>, <c>__iter__</c> or <c>keys()</c> of a
/// subclass says, and an item is referred to while it is read, so nothing that another thread does meanwhile can free it. Only the items of a
/// dict subclass are asked for, since its order may be its own (OrderedDict). A failure half way leaves nothing behind.
/// </remarks>
internal static unsafe class Objects
{
    // Bits of a type's flags, by which CPython's own checks (PyLong_Check, PyList_Check …) go.
    private const uint IsInt = 1 << 24, IsList = 1 << 25, IsTuple = 1 << 26, IsText = 1 << 28, IsDict = 1 << 29;

    /// <summary>Represents an object that cannot cross, where that is not a reason to fail.</summary>
    private static readonly object Foreign = new();


    /// <summary>A new tensor with a handle of its own.</summary>
    /// <param name="item">A tensor object.</param>
    internal static torch.Tensor Tensor(IntPtr item)
    {
        // The slot is, for the length of this call, a C++ tensor without an owner; the new handle is ours.
        var impl = Python.Impl(item);
        var type = Python.TypeOf(item);
        if (type != Imports.Tensor && type != Imports.Parameter) Surroundings.SeeSubclass();
        return torch.Tensor.Own(Abi.NewHandle((IntPtr)(&impl)));
    }

    /// <summary>What Python handed over; each tensor is a new object with a handle of its own.</summary>
    /// <param name="items">The objects.</param>
    /// <param name="count">How many.</param>
    /// <param name="lenient">What cannot cross becomes an opaque object instead of a failure.</param>
    /// <exception cref="PythonException">A TypeError: one cannot cross.</exception>
    /// <exception cref="InsufficientExecutionStackException">One is nested too deeply, or contains itself.</exception>
    internal static object?[] Read(IntPtr* items, int count, bool lenient = false)
    {
        var read = new object?[count];
        var done = 0;
        try
        {
            for (; done < count; done++) Read(items[done], ref read[done], lenient);
        }
        finally
        {
            // No catch: see the remarks of Dispatcher on recursion.
            if (done < count) Discard(read);
        }

        return read;
    }

    /// <summary>The same for one object.</summary>
    internal static object? Read(IntPtr item) => Python.IsTensor(item) ? Tensor(item) : Read(&item, 1)[0];

    /// <summary>A new reference to what .NET gives; a tensor is the object that Python knows.</summary>
    /// <exception cref="InvalidOperationException">It, or something in it, cannot cross.</exception>
    /// <exception cref="InsufficientExecutionStackException">It is nested too deeply, or contains itself.</exception>
    internal static IntPtr Write(object? value)
    {
        switch (value)
        {
            case torch.Tensor tensor: return Python.Wrap(tensor);
            case null: return Same(Imports.None);
            case bool truth: return Same(truth ? Imports.True : Imports.False);
            case long or int or short or byte or sbyte or uint or ushort: return Python.Number(Convert.ToInt64(value, CultureInfo.InvariantCulture));
            case ulong integer: return Python.Checked(Imports.PyLong_FromUnsignedLongLong(integer));
            case double or float: return Python.Checked(Imports.PyFloat_FromDouble(Convert.ToDouble(value, CultureInfo.InvariantCulture)));
            case Half real: return Python.Checked(Imports.PyFloat_FromDouble((double)real));
            case string text: return Python.Text(text);
            case object?[] items: return Filled(items, Imports.PyTuple_New, Imports.PyTuple_SetItem);
            case ListOfValues list: return Filled(list.Items, Imports.PyList_New, Imports.PyList_SetItem);
            case DictOfValues map: return Filled(map);
            case torch.nn.utils.rnn.PackedSequence sequence: return Packed(sequence);
            default:
                throw new InvalidOperationException(
                    $"Cannot pass a {value.GetType().FullName} to Python; supported are tensors, packed sequences, numbers, strings, and tuples, lists and dictionaries of them.");
        }
    }

    // A container is put where it belongs before it is filled, so that a failure finds all that was read.
    private static void Read(IntPtr item, ref object? slot, bool lenient)
    {
        var type = Python.TypeOf(item);
        uint flags;
        if (item == Imports.None)
        {
            slot = null;
        }
        else if (Python.IsTensor(item))
        {
            slot = Tensor(item);
        }
        else if (item == Imports.True || item == Imports.False)
        {
            slot = item == Imports.True;
        }
        else if (((flags = Imports.PyType_GetFlags(type)) & IsInt) != 0)
        {
            int overflow;
            var integer = Imports.PyLong_AsLongLongAndOverflow(item, &overflow);
            slot = overflow == 0 ? integer : Large(item, lenient);
        }
        else if (Python.IsSubtype(type, Imports.Float))
        {
            slot = Imports.PyFloat_AsDouble(item);
        }
        else if ((flags & IsText) != 0)
        {
            slot = Text(item, lenient);
        }
        else if ((flags & IsTuple) != 0)
        {
            Nesting.Check();
            var items = new object?[checked((int)Imports.PyTuple_Size(item))];
            slot = items;
            ReadItems(item, items, lenient);
        }
        else if ((flags & IsList) != 0)
        {
            Nesting.Check();
            ReadList(item, ref slot, lenient);
        }
        else if ((flags & IsDict) != 0)
        {
            Nesting.Check();
            ReadDictionary(item, Python.IsSubtype(type, Imports.OrderedDict), ref slot, lenient);
        }
        else if (item == Imports.Default)
        {
            slot = System.Reflection.Missing.Value;
        }
        else
        {
            ReadOther(item, ref slot, lenient);
        }
    }

    private static void ReadOther(IntPtr item, ref object? slot, bool lenient)
    {
        var plain = Python.Invoke(Imports.Plain, &item, 1);
        try
        {
            if (plain == Imports.None) slot = Refuse(item, lenient);
            else Read(plain, ref slot, lenient);
        }
        finally
        {
            Python.Decrease(plain);
        }
    }

    private static void ReadItems(IntPtr tuple, object?[] items, bool lenient)
    {
        for (var i = 0; i < items.Length; i++) Read(Imports.PyTuple_GetItem(tuple, i), ref items[i], lenient);
    }

    private static void ReadList(IntPtr list, ref object? slot, bool lenient)
    {
        // A copy, which nothing else can change and which refers to its items.
        var tuple = Python.Checked(Imports.PyList_AsTuple(list));
        try
        {
            var items = new object?[checked((int)Imports.PyTuple_Size(tuple))];
            slot = new ListOfValues(items);
            ReadItems(tuple, items, lenient);
        }
        finally
        {
            Python.Decrease(tuple);
        }
    }

    private static void ReadDictionary(IntPtr dictionary, bool ordered, ref object? slot, bool lenient)
    {
        // A list of pairs to which nothing else refers. An OrderedDict has an order of its own.
        var list = Python.Checked(ordered ? Imports.PyMapping_Items(dictionary) : Imports.PyDict_Items(dictionary));
        try
        {
            var pairs = new KeyValuePair<string, object?>[checked((int)Imports.PyList_Size(list))];
            slot = new DictOfValues(pairs);
            for (var i = 0; i < pairs.Length; i++)
            {
                var pair = Imports.PyList_GetItem(list, i);
                if ((Imports.PyType_GetFlags(Python.TypeOf(pair)) & IsTuple) == 0 || Imports.PyTuple_Size(pair) != 2 || (Imports.PyType_GetFlags(Python.TypeOf(Imports.PyTuple_GetItem(pair, 0))) & IsText) == 0
                    || Text(Imports.PyTuple_GetItem(pair, 0), lenient) is not string key)
                {
                    Refuse(dictionary, lenient);
                    Discard(slot);
                    slot = Foreign;
                    return;
                }

                object? value = null;
                try
                {
                    Read(Imports.PyTuple_GetItem(pair, 1), ref value, lenient);
                }
                finally
                {
                    pairs[i] = KeyValuePair.Create(key, value);
                }
            }
        }
        finally
        {
            Python.Decrease(list);
        }
    }

    // C#'s ulong goes to Python and back; C# has no larger type.
    private static object Large(IntPtr item, bool lenient)
    {
        var integer = Imports.PyLong_AsUnsignedLongLong(item);
        if (!Python.HasError) return integer;
        Imports.PyErr_Clear();
        return Refuse(item, lenient);
    }

    private static object Text(IntPtr text, bool lenient)
    {
        nint length;
        var bytes = Imports.PyUnicode_AsUTF8AndSize(text, &length);
        if (bytes != null) return Encoding.UTF8.GetString(bytes, checked((int)length));
        if (!lenient) throw Python.Error();
        Imports.PyErr_Clear();
        return Foreign;
    }

    // The function raises.
    private static object Refuse(IntPtr item, bool lenient)
    {
        if (!lenient) Python.Decrease(Python.Invoke(Imports.Refuse, &item, 1));
        return Foreign;
    }

    // Not by recursion: it may be as deep as the stack allowed.
    private static void Discard(object? read)
    {
        var left = new Stack<object?>([read]);
        while (left.TryPop(out var item))
        {
            if (item is torch.Tensor tensor) tensor.Dispose();
            else if (item is DictOfValues map) Array.ForEach(map.Items, pair => left.Push(pair.Value));
            else if ((item as object?[] ?? (item as ListOfValues)?.Items) is { } items) Array.ForEach(items, left.Push);
        }
    }

    private static IntPtr Same(IntPtr item)
    {
        Python.Increase(item);
        return item;
    }

    private static IntPtr Filled(object?[] items, delegate* unmanaged<nint, IntPtr> make, delegate* unmanaged<IntPtr, nint, IntPtr, int> set)
    {
        Nesting.Check();
        var container = Python.Checked(make(items.Length));
        var done = 0;
        try
        {
            for (; done < items.Length; done++)
                if (set(container, done, Write(items[done])) != 0) throw Python.Error();
        }
        finally
        {
            if (done < items.Length) Python.Decrease(container);
        }

        return container;
    }

    private static IntPtr Packed(torch.nn.utils.rnn.PackedSequence sequence)
    {
        var parts = sequence.Parts;
        var items = stackalloc IntPtr[parts.Length];
        var done = 0;
        try
        {
            for (; done < parts.Length; done++) items[done] = Write(parts[done]);
            return Python.Invoke(Imports.Pack, items, done);
        }
        finally
        {
            while (done > 0) Python.Decrease(items[--done]);
        }
    }

    /// <summary>Gives a dictionary of Python's these items in place of those that it has; it keeps its own when one of these does not cross. Takes the GIL.</summary>
    internal static void Rewrite(IntPtr dictionary, DictOfValues map)
    {
        using var gil = new Python.Gil();
        var filled = Filled(map);
        try
        {
            Imports.PyDict_Clear(dictionary);
            if (Imports.PyDict_Update(dictionary, filled) != 0) throw Python.Error();
        }
        finally
        {
            Python.Decrease(filled);
        }
    }

    private static IntPtr Filled(DictOfValues map)
    {
        Nesting.Check();
        var dictionary = Python.Checked(Imports.PyDict_New());
        IntPtr key = IntPtr.Zero, value = IntPtr.Zero;
        var done = 0;
        try
        {
            for (; done < map.Items.Length; done++)
            {
                key = Python.Text(map.Items[done].Key);
                value = Write(map.Items[done].Value);
                if (Imports.PyDict_SetItem(dictionary, key, value) != 0) throw Python.Error();
                Python.Decrease(key);
                Python.Decrease(value);
                key = value = IntPtr.Zero;
            }
        }
        finally
        {
            if (key != IntPtr.Zero) Python.Decrease(key);
            if (value != IntPtr.Zero) Python.Decrease(value);
            if (done < map.Items.Length) Python.Decrease(dictionary);
        }

        return dictionary;
    }
}

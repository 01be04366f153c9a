using System.Globalization;
using System.Text;
using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>
/// Converts arguments and results between Python and .NET. Tensors are passed by reference; numbers, strings and None by value; tuples,
/// lists and dictionaries are converted item by item.
/// </summary>
/// <remarks>
/// <see cref="ReplaceItems"/> takes the GIL; callers of the other members hold it. Containers are read by CPython's own functions, which
/// ignore the <c>__len__</c>, <c>__iter__</c> and <c>keys()</c> of a subclass. But the <c>items()</c> of an OrderedDict is called, because
/// its order is not in the dict itself. Items are referenced while they are read, so no other thread can free them. A conversion that
/// fails disposes the tensors made so far.
/// </remarks>
internal static unsafe class Converter
{
    // The flags of a type that PyLong_Check, PyList_Check … test.
    private const uint IsInt = 1 << 24, IsList = 1 << 25, IsTuple = 1 << 26, IsText = 1 << 28, IsDict = 1 << 29;

    /// <summary>A placeholder for an unconvertible value in lenient mode.</summary>
    private static readonly object Unconvertible = new();

    /// <summary>Returns a new C# tensor that shares the TensorImpl of a tensor object.</summary>
    internal static torch.Tensor ToTensor(BorrowedReference item)
    {
        // The address of `impl` serves as a borrowed C++ tensor during this call; the new handle has its own reference.
        var impl = Python.TensorImplOf(item);
        var type = Python.TypeOf(item);
        if (type != Imports.Tensor && type != Imports.Parameter) ActiveModes.AddSubclass();
        return torch.Tensor.Own(Abi.NewHandle((IntPtr)(&impl)));
    }

    /// <summary>Converts Python objects. Each tensor becomes a new C# object with its own handle.</summary>
    /// <param name="items">The objects.</param>
    /// <param name="count">The number of objects.</param>
    /// <param name="lenient">Whether to replace an unconvertible object by a placeholder instead of throwing.</param>
    /// <exception cref="PythonException">An object cannot be converted.</exception>
    /// <exception cref="InsufficientExecutionStackException">An object is nested too deeply, or contains itself.</exception>
    internal static object?[] ToDotNet(BorrowedReference* items, int count, bool lenient = false)
    {
        var values = new object?[count];
        var done = 0;
        try
        {
            for (; done < count; done++) Read(items[done], ref values[done], lenient);
        }
        finally
        {
            // In a finally block, because a catch block would keep the stack of a deep recursion (see the remarks of Dispatcher).
            if (done < count) Discard(values);
        }

        return values;
    }

    internal static object? ToDotNet(BorrowedReference item) => Python.IsTensor(item) ? ToTensor(item) : ToDotNet(&item, 1)[0];

    /// <summary>
    /// Converts a .NET value. A tensor becomes its existing Python object, or a new one. An object without a counterpart in Python becomes
    /// a <c>bridge.DotNetObject</c>, which refers to it; a module becomes its mirror, if it has one.
    /// </summary>
    /// <exception cref="InsufficientExecutionStackException">The value is nested too deeply, or contains itself.</exception>
    internal static OwnedReference ToPython(object? value)
    {
        switch (value)
        {
            case torch.Tensor tensor: return Python.WrapTensor(tensor);
            case null: return Imports.None.NewReference();
            case bool truth: return (truth ? Imports.True : Imports.False).NewReference();
            case long or int or short or sbyte or uint or ushort or byte:
                return Python.NewInt(Convert.ToInt64(value, CultureInfo.InvariantCulture));
            case ulong integer: return Python.ThrowIfNull(Imports.PyLong_FromUnsignedLongLong(integer));
            case double or float:
                return Python.ThrowIfNull(Imports.PyFloat_FromDouble(Convert.ToDouble(value, CultureInfo.InvariantCulture)));
            case Half real: return Python.ThrowIfNull(Imports.PyFloat_FromDouble((double)real));
            case string text: return Python.NewText(text);
            case object?[] items: return NewSequence(items, Imports.PyTuple_New, Imports.PyTuple_SetItem);
            case ListOfValues list: return NewSequence(list.Items, Imports.PyList_New, Imports.PyList_SetItem);
            case DictOfValues map: return NewDictionary(map);
            case torch.nn.utils.rnn.PackedSequence sequence: return NewPackedSequence(sequence);
            case Enum member: return Python.NewText(member.ToString());
            case IPythonValue other: return other.ToPython();
            default: return HeldObjects.ToPython(value);
        }
    }

    /// <summary>Replaces the items of a Python dictionary; keeps the old items if a new one cannot be converted. Takes the GIL.</summary>
    internal static void ReplaceItems(BorrowedReference dictionary, DictOfValues map)
    {
        using var gil = new Python.Gil();
        using var items = NewDictionary(map);
        Imports.PyDict_Clear(dictionary);
        if (Imports.PyDict_Update(dictionary, items.Borrow()) != 0) throw Python.FetchError();
    }

    // Converts an object and stores the value in `slot`. A container is stored before its items are read, so that a failure can dispose the
    // tensors in it.
    private static void Read(BorrowedReference item, ref object? slot, bool lenient)
    {
        var type = Python.TypeOf(item);
        uint flags;
        if (item == Imports.None)
        {
            slot = null;
        }
        else if (Python.IsTensor(item))
        {
            slot = ToTensor(item);
        }
        else if (item == Imports.True || item == Imports.False)
        {
            slot = item == Imports.True;
        }
        else if (((flags = Imports.PyType_GetFlags(type)) & IsInt) != 0)
        {
            int overflow;
            var integer = Imports.PyLong_AsLongLongAndOverflow(item, &overflow);
            slot = overflow == 0 ? integer : ReadUInt64(item, lenient);
        }
        else if (Python.IsSubtype(type, Imports.Float))
        {
            slot = Imports.PyFloat_AsDouble(item);
        }
        else if ((flags & IsText) != 0)
        {
            slot = ReadText(item, lenient);
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

    private static void ReadOther(BorrowedReference item, ref object? slot, bool lenient)
    {
        using var plain = Python.Call(Imports.ToPlain, &item, 1);
        if (plain.Borrow() == Imports.None) slot = Refuse(item, lenient);
        else if ((Imports.PyType_GetFlags(Python.TypeOf(plain.Borrow())) & IsTuple) != 0)
            slot = HeldObjects.Get(Python.ToInt64(Imports.PyTuple_GetItem(plain.Borrow(), 0)));
        else Read(plain.Borrow(), ref slot, lenient);
    }

    private static void ReadItems(BorrowedReference tuple, object?[] items, bool lenient)
    {
        for (var i = 0; i < items.Length; i++) Read(Imports.PyTuple_GetItem(tuple, i), ref items[i], lenient);
    }

    private static void ReadList(BorrowedReference list, ref object? slot, bool lenient)
    {
        // A copy, because other threads can change the list.
        using var tuple = Python.ThrowIfNull(Imports.PyList_AsTuple(list));
        var items = new object?[checked((int)Imports.PyTuple_Size(tuple.Borrow()))];
        slot = new ListOfValues(items);
        ReadItems(tuple.Borrow(), items, lenient);
    }

    private static void ReadDictionary(BorrowedReference dictionary, bool ordered, ref object? slot, bool lenient)
    {
        // A copy, because other threads can change the dictionary. For an OrderedDict, items() gives its own order.
        using var list = Python.ThrowIfNull(ordered ? Imports.PyMapping_Items(dictionary) : Imports.PyDict_Items(dictionary));
        var pairs = new KeyValuePair<string, object?>[checked((int)Imports.PyList_Size(list.Borrow()))];
        slot = new DictOfValues(pairs);
        for (var i = 0; i < pairs.Length; i++)
        {
            var pair = Imports.PyList_GetItem(list.Borrow(), i);
            if (!IsPair(pair) || ReadText(Imports.PyTuple_GetItem(pair, 0), lenient) is not string key)
            {
                Refuse(dictionary, lenient);
                Discard(slot);
                slot = Unconvertible;
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

    // Returns whether the item is a tuple of a str and a value. Keys may have other types, and items() of a subclass may return anything.
    private static bool IsPair(BorrowedReference item) =>
        (Imports.PyType_GetFlags(Python.TypeOf(item)) & IsTuple) != 0 && Imports.PyTuple_Size(item) == 2
        && (Imports.PyType_GetFlags(Python.TypeOf(Imports.PyTuple_GetItem(item, 0))) & IsText) != 0;

    // An int above long.MaxValue becomes a ulong, the largest integer type that is converted.
    private static object ReadUInt64(BorrowedReference item, bool lenient)
    {
        var integer = Imports.PyLong_AsUnsignedLongLong(item);
        if (!Python.HasError) return integer;
        Imports.PyErr_Clear();
        return Refuse(item, lenient);
    }

    private static object ReadText(BorrowedReference text, bool lenient)
    {
        nint length;
        var bytes = Imports.PyUnicode_AsUTF8AndSize(text, &length);
        if (bytes != null) return Encoding.UTF8.GetString(bytes, checked((int)length));
        if (!lenient) throw Python.FetchError();
        Imports.PyErr_Clear();
        return Unconvertible;
    }

    // Throws Python's error for the object; returns the placeholder in lenient mode.
    private static object Refuse(BorrowedReference item, bool lenient)
    {
        if (!lenient) Python.Call(Imports.RaiseUnconvertible, &item, 1).Dispose();
        return Unconvertible;
    }

    // Disposes all tensors of a value. Not recursive: the value may be nested as deeply as the stack allows.
    private static void Discard(object? value)
    {
        var pending = new Stack<object?>([value]);
        while (pending.TryPop(out var item))
        {
            if (item is torch.Tensor tensor) tensor.Dispose();
            else if (item is DictOfValues map) Array.ForEach(map.Items, pair => pending.Push(pair.Value));
            else if ((item as object?[] ?? (item as ListOfValues)?.Items) is { } items) Array.ForEach(items, pending.Push);
        }
    }

    private static OwnedReference NewSequence(
        object?[] items, delegate* unmanaged<nint, OwnedReference> create, delegate* unmanaged<BorrowedReference, nint, IntPtr, int> set)
    {
        Nesting.Check();
        var sequence = Python.ThrowIfNull(create(items.Length));
        var done = 0;
        try
        {
            for (; done < items.Length; done++)
                if (set(sequence.Borrow(), done, ToPython(items[done]).Steal()) != 0) throw Python.FetchError();
        }
        finally
        {
            if (done < items.Length) sequence.Dispose();
        }

        return sequence;
    }

    private static OwnedReference NewPackedSequence(torch.nn.utils.rnn.PackedSequence sequence)
    {
        var parts = sequence.Parts;
        using var items = new OwnedArguments(stackalloc IntPtr[parts.Length]);
        foreach (var part in parts) items.Add(ToPython(part));
        // Steal, because the compiler assumes that the result refers to the stack memory of the arguments.
        return new(items.Call(Imports.Pack).Steal());
    }

    private static OwnedReference NewDictionary(DictOfValues map)
    {
        Nesting.Check();
        var dictionary = Python.ThrowIfNull(Imports.PyDict_New());
        var done = 0;
        try
        {
            for (; done < map.Items.Length; done++)
            {
                using var key = Python.NewText(map.Items[done].Key);
                using var value = ToPython(map.Items[done].Value);
                if (Imports.PyDict_SetItem(dictionary.Borrow(), key.Borrow(), value.Borrow()) != 0) throw Python.FetchError();
            }
        }
        finally
        {
            if (done < map.Items.Length) dictionary.Dispose();
        }

        return dictionary;
    }
}

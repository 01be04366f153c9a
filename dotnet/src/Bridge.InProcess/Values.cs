extern alias real;

using Bridge.Interop;
using Abi = Bridge.Torch.Native.Abi;
using DictOfValues = Bridge.Torch.DictOfValues;
using FacadeTensor = TorchSharp.torch.Tensor;
using ListOfValues = Bridge.Torch.ListOfValues;
using torch = real::TorchSharp.torch;
using Tuples = Bridge.Torch.Tuples;

namespace Bridge.InProcess;

/// <summary>Converts arguments and results between Python and TorchSharp. Tensors are passed by reference.</summary>
/// <remarks>
/// <see cref="Converter"/> converts between Python's values and .NET values with tensors of Bridge.Torch. This class replaces these tensors
/// by TorchSharp's, and vice versa. The GIL must be held, except for <see cref="WithFacade"/> and <see cref="FromFacade"/>.
/// </remarks>
internal static unsafe class Values
{
    private const int Meta = 14; // c10::DeviceType

    /// <summary>Returns a new tensor of TorchSharp that shares the TensorImpl of a Python tensor.</summary>
    /// <exception cref="NotSupportedException">The tensor is on the device meta.</exception>
    internal static torch.Tensor ToTensor(BorrowedReference item)
    {
        var impl = Python.TensorImplOf(item);
        return ToTensor((IntPtr)(&impl));
    }

    /// <summary>Converts an object of Python to a plain value (<see cref="Tuples"/>), whose tensors are TorchSharp's.</summary>
    /// <exception cref="PythonException">The object cannot be converted.</exception>
    /// <exception cref="NotSupportedException">A tensor in the object is on the device meta.</exception>
    internal static object? ToDotNet(BorrowedReference item) =>
        Python.IsTensor(item) ? ToTensor(item) : Map(Converter.ToDotNet(item), FromFacade);

    /// <summary>Converts objects of Python.</summary>
    internal static object?[] ToDotNet(BorrowedReference* items, int count)
    {
        var values = new object?[count];
        for (var i = 0; i < count; i++) values[i] = ToDotNet(items[i]);
        return values;
    }

    /// <summary>Converts a .NET value. A tensor becomes its existing Python object, or a new one.</summary>
    /// <exception cref="InvalidOperationException">A tensor in the value was disposed.</exception>
    internal static OwnedReference ToPython(object? value)
    {
        if (value is torch.Tensor { IsInvalid: false } tensor && Imports.Wrap != 0)
        {
            var item = ((delegate* unmanaged<IntPtr, OwnedReference>)Imports.Wrap)(tensor.Handle);
            GC.KeepAlive(tensor);
            return Python.ThrowIfNull(item);
        }

        return ToPython([Tuples.Unpack(value)], values => values[0]);
    }

    /// <summary>Converts a plain value (<see cref="Tuples"/>), whose tensors are TorchSharp's.</summary>
    internal static OwnedReference PlainToPython(object? value) =>
        value is torch.Tensor ? ToPython(value) : ToPython([value], values => values[0]);

    /// <summary>Converts values to a tuple.</summary>
    internal static OwnedReference ToTuple(object?[] values) => ToPython([.. values.Select(Tuples.Unpack)], items => items);

    private static OwnedReference ToPython(object?[] values, Func<object?[], object?> select)
    {
        var made = new List<FacadeTensor>();
        try
        {
            return Converter.ToPython(select([.. values.Select(item => Map(item, leaf => ToFacade(leaf, made)))]));
        }
        finally
        {
            foreach (var item in made) item.Dispose();
        }
    }

    /// <summary>
    /// Converts an item of a plain value for TorchSharp: replaces and disposes a tensor of Bridge.Torch, wraps a Python function, and
    /// returns any other item unchanged.
    /// </summary>
    internal static object? FromFacade(object? value) => value switch
    {
        FacadeTensor tensor => Take(tensor),
        PythonCallable function => new InProcessCallable(function),
        _ => value,
    };

    /// <summary>Converts TorchSharp's values to Bridge.Torch's, calls a function with them, and converts its result back.</summary>
    internal static object? WithFacade(object?[] values, Func<object?[], object?> run)
    {
        var made = new List<FacadeTensor>();
        try
        {
            return Map(run([.. values.Select(item => Map(item, leaf => ToFacade(leaf, made)))]), FromFacade);
        }
        finally
        {
            foreach (var item in made) item.Dispose();
        }
    }

    private static torch.Tensor Take(FacadeTensor tensor)
    {
        using (tensor) return ToTensor(tensor.Handle);
    }

    private static torch.Tensor ToTensor(IntPtr handle)
    {
        int device;
        Abi.Check(Abi.get_device_type(handle, &device), "get_device_type");
        if (device == Meta)
        {
            throw new NotSupportedException(
                "TorchSharp in this process cannot run on a tensor of the device meta: an exception in the Python code of that device's "
                + "operators would end this process.");
        }

        return torch.Tensor.UnsafeCreateTensor(Abi.NewHandle(handle));
    }

    private static object? ToFacade(object? value, List<FacadeTensor> made)
    {
        if (value is null or string or IConvertible or Half) return value;
        if (value is not torch.Tensor tensor) return new HeldObject(value);
        if (tensor.IsInvalid) throw new InvalidOperationException("C# gave a tensor that it had disposed.");
        var copy = FacadeTensor.Own(Abi.NewHandle(tensor.Handle));
        GC.KeepAlive(tensor);
        made.Add(copy);
        return copy;
    }

    private static object? Map(object? value, Func<object?, object?> convert) => value switch
    {
        object?[] items => items.Select(item => Map(item, convert)).ToArray(),
        ListOfValues list => new ListOfValues([.. list.Items.Select(item => Map(item, convert))]),
        DictOfValues map => new DictOfValues([.. map.Items.Select(item => KeyValuePair.Create(item.Key, Map(item.Value, convert)))]),
        _ => convert(value),
    };
}

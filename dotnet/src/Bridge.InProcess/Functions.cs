extern alias real;

using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using Bridge.Interop;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>The functions that Python calls (<c>bridge/torchsharp/in_process/functions.py</c>).</summary>
/// <remarks>Each runs in <see cref="Boundary"/>: an exception becomes Python's pending error. The GIL is held.</remarks>
public static unsafe class Functions
{
    /// <summary>Returns the address of the native function of this name.</summary>
    /// <exception cref="ArgumentException">There is no function of this name.</exception>
    public static long Address(string name) => name switch
    {
        "start" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterStart,
        "load" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterLoad,
        "watch" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterWatch,
        "tensor" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterTensor,
        "call" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterCall,
        "release" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterRelease,
        _ => throw new ArgumentException($"Bridge.InProcess has no function '{name}'.", nameof(name)),
    };

    [UnmanagedCallersOnly]
    private static IntPtr EnterStart(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Start, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterLoad(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Load, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterWatch(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Watch, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterTensor(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Tensor, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterCall(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Call, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterRelease(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Release, (BorrowedReference*)arguments, count);

    /// <summary>Takes the functions of Python that run hooks.</summary>
    private static OwnedReference Start(BorrowedReference* arguments, int count)
    {
        for (var i = 0; i < count; i++) Python.IncRef(arguments[i]);
        PythonCall.SetFunctions(arguments[0].Address, arguments[1].Address, arguments[2].Address);
        return Imports.None.NewReference();
    }

    /// <summary>Takes an assembly's path, a type's name, a JSON text of arguments, and whether <c>forward</c> fires hooks; describes the model.</summary>
    private static OwnedReference Load(BorrowedReference* arguments, int count)
    {
        var (path, type, given) = (Python.ToText(arguments[0]), Python.ToText(arguments[1]), Python.ToText(arguments[2]));
        var fires = Python.ToInt64(arguments[3]) != 0;
        return Python.NewText(Python.WithoutGil(() => Description.Write(new Model(Loading.Create(path, type, given, fires)))));
    }

    /// <summary>Takes a module's number, and the addresses of the hook dictionaries of its Python module.</summary>
    private static OwnedReference Watch(BorrowedReference* arguments, int count)
    {
        var addresses = stackalloc long[count - 1];
        for (var i = 1; i < count; i++) addresses[i - 1] = Python.ToInt64(arguments[i]);
        HookedModule.Get(Python.ToInt64(arguments[0])).Watch(new(addresses, count - 1));
        return Imports.None.NewReference();
    }

    /// <summary>Takes a module's number and a position among its tensors; returns that parameter or buffer.</summary>
    private static OwnedReference Tensor(BorrowedReference* arguments, int count)
    {
        var module = HookedModule.Get(Python.ToInt64(arguments[0]));
        return Values.ToPython(Model.TensorsOf((torch.nn.Module)module.Module)[(int)Python.ToInt64(arguments[1])].Tensor);
    }

    /// <summary>Takes a module's number, whether its hooks run, and the arguments; returns the result.</summary>
    private static OwnedReference Call(BorrowedReference* arguments, int count)
    {
        var module = HookedModule.Get(Python.ToInt64(arguments[0]));
        var hooks = Python.ToInt64(arguments[1]) != 0;
        using var scope = torch.NewDisposeScope();
        var inputs = module.ReadArguments(arguments + 2, count - 2);
        object? result;
        var gil = Python.ReleaseGil();
        try
        {
            result = module.Model.Call(module, inputs, hooks);
        }
        finally
        {
            Python.TakeGil(gil);
        }

        return Values.ToPython(result);
    }

    /// <summary>Takes a module's number, and forgets its model.</summary>
    private static OwnedReference Release(BorrowedReference* arguments, int count)
    {
        HookedModule.Get(Python.ToInt64(arguments[0])).Model.Dispose();
        return Imports.None.NewReference();
    }
}

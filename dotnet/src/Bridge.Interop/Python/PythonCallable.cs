using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>A Python function that C# calls as a delegate. Keeps the function alive.</summary>
internal sealed unsafe class PythonCallable : CallableFromPython
{
    private readonly IntPtr _function;

    /// <param name="function">The function. The GIL is held.</param>
    internal PythonCallable(BorrowedReference function)
    {
        Python.IncRef(function);
        _function = function.Address;
    }

    ~PythonCallable() => Python.DecRefLater(_function);

    internal override object? Call(object?[] arguments)
    {
        // The function can keep the tensors that it gets or makes, so the dispose scope of a call must not dispose them.
        var scope = TorchSharp.DisposeScope.Suspend();
        try
        {
            using var gil = new Python.Gil();
            using var items = new OwnedArguments(new IntPtr[arguments.Length]);
            foreach (var argument in arguments) items.Add(Converter.ToPython(argument));
            using var result = items.Call(new(_function));
            GC.KeepAlive(this);
            return Converter.ToDotNet(result.Borrow());
        }
        finally
        {
            TorchSharp.DisposeScope.Resume(scope);
        }
    }
}

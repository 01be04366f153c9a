using Bridge.Interop;
using Bridge.TorchSharp;
using Tuples = Bridge.Torch.Tuples;

namespace Bridge.InProcess;

/// <summary>A call of a module for which Python has hooks. Python runs the hooks, in the order of PyTorch's <c>_call_impl</c>.</summary>
/// <remarks>
/// The functions that this class calls are in <c>bridge/torchsharp/in_process/hooks.py</c>. They keep the state of the call under a number.
/// If a hook raises, Python runs the <c>always_call</c> hooks at once, and forgets the number.
/// </remarks>
internal sealed unsafe class PythonCall(HookedModule module) : TrackedCall
{
    private static IntPtr _enter, _leave, _recover;
    private long _number;
    private object?[] _entered = [];

    /// <summary>Sets the functions of Python, which live as long as the process.</summary>
    internal static void SetFunctions(IntPtr enter, IntPtr leave, IntPtr recover) =>
        (_enter, _leave, _recover) = (enter, leave, recover);

    internal override void RunPreHooks()
    {
        using var gil = new Python.Gil();
        using var given = new OwnedArguments(stackalloc IntPtr[2]);
        given.Add(Python.NewInt(module.Id));
        given.Add(Arguments());
        // Python returns a tuple: the number of the call, and the new arguments or None.
        using var result = given.Call(new(_enter));
        _number = Python.ToInt64(Imports.PyTuple_GetItem(result.Borrow(), 0));
        var changed = Imports.PyTuple_GetItem(result.Borrow(), 1);
        if (changed != Imports.None) Args = Read(changed);
        _entered = Args;
    }

    internal override void RunForwardHooks()
    {
        using var gil = new Python.Gil();
        using var given = new OwnedArguments(stackalloc IntPtr[3]);
        given.Add(Python.NewInt(_number));
        // Python has these arguments already, unless TorchSharp's own pre hooks have replaced some of them.
        var same = Args.Zip(_entered).All(pair => Tuples.IsSame(pair.First, pair.Second));
        given.Add(same ? Imports.None.NewReference() : Arguments());
        given.Add(Values.ToPython(Output));
        _number = 0;
        // Python returns None, or a tuple with the module's new result.
        using var result = given.Call(new(_leave));
        if (result.Borrow() != Imports.None)
            Output = module.PackResult(Values.ToDotNet(Imports.PyTuple_GetItem(result.Borrow(), 0)));
    }

    internal override void Recover()
    {
        if (_number == 0) return;
        using var gil = new Python.Gil();
        using var given = new OwnedArguments(stackalloc IntPtr[1]);
        given.Add(Python.NewInt(_number));
        _number = 0;
        given.Call(new(_recover)).Dispose();
    }

    // Converts the new arguments that the hooks returned.
    private object?[] Read(BorrowedReference tuple)
    {
        var count = checked((int)Imports.PyTuple_Size(tuple));
        var items = stackalloc IntPtr[count];
        for (var i = 0; i < count; i++) items[i] = Imports.PyTuple_GetItem(tuple, i).Address;
        return module.ReadArguments((BorrowedReference*)items, count);
    }

    private OwnedReference Arguments() => Values.ToTuple(Args.Length == Given ? Args : Args[..Given]);
}

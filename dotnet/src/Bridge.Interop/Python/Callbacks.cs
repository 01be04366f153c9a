using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>
/// The Python functions that .NET calls (<c>bridge.mirror.hooks.callbacks</c>). Each method throws the exception that its function
/// raises. A mirror is the <c>nn.Module</c> that represents a C# module in Python.
/// </summary>
internal static unsafe class Callbacks
{
    /// <summary>The number of module calls that .NET has passed to Python.</summary>
    internal static long Calls;

    internal static object? Call(long id, object?[] arguments)
    {
        Interlocked.Increment(ref Calls);
        return Invoke(Imports.Call, [id, .. arguments]);
    }

    internal static object? Call(long id, torch.Tensor argument)
    {
        Interlocked.Increment(ref Calls);
        using var gil = new Python.Gil();
        using var arguments = new OwnedArguments(stackalloc IntPtr[2]);
        arguments.Add(Python.NewInt(id));
        arguments.Add(Python.WrapTensor(argument));
        using var result = arguments.Call(Imports.CallWithTensor);
        return Converter.ToDotNet(result.Borrow());
    }

    /// <summary>Calls a mirror with one tensor. The caller holds the GIL.</summary>
    internal static object? CallMirror(BorrowedReference mirror, torch.Tensor argument)
    {
        Interlocked.Increment(ref Calls);
        using var called = mirror.NewReference();
        using var arguments = new OwnedArguments(stackalloc IntPtr[1]);
        arguments.Add(Python.WrapTensor(argument));
        using var result = arguments.Call(called.Borrow());
        return Converter.ToDotNet(result.Borrow());
    }

    /// <summary>Applies an autograd function in PyTorch. Returns a tensor or null for each output.</summary>
    internal static object?[] Apply(long number, string name, torch.Tensor?[] inputs) =>
        (object?[])Invoke(Imports.ApplyFunction, [number, name, .. inputs])!;

    /// <summary>Returns the tensors that an autograd function has saved.</summary>
    internal static object?[] Saved(long number) => (object?[])Invoke(Imports.SavedTensors, [number])!;

    /// <summary>Runs a function by PyTorch's checkpoint. Python holds the function as long as the graph.</summary>
    internal static torch.Tensor[] Checkpoint(Func<torch.Tensor[], torch.Tensor[]> function, bool preserve, torch.Tensor[] inputs) =>
        Array.ConvertAll((object?[])Invoke(Imports.Checkpoint, [function, preserve, .. inputs])!, result => (torch.Tensor)result!);

    /// <summary>Runs a function of <c>bridge.mirror.scripts</c>.</summary>
    internal static object? RunScript(string function, object?[] arguments) => Invoke(Imports.RunScript, [function, .. arguments]);

    /// <summary>Makes Python report a mirror's tensors, dictionaries and flags (<see cref="MirrorLink.Bind"/>).</summary>
    /// <param name="id">The module's id.</param>
    /// <param name="compute">Whether to compute tensors that Python computes at each access (parametrizations).</param>
    /// <param name="version">The version of the mirror's <c>__dict__</c> that .NET read before this call; -1 if it read none.</param>
    internal static void Synchronize(long id, bool compute, long version) => Notify(Imports.Synchronize, id, compute ? 1 : 0, version);

    /// <summary>Runs, without hooks, the <c>forward</c> of a module's mirror, or of the Python module that replaced the mirror.</summary>
    internal static object? Forward(long id, object?[] arguments) => Invoke(Imports.RunForward, [id, .. arguments]);

    /// <summary>Gives the mirror the value to which C# has set a property.</summary>
    internal static void ChangeProperty(long id, string name, object? value) => Invoke(Imports.ChangeProperty, [id, name, value]);

    /// <summary>Gives the mirror of a collection the entries of the C# collection.</summary>
    internal static void ChangeEntries(long id) => Notify(Imports.ChangeEntries, id);

    /// <summary>
    /// Registers a hook in a module's dictionary, or in the global one if the id is 0. With <see cref="HookFlags.Remove"/>, removes it.
    /// </summary>
    internal static void ChangeHook(long id, long number, HookKind kind, HookFlags flags) =>
        Notify(Imports.ChangeHook, id, number, (long)kind, (long)flags);

    /// <summary>
    /// Returns whether the mirror still exists and no tool has replaced <c>torch.Tensor.add</c>, the mirror's <c>forward</c>, or a method
    /// that calls <c>forward</c>, such as <c>_call_impl</c>.
    /// </summary>
    internal static bool IsOrdinary(long id) => (bool)Invoke(Imports.IsOrdinary, [id])!;

    /// <summary>
    /// Returns a module's forward pre hooks and forward hooks; null if Python must run them, for example because one is a Python hook.
    /// </summary>
    internal static object?[]? PlanHooks(long id) => (object?[]?)Invoke(Imports.PlanHooks, [id]);

    /// <summary>Returns whether a hook is now registered with <c>with_kwargs</c>.</summary>
    internal static bool TakesKwargs(long id, long key, HookKind kind) =>
        (bool)Invoke(Imports.TakesKwargs, [id, key, kind == HookKind.Forward])!;

    /// <summary>Returns whether a forward hook is now registered with <c>always_call</c>.</summary>
    internal static bool IsAlwaysCalled(long id, long key) => (bool)Invoke(Imports.IsAlwaysCalled, [id, key])!;

    /// <summary>Binds keyword arguments to the positions of <c>forward</c>'s parameters.</summary>
    internal static object? BindArguments(long id, object?[] args, DictOfValues kwargs) =>
        Invoke(Imports.BindArguments, [id, args, kwargs]);

    /// <summary>Runs a module's forward hooks and returns the result of the call.</summary>
    internal static object? FinishCall(long id, object?[] args, DictOfValues kwargs, object? result) =>
        Invoke(Imports.FinishCall, [id, args, kwargs, result]);

    /// <summary>After a failed call, runs the forward hooks with <c>always_call</c>, except those whose keys are in <c>begun</c>.</summary>
    internal static void RecoverCall(long id, object?[] args, DictOfValues kwargs, object? result, object?[] begun) =>
        Invoke(Imports.RecoverCall, [id, args, kwargs, result, begun]);

    /// <summary>Registers a hook on the Python object of a tensor.</summary>
    internal static void HookTensor(torch.Tensor tensor, long number, HookKind kind)
    {
        using var gil = new Python.Gil();
        using var arguments = new OwnedArguments(stackalloc IntPtr[3]);
        arguments.Add(Python.WrapTensor(tensor));
        arguments.Add(Python.NewInt(number));
        arguments.Add(Python.NewInt((long)kind));
        arguments.Call(Imports.HookTensor).Dispose();
    }

    /// <summary>Returns a part of a PyTorch module, such as its class name or its parameters.</summary>
    internal static object? ReadPart(long number, ModulePart part)
    {
        using var gil = new Python.Gil();
        using var arguments = new OwnedArguments(stackalloc IntPtr[2]);
        arguments.Add(Python.NewInt(number));
        arguments.Add(Python.NewInt((long)part));
        using var result = arguments.Call(Imports.ReadPart);
        return Converter.ToDotNet(result.Borrow());
    }

    /// <summary>
    /// Throws Python's exception for a parameter or buffer that C# cannot read: AttributeError if the module lacks the attribute,
    /// RuntimeError if the attribute is None, TypeError if it is not a tensor.
    /// </summary>
    /// <returns>Nothing: the result type only lets callers write <c>throw</c>.</returns>
    internal static Exception MissingTensor(long id, string name) => (Exception)Invoke(Imports.RaiseMissingTensor, [id, name])!;

    /// <summary>Sets the training flag of the mirror, or of the Python module that replaced the mirror.</summary>
    /// <returns>False if C# must set the flags of the descendants; true if Python has set them, or the module is gone.</returns>
    internal static bool Train(long id, bool training) => (bool)Invoke(Imports.Train, [id, training])!;

    private static object? Invoke(BorrowedReference function, object?[] arguments)
    {
        using var gil = new Python.Gil();
        using var items = new OwnedArguments(new IntPtr[arguments.Length]);
        foreach (var argument in arguments) items.Add(Converter.ToPython(argument));
        using var result = items.Call(function);
        return Converter.ToDotNet(result.Borrow());
    }

    // Calls a function whose result is None.
    private static void Notify(BorrowedReference function, params ReadOnlySpan<long> numbers)
    {
        using var gil = new Python.Gil();
        using var items = new OwnedArguments(stackalloc IntPtr[numbers.Length]);
        foreach (var number in numbers) items.Add(Python.NewInt(number));
        items.Call(function).Dispose();
    }
}

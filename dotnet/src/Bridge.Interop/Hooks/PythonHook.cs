using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The only hook of a module: a Python forward hook without flags, which C# calls as PyTorch's <c>_call_impl</c> would.</summary>
/// <remarks>No reference to the hook is kept, so removing the hook frees it (H-2). It is looked up by its key when it runs.</remarks>
/// <param name="link">The link of the module.</param>
/// <param name="dictionaries">The dictionaries of the module's mirror.</param>
/// <param name="key">The key in the dictionary of forward hooks.</param>
/// <param name="classVersion">The version of the mirror's class for which Python allowed C# to run the hook.</param>
internal sealed unsafe class PythonHook(MirrorLink link, MirrorDictionaries dictionaries, long key, uint classVersion) : HandleHook
{
    /// <inheritdoc/>
    internal override bool IsCurrent => classVersion != 0 && link.ClassVersion == classVersion;

    /// <inheritdoc/>
    internal override object? Invoke(torch.nn.Module? module, object?[] values)
    {
        using var gil = new Python.Gil();
        using var items = new OwnedArguments(stackalloc IntPtr[3]);
        items.Add(link.NewMirrorReference());
        items.Add(Converter.ToPython(values[0]));
        items.Add(Converter.ToPython(values[1]));
        return Run(items);
    }

    /// <inheritdoc/>
    internal override object? Invoke(IntPtr input, IntPtr result)
    {
        using var gil = new Python.Gil();
        using var items = new OwnedArguments(stackalloc IntPtr[3]);
        items.Add(link.NewMirrorReference());
        var tuple = Python.ThrowIfNull(Imports.PyTuple_New(1)).Steal();
        items.Add(new(tuple));
        if (Imports.PyTuple_SetItem(new(tuple), 0, Python.WrapHandle(input).Steal()) != 0) throw Python.FetchError();
        items.Add(Python.WrapHandle(result));
        return Run(items);
    }

    // Calls the hook with the module, the tuple of the arguments, and the result.
    private object? Run(in OwnedArguments items)
    {
        using var hook = dictionaries.GetForwardHook(key);
        if (hook.IsNull) return null; // another thread has just removed it
        Interlocked.Increment(ref Callbacks.Calls);
        using var returned = items.Call(hook.Borrow());
        return Converter.ToDotNet(returned.Borrow());
    }
}

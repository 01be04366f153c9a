extern alias real;

using Bridge.Interop;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>A Python function that C# of a model's assembly calls.</summary>
/// <param name="function">The function, which lives as long as the process.</param>
internal sealed unsafe class PythonFunction(IntPtr function)
{
    /// <summary>Calls the function. It gets a module of a loaded model as the module's number. Its result is dropped.</summary>
    /// <exception cref="PythonException">The function raised.</exception>
    internal void Call(object?[] values)
    {
        using var gil = new Python.Gil();
        using var given = new OwnedArguments(stackalloc IntPtr[values.Length]);
        foreach (var value in values)
            given.Add(value is torch.nn.Module module ? Python.NewInt(HookedModule.Find(module).Id) : Values.ToPython(value));
        given.Call(new(function)).Dispose();
    }
}

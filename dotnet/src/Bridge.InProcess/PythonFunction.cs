extern alias real;

using Bridge.Interop;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>A Python function that the C# code of a model's assembly calls.</summary>
/// <param name="function">The function, which lives as long as the process.</param>
internal sealed unsafe class PythonFunction(IntPtr function)
{
    /// <summary>Calls the function, and drops its result. A module is passed as its number.</summary>
    /// <exception cref="ArgumentException">A module is not of a loaded model.</exception>
    /// <exception cref="InvalidOperationException">A tensor was disposed.</exception>
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

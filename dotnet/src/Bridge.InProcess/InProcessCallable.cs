using Bridge.Interop;
using Bridge.Torch;

namespace Bridge.InProcess;

/// <summary>A Python function that the C# code of a model on TorchSharp calls.</summary>
/// <param name="function">The function.</param>
internal sealed class InProcessCallable(PythonCallable function) : CallableFromPython
{
    internal override object? Call(object?[] arguments) => Values.WithFacade(arguments, function.Call);
}

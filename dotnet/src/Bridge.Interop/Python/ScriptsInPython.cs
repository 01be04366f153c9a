using Bridge.Torch;

namespace Bridge.Interop;

/// <summary>Runs TorchScript with <c>torch.jit</c> of the Python in this process (<c>bridge.mirror.scripts</c>).</summary>
internal sealed class ScriptsInPython : PythonScripts
{
    private protected override object? RunInPython(string function, object?[] arguments) => Callbacks.RunScript(function, arguments);
}

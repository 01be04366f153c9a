extern alias real;

using Bridge.Interop;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>
/// An object of a model's own class that is passed to Python as a <c>bridge.DotNetObject</c>, or a module passed as its Python module.
/// </summary>
/// <param name="target">The object.</param>
internal sealed unsafe class HeldObject(object target) : IPythonValue
{
    private static IntPtr _wrap;

    /// <summary>Sets the Python function that creates the Python object. The function lives as long as the process.</summary>
    internal static void SetFunction(IntPtr wrap) => _wrap = wrap;

    public OwnedReference ToPython()
    {
        Model.Detach(target);
        var id = target is torch.nn.Module module ? HookedModule.TryFind(module)?.Id ?? 0 : 0;
        return HeldObjects.ToPython(target, new(_wrap), id);
    }
}

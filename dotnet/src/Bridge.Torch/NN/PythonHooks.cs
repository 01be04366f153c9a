using TorchSharp;

namespace Bridge.Torch;

/// <summary>What Python does for hooks: autograd calls hooks of Python's only, so a C# hook on gradients is an entry among those.</summary>
internal abstract class PythonHooks
{
    /// <summary>The Python of this process; null where there is none.</summary>
    internal static PythonHooks? Current { get; set; }

    /// <summary>The Python of this process.</summary>
    /// <param name="member">What needs it.</param>
    /// <exception cref="NotSupportedException">There is none.</exception>
    internal static PythonHooks Require(string member) => Current ?? throw new NotSupportedException(
        $"{member} needs Python in the process, whose autograd runs the hook: load the model by bridge.load. Without Python only forward hooks and forward pre hooks run.");

    /// <summary>Keeps a hook under a number, by which Python runs it and lets go of it.</summary>
    internal abstract long Keep(RegisteredHook hook);

    /// <summary>Registers a hook on a tensor; what comes back removes it.</summary>
    internal abstract IDisposable Register(torch.Tensor tensor, RegisteredHook hook);

    /// <summary>Registers a hook for all modules; what comes back removes it.</summary>
    internal abstract IDisposable Register(RegisteredHook hook);
}

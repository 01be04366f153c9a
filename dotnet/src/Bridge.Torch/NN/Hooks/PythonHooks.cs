using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// The registration of C# hooks in Python. Autograd calls Python hooks only, so a C# hook on gradients is registered as a Python hook.
/// </summary>
internal abstract class PythonHooks
{
    /// <summary>Gets or sets the object that registers hooks in this process's Python; null if there is no Python.</summary>
    internal static PythonHooks? Current { get; set; }

    /// <summary>Returns <see cref="Current"/>.</summary>
    /// <param name="member">The member that needs Python, for the message.</param>
    /// <exception cref="NotSupportedException">There is no Python in the process.</exception>
    internal static PythonHooks Require(string member) => Current ?? throw new NotSupportedException(
        $"{member} needs Python in the process, whose autograd runs the hook: load the model by bridge.load. Without Python only forward "
            + "hooks and forward pre hooks run.");

    /// <summary>Stores a hook. Returns its number, by which Python runs and releases it.</summary>
    internal abstract long Keep(RegisteredHook hook);

    /// <summary>Registers a hook on a tensor; disposing the result removes the hook.</summary>
    internal abstract IDisposable Register(torch.Tensor tensor, RegisteredHook hook);

    /// <summary>Registers a global hook; disposing the result removes the hook.</summary>
    internal abstract IDisposable Register(RegisteredHook hook);
}

using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// A forward hook that can run on the handles of the argument and the result, and keeps no C# tensors: a Python hook that C# calls.
/// </summary>
internal abstract class HandleHook() : RegisteredHook(HookKind.Forward, prepend: false, alwaysCall: false)
{
    /// <inheritdoc/>
    internal sealed override bool ReadsValues => false;

    /// <inheritdoc/>
    internal sealed override bool NeedsValues => true;

    /// <inheritdoc/>
    internal sealed override Delegate Target => throw new NotSupportedException("A Python hook has no delegate.");

    /// <summary>Gets whether C# may still run the hook in place of PyTorch.</summary>
    internal abstract bool IsCurrent { get; }

    /// <summary>Runs the hook on a call with one tensor.</summary>
    /// <param name="input">The handle of the argument, which the caller owns.</param>
    /// <param name="result">The handle of the result, which the caller owns.</param>
    /// <returns>The replacement of the result, or null.</returns>
    internal abstract object? Invoke(IntPtr input, IntPtr result);
}

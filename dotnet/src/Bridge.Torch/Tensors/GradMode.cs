using Bridge.Torch.Native;

namespace TorchSharp;

public static unsafe partial class torch
{
    /// <summary>Turns the thread's grad mode on or off until disposed; Python on the same thread shares the mode.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.set_grad_enabled.html">
    /// torch.set_grad_enabled</see>.
    /// </remarks>
    public sealed class AutoGradMode : IDisposable
    {
        private readonly bool _before;

        /// <summary>Creates an object that sets the grad mode and, when disposed, restores the mode from before.</summary>
        /// <param name="enabled">Whether autograd records operators.</param>
        public AutoGradMode(bool enabled)
        {
            Abi.Require();
            _before = IsEnabled;
            IsEnabled = enabled;
        }

        /// <summary>Gets whether autograd records operators on this thread.</summary>
        public static bool IsEnabled
        {
            get => Abi.grad_enabled() != 0;
            private set => Abi.set_grad_enabled(value ? (byte)1 : (byte)0);
        }

        /// <inheritdoc/>
        public void Dispose() => IsEnabled = _before;
    }

    private sealed class InferenceMode : IDisposable
    {
        private bool _left;

        internal InferenceMode(bool mode) => EnterInferenceMode(mode);

        public void Dispose()
        {
            if (_left) return;
            _left = true;
            LeaveInferenceMode();
        }
    }

    /// <summary>Stops autograd from recording operators on this thread until the result is disposed.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.no_grad.html">torch.no_grad</see>.</remarks>
    /// <returns>An object whose disposal restores the mode from before.</returns>
    public static IDisposable no_grad() => new AutoGradMode(false);

    /// <summary>Makes autograd record operators on this thread, or not record them, until the result is disposed.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.enable_grad.html">torch.enable_grad</see>.
    /// </remarks>
    /// <param name="enabled">Whether autograd records operators.</param>
    /// <returns>An object whose disposal restores the mode from before.</returns>
    public static IDisposable enable_grad(bool enabled = true) => new AutoGradMode(enabled);

    /// <summary>Sets the grad mode of this thread until the result is disposed.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.set_grad_enabled.html">
    /// torch.set_grad_enabled</see>.
    /// </remarks>
    /// <param name="mode">Whether autograd records operators.</param>
    /// <returns>An object whose disposal restores the mode from before.</returns>
    public static IDisposable set_grad_enabled(bool mode = true) => new AutoGradMode(mode);

    /// <summary>Returns whether the grad mode of this thread is on.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.is_grad_enabled.html">torch.is_grad_enabled</see>.
    /// </remarks>
    /// <returns>Whether autograd records operators.</returns>
    public static bool is_grad_enabled() => AutoGradMode.IsEnabled;

    /// <summary>
    /// Turns this thread's inference mode on or off until the result is disposed. Python on the same thread shares the mode. Tensors
    /// created while the mode is on are inference tensors, which autograd cannot save for a backward pass. Dispose the result on this
    /// thread; if there are several results, in reverse order.
    /// </summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.autograd.grad_mode.inference_mode.html">torch.inference_mode</see>.
    /// </remarks>
    /// <param name="mode">Whether to turn the mode on.</param>
    /// <returns>An object whose disposal restores the mode from before.</returns>
    public static IDisposable inference_mode(bool mode = true) => new InferenceMode(mode);

    /// <summary>Returns whether this thread's inference mode is on.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.is_inference_mode_enabled.html">
    /// torch.is_inference_mode_enabled</see>.
    /// </remarks>
    /// <returns>Whether new tensors are inference tensors.</returns>
    public static bool is_inference_mode_enabled() => IsInferenceMode();
}

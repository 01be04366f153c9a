using Bridge.Torch.Native;

namespace TorchSharp;

public static unsafe partial class torch
{
    /// <summary>Sets the thread's grad mode until disposed. Python on the same thread shares the mode.</summary>
    public sealed class AutoGradMode : IDisposable
    {
        private readonly bool _before;

        public AutoGradMode(bool enabled)
        {
            Abi.Require();
            _before = IsEnabled;
            IsEnabled = enabled;
        }

        public static bool IsEnabled
        {
            get => Abi.grad_enabled() != 0;
            private set => Abi.set_grad_enabled(value ? (byte)1 : (byte)0);
        }

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
    public static IDisposable no_grad() => new AutoGradMode(false);

    public static IDisposable enable_grad(bool enabled = true) => new AutoGradMode(enabled);

    public static IDisposable set_grad_enabled(bool mode = true) => new AutoGradMode(mode);

    public static bool is_grad_enabled() => AutoGradMode.IsEnabled;

    /// <summary>
    /// Turns this thread's inference mode on or off until the result is disposed. Python on the same thread shares the mode. Tensors
    /// created while the mode is on are inference tensors, which autograd cannot save for a backward pass. Dispose the result on this
    /// thread; if there are several results, in reverse order.
    /// </summary>
    public static IDisposable inference_mode(bool mode = true) => new InferenceMode(mode);

    public static bool is_inference_mode_enabled() => IsInferenceMode();
}

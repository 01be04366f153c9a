using Bridge.Torch.Native;

namespace TorchSharp;

public static unsafe partial class torch
{
    /// <summary>Sets the thread's grad mode, shared with Python's on the same thread, until it is disposed.</summary>
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

    /// <summary>No operator on this thread is recorded by autograd until the result is disposed.</summary>
    public static AutoGradMode no_grad(bool mode = true) => new(!mode);

    public static AutoGradMode enable_grad(bool enabled = true) => new(enabled);

    public static AutoGradMode set_grad_enabled(bool mode = true) => new(mode);

    public static bool is_grad_enabled() => AutoGradMode.IsEnabled;
}

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        private TensorFinalizer? _finalizer;

        /// <summary>Enables the finalizer of a tensor that no call's scope frees.</summary>
        internal void EnableFinalizer()
        {
            if (_finalizer is not null || _own.IsClosed || this is PointerTensor) return;
            var finalizer = new TensorFinalizer(this);
            if (Interlocked.CompareExchange(ref _finalizer, finalizer, null) is not null) GC.SuppressFinalize(finalizer);
        }

        // The handle is freed, or another owner frees it.
        private void SuppressFinalizer()
        {
            if (_finalizer is { } finalizer) GC.SuppressFinalize(finalizer);
            else if (this is PointerTensor) GC.SuppressFinalize(this);
        }

        /// <summary>The finalizer of a tensor, to which only the tensor refers.</summary>
        /// <remarks>
        /// It never calls libtorch: dropping the last reference to a tensor that Python has seen takes the GIL, and the finalizer thread
        /// would deadlock at exit. It enqueues the handle, which the next call between Python and C# frees.
        /// </remarks>
        private sealed class TensorFinalizer(Tensor tensor)
        {
            ~TensorFinalizer() => tensor.Dispose(false);
        }

        /// <summary>
        /// A tensor created from a pointer of the model's code. Its class has a finalizer, as in TorchSharp: code that only borrows the
        /// pointer suppresses it.
        /// </summary>
        private sealed class PointerTensor(IntPtr handle) : Tensor(handle)
        {
            ~PointerTensor() => Dispose(false);
        }
    }
}

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        private TensorFinalizer? _finalizer;

        /// <summary>No scope of a call frees the tensor: the collector does, if nothing disposes it before.</summary>
        internal void EnableFinalizer()
        {
            if (_finalizer is not null || _own.IsClosed || this is PointerTensor) return;
            var finalizer = new TensorFinalizer(this);
            if (Interlocked.CompareExchange(ref _finalizer, finalizer, null) is not null) GC.SuppressFinalize(finalizer);
        }

        // The handle is free or another's.
        private void SuppressFinalizer()
        {
            if (_finalizer is { } finalizer) GC.SuppressFinalize(finalizer);
            else if (this is PointerTensor) GC.SuppressFinalize(this);
        }

        /// <summary>Has the finalizer of a tensor, which only it leads to by then.</summary>
        /// <remarks>
        /// It never calls libtorch, since dropping the last reference to a tensor that Python has seen takes the GIL and the finalizer thread would
        /// deadlock at exit: it enqueues the handle, and the next boundary call frees it.
        /// </remarks>
        private sealed class TensorFinalizer(Tensor tensor)
        {
            ~TensorFinalizer() => tensor.Dispose(false);
        }

        /// <summary>Made of a pointer that model code has. It has the finalizer itself, as in TorchSharp: code that only borrows the pointer suppresses it.</summary>
        private sealed class PointerTensor(IntPtr handle) : Tensor(handle)
        {
            ~PointerTensor() => Dispose(false);
        }
    }
}

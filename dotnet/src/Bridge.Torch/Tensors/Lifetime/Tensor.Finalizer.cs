namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        private TensorFinalizer? _finalizer;

        /// <summary>Gives this tensor a finalizer, in case nothing else frees its handle.</summary>
        internal void EnableFinalizer()
        {
            if (_finalizer is not null || _own.IsClosed || this is PointerTensor) return;
            var finalizer = new TensorFinalizer(this);
            if (Interlocked.CompareExchange(ref _finalizer, finalizer, null) is not null) GC.SuppressFinalize(finalizer);
        }

        // Called when the handle was freed, or when another owner will free the handle.
        private void SuppressFinalizer()
        {
            if (_finalizer is { } finalizer) GC.SuppressFinalize(finalizer);
            else if (this is PointerTensor) GC.SuppressFinalize(this);
        }

        /// <summary>An object whose finalizer lets a tensor's handle be freed. Only the tensor refers to the object.</summary>
        /// <remarks>
        /// The finalizer never calls libtorch: dropping the last reference to a tensor that Python has seen takes the GIL, and at exit the
        /// finalizer thread would deadlock. Instead, the finalizer enqueues the handle, which the next call between Python and C# frees.
        /// </remarks>
        private sealed class TensorFinalizer(Tensor tensor)
        {
            ~TensorFinalizer() => tensor.Dispose(false);
        }

        /// <summary>
        /// A tensor from <see cref="UnsafeCreateTensor"/>. As in TorchSharp, its class has a finalizer: code that only borrows the pointer
        /// suppresses the finalizer by <see cref="GC.SuppressFinalize"/>.
        /// </summary>
        private sealed class PointerTensor(IntPtr handle) : Tensor(handle)
        {
            ~PointerTensor() => Dispose(false);
        }
    }
}

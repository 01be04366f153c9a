namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        private Collected? _collected;

        /// <summary>No scope of a call frees the tensor: the collector does, if nothing disposes it before.</summary>
        internal void LeaveToCollector()
        {
            if (_collected is not null || _own.IsClosed || this is OfPointer) return;
            var collected = new Collected(this);
            if (Interlocked.CompareExchange(ref _collected, collected, null) is not null) GC.SuppressFinalize(collected);
        }

        // The handle is free or another's.
        private void Forgo()
        {
            if (_collected is { } collected) GC.SuppressFinalize(collected);
            else if (this is OfPointer) GC.SuppressFinalize(this);
        }

        /// <summary>Has the finalizer of a tensor, which only it leads to by then.</summary>
        /// <remarks>
        /// It never calls libtorch, since dropping the last reference to a tensor that Python has seen takes the GIL and the finalizer thread would
        /// deadlock at exit: it enqueues the handle, and the next boundary call frees it.
        /// </remarks>
        private sealed class Collected(Tensor tensor)
        {
            ~Collected() => tensor.Dispose(false);
        }

        /// <summary>Made of a pointer that model code has. It has the finalizer itself, as in TorchSharp: code that only borrows the pointer suppresses it.</summary>
        private sealed class OfPointer(IntPtr handle) : Tensor(handle)
        {
            ~OfPointer() => Dispose(false);
        }
    }
}

using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        /// <summary>Gets the weak reference that the lists of large tensors hold; null if the tensor was not found to be large.</summary>
        internal LargeTensor? Large { get; private set; }

        /// <summary>Sets <see cref="Large"/> if this new tensor is large. Only the creating thread may call this method.</summary>
        internal void MeasureNew()
        {
            if (_own.TryPeek(out var handle)) Measure(handle, LargeTensor.Least);
        }

        /// <summary>Sets <see cref="Large"/> if the tensor has at least <paramref name="least"/> elements.</summary>
        internal void Measure(long least = LargeTensor.Least)
        {
            if (Large is not null || Slot is not null || !_own.TryAcquire(out var handle)) return;
            Measure(handle, least);
            _own.Release(handle);
        }

        /// <summary>
        /// Frees the tensor, which the code of a frame has just passed to a module or operator, if that was the tensor's only use.
        /// </summary>
        /// <param name="frame">The thread's frame.</param>
        internal void EndUse(DisposeScope? frame)
        {
            if (Large is { IsUsedOnce: true, IsPinned: false } && frame is not null && Scope == frame && _exposedBytes == 0) Dispose();
        }

        private void Measure(IntPtr handle, long least)
        {
            long count;
            int type;
            // Under a torch function mode, the mode would see these reads; torch.export, which uses a mode, would make the size a constant.
            if (TorchFunctionMode.IsActive || Abi.get_numel(handle, &count) != 0 || count < least
                || (GetType() != typeof(Tensor) && GetType() != typeof(Modules.Parameter)))
                return;
            if (Abi.get_dtype(handle, &type) == 0) Large = new(this, count * (long)Abi.dtype_size(type));
        }

        /// <summary>Makes the scope hold a strong reference to a large tensor, because other code gets the tensor's address.</summary>
        private void Pin()
        {
            if (Large is not { IsPinned: false } large) return;
            large.IsPinned = true;
            Volatile.Read(ref Scope)?.Renew(this);
        }

        /// <summary>
        /// Frees an unreachable tensor, which the caller has removed from its scope's list. The statistics count it as disposed in a scope.
        /// The tensor's finalizer may run at the same time.
        /// </summary>
        internal void Reclaim()
        {
            if (Release(enqueue: false)) DisposeScopeManager.ForThread.CountDisposed(this, inScope: true);
        }
    }
}

using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        /// <summary>Its place in the scopes of calls, if it is large. Set before any other thread has the tensor.</summary>
        internal LargeTensor? Large { get; private set; }

        /// <summary>Finds out whether a tensor that has just been made is large.</summary>
        internal void MeasureNew()
        {
            if (_own.TryPeek(out var handle)) Measure(handle, LargeTensor.Least);
        }

        /// <summary>Finds out whether it is large, if that is not known yet.</summary>
        internal void Measure(long least = LargeTensor.Least)
        {
            if (Large is not null || Slot is not null || !_own.TryAcquire(out var handle)) return;
            Measure(handle, least);
            _own.Release(handle);
        }

        private void Measure(IntPtr handle, long least)
        {
            long count;
            int type;
            // Who follows a call sees its questions too: a traced size would become a constant.
            if (TorchFunctionMode.IsActive || Abi.get_numel(handle, &count) != 0 || count < least || (GetType() != typeof(Tensor) && GetType() != typeof(Modules.Parameter))) return;
            if (Abi.get_dtype(handle, &type) == 0) Large = new(this, count * (long)Abi.dtype_size(type));
        }

        /// <summary>An address of the tensor's is given away: its scope must keep it.</summary>
        private void Pin()
        {
            if (Large is not { IsPinned: false } large) return;
            large.IsPinned = true;
            Volatile.Read(ref Scope)?.Renew(this);
        }

        /// <summary>Frees an unused tensor that is in no scope any more; its finalizer has run, runs now, or will find nothing to do.</summary>
        internal void Reclaim()
        {
            if (Release(enqueue: false)) DisposeScopeManager.ForThread.Disposed(this, inScope: true);
        }
    }
}

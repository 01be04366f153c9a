using System.Runtime.CompilerServices;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        // The storage size in bytes plus 1, if a hook got the tensor; otherwise 0.
        private long _exposedBytes;
        private int _isRetired;
        private RetiredHandles? _retired;

        /// <summary>
        /// Returns the tensor that a hook gets for this one: it stays valid if the hook keeps it, even if the module's code disposes it.
        /// </summary>
        /// <remarks>
        /// Returns this tensor, unless Python owns it. From then on the garbage collector frees its
        /// handle.
        /// </remarks>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal Tensor ExposeToHook() => _exposedBytes > 0 ? this : ExposeFirst();

        private Tensor ExposeFirst()
        {
            var exposed = this;
            if (Slot is not null || GetType() != typeof(Tensor))
            {
                var scope = DisposeScope.Suspend();
                exposed = Own(NewHandle());
                DisposeScope.Resume(scope);
            }

            long bytes;
            using (var lease = exposed.Lease())
                if (Abi.get_storage_size(lease.Handle, &bytes) != 0) bytes = long.MaxValue >> 8; // no storage of its own
            HookPressure.Add(bytes == long.MaxValue >> 8 ? exposed.numel() : bytes / sizeof(float));
            exposed._exposedBytes = bytes + 1;
            return exposed;
        }

        // C# has disposed the tensor, but a hook may keep it. Several threads may call this at once; one of them retires the tensor.
        private void Retire()
        {
            var inScope = Leave(lives: false);
            // Small tensors share a finalizer, whose cost is that of a small module's call.
            var isSmall = _exposedBytes <= RetiredHandles.Small;
            if (isSmall ? !_own.TryLend() : Interlocked.Exchange(ref _isRetired, 1) != 0) return;
            DisposeScopeManager.ForThread.CountDisposed(this, inScope);
            if (isSmall) Share();
            else EnableFinalizer();
        }

        private void Share()
        {
            _own.TryPeek(out var handle);
            _retired = RetiredHandles.Add(handle, _exposedBytes);
            // From now on a use of this tensor is a use of the batch: its finalizer may have run when another resurrected object reads the
            // tensor. A thread that finds the handle closed sees the writes before.
            _own.Close(enqueue: false);
            SuppressFinalizer();
        }

        private HandleLease LeaseRetired()
        {
            if (_retired is not { } retired || !retired.Uses.TryAcquire(out _)) throw DisposedError();
            _own.TryPeek(out var handle);
            return new(ref retired.Uses, handle);
        }
    }
}

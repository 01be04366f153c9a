using System.Runtime.CompilerServices;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        // If a hook got the tensor: the size of its storage in bytes plus 1, or a huge number if it has no storage. Otherwise 0.
        private long _exposedBytes;
        private int _isRetired;
        private RetiredHandles? _retired;

        /// <summary>
        /// Returns the object to pass to a hook: a new C# object for the same tensor if this object mirrors a Python attribute or is of a
        /// derived class, otherwise this object. The hook can use the returned object even after the module's code disposes it.
        /// </summary>
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

        // Called when C# disposes the tensor, which a hook may have kept: leaves the handle to a finalizer. If several threads dispose the
        // tensor at once, only one of them does so.
        private void Retire()
        {
            var inScope = Leave(lives: false);
            // Small tensors share a finalizer: a finalizer for each tensor would cost as much as the call of a small module.
            var isSmall = _exposedBytes <= RetiredHandles.Small;
            if (isSmall ? !_own.TryLend() : Interlocked.Exchange(ref _isRetired, 1) != 0) return;
            DisposeScopeManager.ForThread.CountDisposed(this, inScope);
            if (isSmall) AddToBatch();
            else EnableFinalizer();
        }

        private void AddToBatch()
        {
            _own.TryPeek(out var handle);
            _retired = RetiredHandles.Add(handle, _exposedBytes);
            // From now on, the batch counts the uses of this tensor. Otherwise the batch's finalizer could free the handle during a use, if
            // another finalizer has made the tensor reachable again. A thread that finds the handle closed reads _retired, which is set.
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

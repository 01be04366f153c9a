using System.Runtime.CompilerServices;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        // The bytes of what hooks were given, and one more; 0 if they were not.
        private long _exposedBytes;
        private int _isRetired;
        private RetiredHandles? _retired;

        /// <summary>What a hook is given for this tensor: one that stays valid if the hook keeps it, even when the module's code disposes it.</summary>
        /// <remarks>This very tensor, unless it is a parameter, or Python's in some other way. Its handle then is the collector's to free.</remarks>
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
                if (Abi.get_storage_size(lease.Handle, &bytes) != 0) bytes = long.MaxValue >> 8; // it has no storage of its own
            HookPressure.Add(bytes == long.MaxValue >> 8 ? exposed.numel() : bytes / sizeof(float));
            exposed._exposedBytes = bytes + 1;
            return exposed;
        }

        // C# does not need it any more, but a hook may have kept it. Any number of threads may come here at once: one of them retires it.
        private void Retire()
        {
            var inScope = Leave(lives: false);
            // Small ones share a finalizer: its costs are those of a small module's call.
            var isSmall = _exposedBytes <= RetiredHandles.Small;
            if (isSmall ? !_own.TryLend() : Interlocked.Exchange(ref _isRetired, 1) != 0) return;
            DisposeScopeManager.ForThread.Disposed(this, inScope);
            if (isSmall) Share();
            else EnableFinalizer();
        }

        private void Share()
        {
            _own.TryPeek(out var handle);
            _retired = RetiredHandles.Add(handle, _exposedBytes);
            // From now on a use is one of the others' too: their finalizer may have run when another one reads the tensor. Who finds the handle closed
            // sees what was written before that.
            _own.Close(enqueue: false);
            SuppressFinalizer();
        }

        private HandleLease LeaseRetired()
        {
            if (_retired is not { } retired || !retired.Uses.TryAcquire(out _)) throw Gone();
            _own.TryPeek(out var handle);
            return new(ref retired.Uses, handle);
        }
    }
}

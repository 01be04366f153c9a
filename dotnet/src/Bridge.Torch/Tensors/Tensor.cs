using System.Collections.Concurrent;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>A tensor of the libtorch that this process uses.</summary>
    /// <remarks>
    /// It owns one handle (a C++ reference), or, when it is a parameter or buffer of a mirrored module, none: then its
    /// <see cref="TensorSlot"/> says what the Python attribute is now. The finalizer never calls libtorch, since dropping the last
    /// reference to a tensor that Python has seen takes the GIL and the finalizer thread would deadlock at exit: it enqueues the
    /// handle, and the next boundary call frees it.
    /// </remarks>
    public unsafe partial class Tensor : IDisposable
    {
        private static readonly ConcurrentQueue<IntPtr> Orphans = new();
        private static long _live;
        private IntPtr _handle;

        /// <summary>The scope that disposes the tensor, and its neighbours there.</summary>
        internal DisposeScope? Scope;
        internal Tensor? Previous;
        internal Tensor? Next;

        internal Tensor(IntPtr handle)
        {
            _handle = handle;
            Interlocked.Increment(ref _live);
            DisposeScope.Adopt(this);
        }

        ~Tensor() => Release(enqueue: true);

        /// <summary>Handles that are owned by tensors or wait to be freed.</summary>
        internal static long Live => Interlocked.Read(ref _live);

        /// <summary>What this tensor is bound to, if it mirrors a Python attribute.</summary>
        internal TensorSlot? Slot { get; private set; }

        /// <summary>The handle, borrowed: valid while this object lives and is not disposed.</summary>
        /// <exception cref="ObjectDisposedException">The tensor was disposed, or its scope was.</exception>
        internal IntPtr Handle
        {
            get
            {
                var slot = Slot;
                if (slot is not null) return slot.Handle;
                var handle = _handle;
                return handle != IntPtr.Zero ? handle : throw Gone();
            }
        }

        /// <summary>True when the tensor was disposed.</summary>
        public bool IsInvalid => Slot is { } slot ? slot.IsNone : _handle == IntPtr.Zero;

        /// <summary>Takes over a handle that the caller owns.</summary>
        internal static Tensor Own(IntPtr handle) => new(handle);

        /// <summary>From now on the tensor is whatever the slot holds; the handle is handed to the caller.</summary>
        internal IntPtr Bind(TensorSlot slot)
        {
            DetachFromDisposeScope();
            Slot = slot;
            var handle = Interlocked.Exchange(ref _handle, IntPtr.Zero);
            if (handle != IntPtr.Zero) Interlocked.Decrement(ref _live);
            return handle;
        }

        /// <summary>Gives the handle to the caller; the tensor is invalid afterwards.</summary>
        internal IntPtr Take()
        {
            var handle = Interlocked.Exchange(ref _handle, IntPtr.Zero);
            if (handle == IntPtr.Zero) throw Gone();
            Interlocked.Decrement(ref _live);
            DetachFromDisposeScope();
            GC.SuppressFinalize(this);
            return handle;
        }

        /// <summary>Frees what finalizers left. Called where the GIL may be taken.</summary>
        internal static void DrainOrphans()
        {
            while (Orphans.TryDequeue(out var handle))
            {
                Abi.delete_tensor(handle);
                Interlocked.Decrement(ref _live);
            }
        }

        public void Dispose()
        {
            Scope?.Forget(this);
            Release(enqueue: false);
            GC.SuppressFinalize(this);
        }

        private void Release(bool enqueue)
        {
            var handle = Interlocked.Exchange(ref _handle, IntPtr.Zero);
            if (handle == IntPtr.Zero) return;
            if (enqueue)
            {
                Orphans.Enqueue(handle);
                return;
            }

            Abi.delete_tensor(handle);
            Interlocked.Decrement(ref _live);
        }

        /// <summary>Keeps the tensor when its scope is disposed.</summary>
        public Tensor DetachFromDisposeScope()
        {
            Scope?.Forget(this);
            return this;
        }

        /// <summary>Hands the tensor to the scope around its own.</summary>
        public Tensor MoveToOuterDisposeScope()
        {
            Scope?.MoveToOuter(this);
            return this;
        }

        private static ObjectDisposedException Gone() => new(nameof(Tensor),
            "The tensor was disposed. One that must outlive its scope or its module's call is kept by DetachFromDisposeScope().");
    }
}

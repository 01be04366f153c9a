using System.Runtime.CompilerServices;
using Bridge.Torch;
using Bridge.Torch.Compatibility;
using Bridge.Torch.Native;

namespace TorchSharp;

public static partial class torch
{
    /// <summary>A tensor of the libtorch that this process uses.</summary>
    /// <remarks>
    /// Usually, a tensor owns one handle (a C++ reference). But a C# module may have a mirror, an nn.Module in Python. A parameter or
    /// buffer of such a module owns no handle: its <see cref="TensorSlot"/> gets the current value of the mirror's attribute. The class has
    /// no finalizer, which would make each tensor several times as expensive. The end of a module's call frees the small tensors that the
    /// call created. A tensor that no call is sure to free has a finalizer in another object (<see cref="TensorFinalizer"/>). PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/tensors.html#torch.Tensor">torch.Tensor</see>.
    /// </remarks>
    [Utils.TypeFormatterSource(typeof(Utils.TypeFormatterSource))]
    public unsafe partial class Tensor : TensorCompatibility, IDisposable
    {
        private static long _live;
        private static long _peak;
        private GuardedHandle _own;

        /// <summary>The scope that disposes the tensor. Written under the scope's lock, but also read without the lock.</summary>
        internal DisposeScope? Scope;

        /// <summary>The previous tensor in the scope's list. Used only under the scope's lock, as <see cref="Next"/>.</summary>
        internal Tensor? Previous;
        internal Tensor? Next;

        internal Tensor(IntPtr handle)
        {
            _own = new(handle);
            Count();
            DisposeScope.Adopt(this);
        }

        /// <summary>Takes over the libtorch tensor and the scope of another object, which becomes invalid.</summary>
        /// <exception cref="InvalidOperationException">The tensor was disposed, or belongs to a mirrored module.</exception>
        private protected Tensor(Tensor replaced)
        {
            using (var lease = replaced.LeaseOwn()) _own = new(Abi.NewHandle(lease.Handle));
            Count();
            DisposeScope.Replace(replaced, this);
            if (Scope is null)
            {
                EnableFinalizer();
                DisposeScopeManager.ForThread.Watch(this);
            }

            replaced.Drop();
        }

        /// <summary>Gets the number of handles that tensors own or that wait to be freed.</summary>
        internal static long Live => Interlocked.Read(ref _live) + GuardedHandle.Waiting;

        /// <summary>Gets the number of tensors that have a handle of their own, including disposed ones that hooks may have kept.</summary>
        public static long TotalCount => Interlocked.Read(ref _live);

        /// <summary>Gets the maximum of <see cref="TotalCount"/> so far.</summary>
        public static long PeakCount => Math.Max(Interlocked.Read(ref _peak), TotalCount);

        private static void Count()
        {
            var live = Interlocked.Increment(ref _live);
            // A race between threads may lose an update, so the peak is approximate.
            if (live > _peak) _peak = live;
        }

        /// <summary>
        /// Gets libtorch's pointer to the tensor (<c>at::Tensor*</c>). The pointer is valid until this object is disposed or finalized.
        /// </summary>
        /// <exception cref="InvalidOperationException">
        /// The tensor or its scope was disposed, or the tensor mirrors a Python attribute while no call or hook from Python is running.
        /// </exception>
        /// <exception cref="Exception">
        /// Python's AttributeError or RuntimeError: the Python attribute that the tensor mirrors does not exist or is None.
        /// </exception>
        public IntPtr Handle
        {
            get
            {
                Pin();
                using var lease = Lease();
                return lease.Handle;
            }
        }

        /// <summary>Creates a tensor that takes over a pointer to an <c>at::Tensor</c>.</summary>
        /// <param name="handle">The pointer, which the tensor frees.</param>
        /// <returns>The tensor.</returns>
        public static Tensor UnsafeCreateTensor(IntPtr handle) => new PointerTensor(handle);

        /// <summary>Gives the tensor's pointer to the caller, who must free the pointer. The tensor is invalid afterwards.</summary>
        /// <returns>The pointer, to an <c>at::Tensor</c>.</returns>
        /// <exception cref="InvalidOperationException">
        /// The tensor was disposed, or belongs to a module that has a mirror in Python.
        /// </exception>
        public IntPtr DecoupleFromNativeHandle() => Take();

        /// <summary>Gets the slot of the Python attribute that the tensor mirrors; null for other tensors.</summary>
        internal TensorSlot? Slot { get; private set; }

        /// <summary>Starts a use of the handle. If another thread disposes the tensor, the handle stays alive until the use ends.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal HandleLease Lease() => Slot is null && _own.TryAcquire(out var handle) ? new(ref _own, handle) : LeaseSlotOrRetired();

        /// <summary>Returns a new handle, which the caller owns.</summary>
        internal IntPtr NewHandle()
        {
            using var lease = Lease();
            return Abi.NewHandle(lease.Handle);
        }

        private HandleLease LeaseSlotOrRetired() => Slot is { } slot ? slot.Lease() : LeaseRetired();

        /// <summary>Returns whether both objects refer to the same libtorch tensor; false if either object is invalid.</summary>
        internal bool IsSame(Tensor other)
        {
            if (IsInvalid || other.IsInvalid) return false;
            using var mine = Lease();
            using var its = other.Lease();
            return *(IntPtr*)mine.Handle == *(IntPtr*)its.Handle; // a handle points to a reference to the tensor
        }

        /// <summary>
        /// Gets whether the tensor has no value: it was disposed, or mirrors a Python attribute that is None. A tensor that a hook got may
        /// keep its value after <see cref="Dispose()"/>.
        /// </summary>
        public bool IsInvalid => Slot is { } slot ? slot.IsNone : _own.IsClosed && _retired is not { Uses.IsClosed: false };

        /// <summary>Creates a tensor that takes over a handle of the caller.</summary>
        internal static Tensor Own(IntPtr handle) => new(handle);

        /// <summary>
        /// Creates an object of a tensor class, in no scope, without running a constructor. The object takes over the handle. If the handle
        /// is zero, the object is invalid.
        /// </summary>
        internal static Tensor Blank(Type type, IntPtr handle = default)
        {
            var blank = (Tensor)RuntimeHelpers.GetUninitializedObject(type);
            if (handle == IntPtr.Zero) return blank;
            blank._own = new(handle);
            Count();
            blank.EnableFinalizer();
            return blank;
        }

        /// <summary>Binds the tensor to a slot. From now on the tensor has the slot's value.</summary>
        internal void Bind(TensorSlot slot)
        {
            Leave(lives: false);
            Slot = slot;
            Release(enqueue: false);
        }

        /// <summary>Returns a handle, which the caller owns, and disposes the tensor.</summary>
        /// <exception cref="InvalidOperationException">The tensor was disposed, or belongs to a mirrored module.</exception>
        internal IntPtr Take()
        {
            IntPtr taken;
            using (var lease = LeaseOwn()) taken = Abi.NewHandle(lease.Handle);
            Dispose();
            return taken;
        }

        private HandleLease LeaseOwn() => _own.TryAcquire(out var handle) ? new(ref _own, handle) : LeaseRetired();

        /// <inheritdoc/>
        public void Dispose()
        {
            if (_exposedBytes > 0)
            {
                Retire();
                return;
            }

            Dispose(true);
            SuppressFinalizer();
        }

        /// <summary>Frees this tensor's handle.</summary>
        /// <param name="disposing">False in a finalizer, which must not call libtorch.</param>
        protected virtual void Dispose(bool disposing)
        {
            var inScope = disposing && Leave(lives: false);
            if (Release(enqueue: !disposing) && disposing) DisposeScopeManager.ForThread.CountDisposed(this, inScope);
        }

        /// <summary>Frees the tensor's handle without counting a disposal in <see cref="DisposeScopeManager.Statistics"/>.</summary>
        internal void Drop()
        {
            Release(enqueue: false);
            SuppressFinalizer();
        }

        /// <summary>Subtracts the handles of <see cref="RetiredHandles"/> from <see cref="TotalCount"/>.</summary>
        internal static void Uncount(int handles) => Interlocked.Add(ref _live, -handles);

        private bool Release(bool enqueue)
        {
            if (!_own.Close(enqueue)) return false;
            Interlocked.Decrement(ref _live);
            return true;
        }

        /// <summary>Removes the tensor from its scope.</summary>
        /// <param name="lives">Whether the tensor stays in use: then a finalizer will free the handle.</param>
        /// <returns>Whether the tensor was in a scope.</returns>
        internal bool Leave(bool lives = true)
        {
            var left = false;
            while (Volatile.Read(ref Scope) is { } scope) left |= scope.Forget(this);
            if (left && lives) EnableFinalizer();
            return left;
        }

        /// <summary>Takes this tensor out of its scope, so that no scope disposes it.</summary>
        /// <returns>This tensor.</returns>
        public Tensor DetachFromDisposeScope()
        {
            if (Leave()) DisposeScopeManager.ForThread.Of(this).DetachedFromScopeCount++;
            return this;
        }

        /// <summary>Takes this tensor out of its scope, by the former, misspelled name of <see cref="DetachFromDisposeScope"/>.</summary>
        /// <returns>This tensor.</returns>
        [Obsolete("Use DetachFromDisposeScope.")]
        public Tensor DetatchFromDisposeScope() => DetachFromDisposeScope();

        /// <summary>Moves this tensor to the scope that encloses its own scope, or out of all scopes if there is none.</summary>
        /// <returns>This tensor.</returns>
        public Tensor MoveToOuterDisposeScope()
        {
            Volatile.Read(ref Scope)?.HandOver(this);
            return this;
        }

        /// <summary>Moves this tensor to another tensor's scope, or out of all scopes if the other tensor is in none.</summary>
        /// <param name="other">The other tensor.</param>
        /// <returns>This tensor.</returns>
        public Tensor MoveToOtherDisposeScope(Tensor other) => MoveToOtherDisposeScope(other.Scope);

        /// <summary>Moves this tensor to a scope, even if it was in none.</summary>
        /// <param name="other">The scope; null to move the tensor out of all scopes.</param>
        /// <returns>This tensor.</returns>
        public Tensor MoveToOtherDisposeScope(DisposeScope? other)
        {
            if (Volatile.Read(ref Scope) is { } scope) scope.MoveToOther(other, this);
            else other?.Attach(this);
            return this;
        }

        private static InvalidOperationException DisposedError() => new(
            "The tensor was disposed, or belongs to a module that has a mirror in Python. "
            + "To keep a tensor beyond its scope or its module's call, use DetachFromDisposeScope().");
    }
}

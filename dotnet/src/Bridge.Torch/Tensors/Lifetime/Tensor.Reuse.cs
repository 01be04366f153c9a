using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public unsafe partial class Tensor
    {
        /// <summary>Returns a tensor for an operator's result: the thread's spare tensor object or a new one.</summary>
        /// <param name="handle">A handle that the caller owns.</param>
        internal static Tensor Result(IntPtr handle)
        {
            var scopes = DisposeScopeManager.ForThread;
            var result = scopes.Spare is { } spare && spare.Scope == scopes.Current && spare.Scope is { } scope
                ? spare.Reuse(handle, scopes, scope) : new(handle);
            if (result.Large is { } large && scopes.Frame is { } frame) large.IsUsedOnce = frame.UsesOnce(TensorOrigins.Operator);
            return result;
        }

        /// <summary>
        /// Disposes this tensor, to which no other code refers. If possible, the next result of an operator on this thread in the same
        /// scope reuses the object and its place in the scope's list.
        /// </summary>
        /// <param name="scopes">The thread's scopes.</param>
        /// <remarks>A new object would cost a cache miss. <see cref="TotalCount"/> includes the spare tensor.</remarks>
        internal void DisposeForReuse(DisposeScopeManager scopes)
        {
            if (GetType() != typeof(Tensor) || Slot is not null || Large is not null || _exposedBytes > 0 || _finalizer is not null
                || name is not null
                || Scope is null || Scope != scopes.Current || scopes.Spare is not null || CallRecorder.Active != 0)
            {
                Dispose();
                return;
            }

            if (!_own.Close(enqueue: false)) return;
            scopes.CountDisposed(this, inScope: true);
            if (_own.IsIdle) scopes.Spare = this;
            else Interlocked.Decrement(ref _live);
        }

        /// <summary>Drops the thread's spare tensor. Called when a scope ends: the spare tensor may be in that scope.</summary>
        internal static void DropSpare(DisposeScopeManager scopes)
        {
            if (scopes.Spare is null) return;
            scopes.Spare = null;
            Interlocked.Decrement(ref _live);
        }

        private Tensor Reuse(IntPtr handle, DisposeScopeManager scopes, DisposeScope scope)
        {
            scopes.Spare = null;
            _own.Open(handle);
            scopes.Of(this).CreatedInScopeCount++;
            MeasureNew();
            if (Large is not null) scope.Renew(this);
            return this;
        }
    }
}

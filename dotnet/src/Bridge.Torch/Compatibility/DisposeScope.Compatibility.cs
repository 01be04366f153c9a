using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace TorchSharp;

// Members of TorchSharp 0.102.0 to 0.102.5.
public sealed partial class DisposeScope
{
    /// <summary>
    /// 0.102.0 to 0.102.5: creates a scope within a thread's innermost scope. New tensors do not join it; use
    /// <see cref="torch.NewDisposeScope"/>.
    /// </summary>
    /// <param name="disposeScopeManager">The scopes of the thread.</param>
    /// <exception cref="ArgumentNullException">The argument is null.</exception>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public DisposeScope(DisposeScopeManager disposeScopeManager)
    {
        ArgumentNullException.ThrowIfNull(disposeScopeManager);
        _outer = disposeScopeManager.Current;
    }

    /// <summary>0.102.0 to 0.102.5: moves an object of any class into this scope, which disposes the object.</summary>
    /// <param name="disposable">The object.</param>
    /// <returns>The object.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public T Include<T>(T disposable) where T : IDisposable
    {
        ThrowIfDisposed();
        var tensor = TensorOf(disposable) ?? Included.Of(disposable);
        if (Volatile.Read(ref tensor.Scope) == this) return disposable;
        tensor.Leave();
        Link(tensor);
        return disposable;
    }

    /// <summary>Represents an object that is not a tensor in a scope, since a scope holds only tensors. It has no handle.</summary>
    private sealed class Included : torch.Tensor
    {
        private static readonly ConditionalWeakTable<IDisposable, Included> All = [];

        // Never called: Blank creates the object, so that statistics do not count it as a tensor.
        private Included() : base(IntPtr.Zero) { }

        internal IDisposable Item { get; private set; } = null!;

        /// <summary>Returns the tensor of an object that was included before, or null.</summary>
        internal static Included? Find(IDisposable item) => item is not null && All.TryGetValue(item, out var found) ? found : null;

        internal static Included Of(IDisposable item) => All.GetValue(item, item =>
        {
            var made = (Included)Blank(typeof(Included));
            made.Item = item;
            return made;
        });

        protected override void Dispose(bool disposing)
        {
            if (!disposing) return;
            Leave();
            All.Remove(Item);
            Item.Dispose();
        }
    }
}

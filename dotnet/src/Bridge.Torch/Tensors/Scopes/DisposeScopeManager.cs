namespace TorchSharp;

/// <summary>A thread's scopes, and the counts of tensors that the thread created and disposed.</summary>
public class DisposeScopeManager
{
    [ThreadStatic]
    private static DisposeScopeManager? _forThread;

    private readonly ThreadDisposeScopeStatistics _statistics = new();

    /// <summary>The scope that was opened last, which may have been disposed.</summary>
    internal DisposeScope? Current;

    /// <summary>The large tensors in the scopes of this thread's calls.</summary>
    internal readonly LargeTensors Large = new();

    private bool _watches;

    /// <summary>Whether a scope is being disposed, so that its tensors count as disposed in a scope.</summary>
    internal bool Ending;

    /// <summary>A disposed tensor whose object, and place in the scope, the next result of an operator reuses.</summary>
    internal torch.Tensor? Spare;

    /// <summary>Gets the counts of this thread.</summary>
    public static ThreadDisposeScopeStatistics Statistics => ForThread._statistics;

    internal static DisposeScopeManager ForThread => _forThread ??= new();

    /// <summary>Suspends the thread's scope and returns it.</summary>
    internal DisposeScope? Suspend()
    {
        var current = Current;
        Current = null;
        return current;
    }

    /// <summary>
    /// Suspends the thread's scope until the result is disposed: tensors that a constructor or a static initializer creates belong to
    /// fields, and the end of their use is unknown. The garbage collector frees them; as in a call, it is triggered when large ones
    /// accumulate.
    /// </summary>
    internal static SuspendedScope WithoutScope() => new(ForThread);

    /// <summary>Notes that a tensor is in no scope.</summary>
    internal void Watch(torch.Tensor tensor)
    {
        if (_watches) Large.Watch(tensor);
    }

    /// <summary>Runs a function without counting its intermediate tensors: in TorchSharp it is a single native call.</summary>
    internal static T RunUncounted<T>(Func<T> run)
    {
        var tensors = Statistics.TensorStatistics;
        var before = tensors.Copy();
        try
        {
            return run();
        }
        finally
        {
            tensors.Restore(before);
        }
    }

    internal LifetimeStatistics Of(torch.Tensor tensor) =>
        tensor is torch.nn.utils.rnn.PackedSequence.Entry ? _statistics.PackedSequenceStatistics : _statistics.TensorStatistics;

    internal void CountDisposed(torch.Tensor tensor, bool inScope)
    {
        if (inScope || Ending) Of(tensor).DisposedInScopeCount++;
        else Of(tensor).DisposedOutsideScopeCount++;
    }

    /// <summary>A suspended scope: see <see cref="WithoutScope"/>.</summary>
    internal readonly ref struct SuspendedScope
    {
        private readonly DisposeScopeManager _manager;
        private readonly DisposeScope? _scope;
        private readonly bool _watched;

        internal SuspendedScope(DisposeScopeManager manager)
        {
            (_manager, _scope, _watched) = (manager, manager.Suspend(), manager._watches);
            manager._watches = true;
        }

        public void Dispose()
        {
            (_manager.Current, _manager._watches) = (_scope, _watched);
            if (!_watched) _manager.Large.Forget();
        }
    }
}

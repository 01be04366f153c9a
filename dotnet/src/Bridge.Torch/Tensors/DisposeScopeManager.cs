namespace TorchSharp;

/// <summary>A thread's scopes, and its counts of what was made and disposed.</summary>
public class DisposeScopeManager
{
    [ThreadStatic]
    private static DisposeScopeManager? _forThread;

    private readonly ThreadDisposeScopeStatistics _statistics = new();

    /// <summary>The scope that was opened last; it may have ended meanwhile.</summary>
    internal DisposeScope? Current;

    /// <summary>The large tensors in the scopes of this thread's calls.</summary>
    internal readonly LargeTensors Large = new();

    private bool _watches;

    /// <summary>What is disposed now is disposed with the scope that it was in.</summary>
    internal bool Ending;

    /// <summary>A disposed tensor whose object, and place in the scope, the next result of an operator takes over.</summary>
    internal torch.Tensor? Spare;

    /// <summary>The counts of this thread.</summary>
    public static ThreadDisposeScopeStatistics Statistics => ForThread._statistics;

    internal static DisposeScopeManager ForThread => _forThread ??= new();

    /// <summary>From now on the thread has no scope; gives the one to put back.</summary>
    internal DisposeScope? Suspend()
    {
        var current = Current;
        Current = null;
        return current;
    }

    /// <summary>
    /// Until the result is disposed, the thread has no scope: what a constructor or a static initializer makes is its fields', and nobody knows when it needs a tensor
    /// no more. The collector frees all, but it is asked as often as in a call which of the large ones are in use.
    /// </summary>
    internal static Unscoped WithoutScope() => new(ForThread);

    /// <summary>A tensor is in no scope.</summary>
    internal void Watch(torch.Tensor tensor)
    {
        if (_watches) Large.Watch(tensor);
    }

    /// <summary>Tensors that a function makes and disposes on its way, which are one native call in TorchSharp, are not counted.</summary>
    internal static T Uncounted<T>(Func<T> run)
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

    internal void Disposed(torch.Tensor tensor, bool inScope)
    {
        if (inScope || Ending) Of(tensor).DisposedInScopeCount++;
        else Of(tensor).DisposedOutsideScopeCount++;
    }

    /// <summary>See <see cref="WithoutScope"/>.</summary>
    internal readonly ref struct Unscoped
    {
        private readonly DisposeScopeManager _manager;
        private readonly DisposeScope? _scope;
        private readonly bool _watched;

        internal Unscoped(DisposeScopeManager manager)
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

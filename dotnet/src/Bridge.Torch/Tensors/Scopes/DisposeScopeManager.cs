namespace TorchSharp;

/// <summary>A thread's scopes, and the counts of tensors that the thread created and disposed.</summary>
public class DisposeScopeManager
{
    [ThreadStatic]
    private static DisposeScopeManager? _forThread;

    private readonly ThreadDisposeScopeStatistics _statistics = new();

    /// <summary>The thread's innermost scope, which may already be disposed; null if there is none or it is suspended.</summary>
    internal DisposeScope? Current;

    /// <summary>The large tensors that this thread's calls and constructors created.</summary>
    internal readonly LargeTensors Large = new();

    /// <summary>
    /// The scope of the call whose <c>forward</c>, written by the user, is running; null while that calls a module, in hooks, and in other
    /// code.
    /// </summary>
    internal DisposeScope? Frame;

    /// <summary>Whether a call that the current one has made may have kept its argument.</summary>
    internal bool KeepsArgument;

    // Whether WithoutScope is in effect: then Large watches the new tensors that are in no scope.
    private bool _watches;

    /// <summary>
    /// Whether a scope, or a packed sequence in a scope, is being disposed. Tensors that are disposed meanwhile count as disposed in a
    /// scope.
    /// </summary>
    internal bool Ending;

    /// <summary>A disposed tensor that stays in its scope's list, so that the next result of an operator can reuse the object.</summary>
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

    /// <summary>Begins a call of a module with several arguments. Returns the argument for <see cref="ReturnToFrame"/>.</summary>
    internal DisposeScope? LeaveFrame()
    {
        var frame = Frame;
        Frame = null;
        return frame;
    }

    /// <summary>Ends a call of a module with several arguments, which may have kept them. If the call failed, no frame remains.</summary>
    internal void ReturnToFrame(DisposeScope? frame) => (Frame, KeepsArgument) = (frame, true);

    /// <summary>
    /// Suspends the thread's scope until the returned object is disposed. Use it around a constructor or static initializer: fields can
    /// keep the tensors that are created there, so these belong to no scope. Large tensors that accumulate trigger a garbage
    /// collection, as in a call.
    /// </summary>
    internal static SuspendedScope WithoutScope() => new(ForThread);

    /// <summary>
    /// Calls <see cref="LargeTensors.Watch"/> for a tensor that is in no scope, if <see cref="WithoutScope"/> is in effect.
    /// </summary>
    internal void Watch(torch.Tensor tensor)
    {
        if (_watches) Large.Watch(tensor);
    }

    /// <summary>Runs a function without counting its tensors in <see cref="Statistics"/>: TorchSharp creates them in native code.</summary>
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

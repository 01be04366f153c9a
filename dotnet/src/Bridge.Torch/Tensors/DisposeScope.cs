namespace TorchSharp;

/// <summary>Disposes the tensors and packed sequences made in it, on the thread that made it, when it is disposed itself.</summary>
/// <remarks>
/// Scopes nest per thread. A tensor leaves by <c>DetachFromDisposeScope</c> or <c>MoveToOuterDisposeScope</c>. Every call from Python has
/// one, so its tensors are a list through the tensors themselves, which costs no memory of its own; large ones are not kept alive by it
/// (<see cref="LargeTensor"/>). Any thread may dispose or detach a tensor of a scope, or end the scope itself.
/// </remarks>
public sealed partial class DisposeScope : IDisposable
{
    private readonly DisposeScope? _outer;
    private torch.Tensor? _first;
    private LargeTensor? _large;
    private readonly bool _ofCall;
    private int _locked;
    private volatile bool _disposed;

    private int _count;

    // The module whose forward runs in the scope of a call, and one that needs no scope and runs in it now.
    private readonly torch.nn.Module? _callee;
    private torch.nn.Module? _within;

    internal DisposeScope(bool ofCall = false, torch.nn.Module? callee = null)
    {
        var scopes = DisposeScopeManager.ForThread;
        _ofCall = ofCall;
        _callee = callee;
        _outer = scopes.Current;
        scopes.Current = this;
    }

    /// <summary>Tensors and packed sequences that the scope would dispose now.</summary>
    /// <exception cref="ObjectDisposedException">The scope was disposed.</exception>
    public int DisposablesCount
    {
        get
        {
            ThrowIfDisposed();
            return _count;
        }
    }

    /// <summary>A call from Python is under way on this thread: the calls below it have scopes too.</summary>
    internal static bool InCall => HasCalls && IsCall(DisposeScopeManager.ForThread);

    /// <summary>The same of a thread whose scopes are at hand.</summary>
    internal static bool IsCall(DisposeScopeManager scopes) => OfCall(scopes) is not null;

    /// <summary>The scope of that call.</summary>
    internal static DisposeScope? OfCall(DisposeScopeManager scopes) => FirstLive(scopes.Current) is { _ofCall: true } scope ? scope : null;

    /// <summary>There are calls from Python under way in the process.</summary>
    internal static bool HasCalls => Volatile.Read(ref Calls) != 0;

    /// <summary>Calls from Python that are under way in the process: if there are none, the thread's scope need not be read.</summary>
    internal static int Calls;

    /// <summary>The modules whose <c>forward</c> this thread runs, the innermost first; a built-in that C# calls itself is not among them.</summary>
    internal static IEnumerable<torch.nn.Module> Callees
    {
        get
        {
            for (var scope = DisposeScopeManager.ForThread.Current; scope is not null; scope = scope._outer)
            {
                if (scope._disposed) continue;
                if (scope._within is { } within) yield return within;
                if (scope._callee is { } callee) yield return callee;
            }
        }
    }

    /// <summary>A module's <c>forward</c> runs now that needs no scope of its own; gives what <see cref="Leave"/> takes.</summary>
    internal torch.nn.Module? Enter(torch.nn.Module callee)
    {
        var before = _within;
        _within = callee;
        return before;
    }

    /// <summary>It has run.</summary>
    internal void Leave(torch.nn.Module? before) => _within = before;

    /// <summary>Runs without any scope: only the collector frees what is made meanwhile.</summary>
    internal static DisposeScope? Suspend() => DisposeScopeManager.ForThread.Suspend();

    internal static void Resume(DisposeScope? scope) => DisposeScopeManager.ForThread.Current = scope;

    /// <summary>Takes what was made just now into the thread's scope.</summary>
    internal static void Adopt(torch.Tensor tensor)
    {
        var scopes = DisposeScopeManager.ForThread;
        var counts = scopes.Of(tensor);
        if (FirstLive(scopes.Current) is { } scope)
        {
            counts.CreatedInScopeCount++;
            if (scope._ofCall) tensor.MeasureNew();
            scope.Link(tensor);
        }
        else
        {
            counts.CreatedOutsideScopeCount++;
            tensor.EnableFinalizer();
            scopes.Watch(tensor);
        }
    }

    /// <summary>Takes a tensor out; one that is not in the scope stays as it is.</summary>
    /// <returns>Whether it was in the scope.</returns>
    internal bool Forget(torch.Tensor tensor)
    {
        Lock();
        var mine = tensor.Scope == this;
        if (mine) Unlink(tensor);
        Unlock();
        return mine;
    }

    /// <summary>Puts a tensor in another one's place.</summary>
    internal static void Replace(torch.Tensor replaced, torch.Tensor by)
    {
        if (Volatile.Read(ref replaced.Scope) is { } scope && scope.Forget(replaced)) FirstLive(scope)?.Link(by);
    }

    internal void HandOver(torch.Tensor tensor)
    {
        if (Forget(tensor)) Enter(FirstLive(_outer), tensor);
    }

    /// <summary>What is in no scope enters that one; without one it stays so, and was detached.</summary>
    private void Enter(DisposeScope? scope, torch.Tensor tensor)
    {
        // What was made in a call's scope was measured there.
        if (scope is { _ofCall: true } && !_ofCall) tensor.Measure();
        if (scope is not null)
        {
            scope.Link(tensor);
            return;
        }

        var scopes = DisposeScopeManager.ForThread;
        scopes.Of(tensor).DetachedFromScopeCount++;
        tensor.EnableFinalizer();
        scopes.Watch(tensor);
    }

    /// <summary>The scope that the thread's own code opened last, if no call from Python began after it.</summary>
    internal static DisposeScope? Current => FirstLive(DisposeScopeManager.ForThread.Current) is { _ofCall: false } scope ? scope : null;

    /// <summary>Ends the scope and disposes what is still in it.</summary>
    public void Dispose()
    {
        Lock();
        var ended = _disposed;
        _disposed = true;
        Unlock();
        if (ended) return;
        var scopes = DisposeScopeManager.ForThread;
        torch.Tensor.DropSpare(scopes);
        scopes.Current = FirstLive(scopes.Current);
        var ending = scopes.Ending;
        scopes.Ending = true;
        try
        {
            while (Pop() is { } tensor) tensor.Dispose();
            while (PopLarge() is { } large) large.Tensor?.Dispose();
        }
        finally
        {
            scopes.Ending = ending;
        }
    }

    /// <summary>Ends a call's scope: scopes that the callee opened and left open are no longer current either.</summary>
    internal void EndCall()
    {
        Dispose();
        DisposeScopeManager.ForThread.Current = FirstLive(_outer);
    }

    /// <summary>The innermost scope from this one outwards that was not disposed: scopes may end out of order.</summary>
    private static DisposeScope? FirstLive(DisposeScope? scope)
    {
        while (scope is { _disposed: true }) scope = scope._outer;
        return scope;
    }

    private void Link(torch.Tensor tensor)
    {
        var large = _ofCall && tensor.Large is { IsPinned: false } loose ? loose : null;
        // Only the scope of a call is sure to end, and of large tensors it may let go before.
        if (!_ofCall || large is not null) tensor.EnableFinalizer();
        Lock();
        var ended = _disposed;
        if (!ended)
        {
            tensor.Scope = this;
            if (large is null)
            {
                tensor.Next = _first;
                if (_first is { } first) first.Previous = tensor;
                _first = tensor;
            }
            else
            {
                large.Enter(ref _large);
            }

            _count++;
        }

        Unlock();
        if (!ended) return;
        // Another thread ended the scope meanwhile.
        if (FirstLive(this) is { } outer) outer.Link(tensor);
        else tensor.EnableFinalizer();
    }

    /// <summary>Links again a tensor whose place in the scope depends on what changed: see <see cref="LargeTensor.IsPinned"/>.</summary>
    internal void Renew(torch.Tensor tensor)
    {
        if (Forget(tensor)) Link(tensor);
    }

    /// <summary>Frees the large tensors of this scope and those around it that the collector has found to be unused.</summary>
    internal void Reclaim()
    {
        for (var scope = this; scope is not null; scope = scope._outer)
            if (scope._ofCall) scope.ReclaimHere();
    }

    private void ReclaimHere()
    {
        LargeTensor? unused = null;
        Lock();
        for (LargeTensor? large = _large, next; large is not null; large = next)
        {
            next = large.Next;
            if (!large.IsUnused) continue;
            large.Leave(ref _large);
            _count--;
            if (large.Tensor is { } tensor) tensor.Scope = null;
            (large.Next, unused) = (unused, large);
        }

        Unlock();
        for (; unused is not null; unused = unused.Next) unused.Tensor?.Reclaim();
    }

    private torch.Tensor? Pop()
    {
        Lock();
        var tensor = _first;
        if (tensor is not null) Unlink(tensor);
        Unlock();
        return tensor;
    }

    private LargeTensor? PopLarge()
    {
        Lock();
        var large = _large;
        if (large is not null)
        {
            large.Leave(ref _large);
            _count--;
            if (large.Tensor is { } tensor) tensor.Scope = null;
        }

        Unlock();
        return large;
    }

    private void Unlink(torch.Tensor tensor)
    {
        if (tensor.Large is { IsListed: true } large)
        {
            large.Leave(ref _large);
            tensor.Scope = null;
            _count--;
            return;
        }

        if (tensor.Previous is { } previous) previous.Next = tensor.Next;
        else _first = tensor.Next;
        if (tensor.Next is { } next) next.Previous = tensor.Previous;
        (tensor.Scope, tensor.Previous, tensor.Next) = (null, null, null);
        _count--;
    }

    // Held for a few assignments, by threads that nothing can stop there: no code allocates, throws or takes the GIL while holding it.
    private void Lock()
    {
        if (Interlocked.CompareExchange(ref _locked, 1, 0) == 0) return;
        var spin = default(SpinWait);
        while (Interlocked.CompareExchange(ref _locked, 1, 0) != 0) spin.SpinOnce();
    }

    private void Unlock() => Volatile.Write(ref _locked, 0);
}

public static partial class torch
{
    /// <summary>Opens a scope; every tensor that the thread makes from now on belongs to it.</summary>
    public static DisposeScope NewDisposeScope() => new();

    /// <summary>The scope that the thread opened last, or null.</summary>
    public static DisposeScope? CurrentDisposeScope => DisposeScope.Current;

    /// <summary>Runs it in a scope of its own, which its result leaves.</summary>
    public static Tensor WrappedTensorDisposeScope(Func<Tensor> expr)
    {
        using var scope = NewDisposeScope();
        return expr().MoveToOuterDisposeScope();
    }
}

using Bridge.Torch;

namespace TorchSharp;

/// <summary>A scope that, when disposed, disposes the tensors and packed sequences in it.</summary>
/// <remarks>
/// Scopes nest per thread. A new tensor is in the innermost scope of its thread; <c>DetachFromDisposeScope</c> and
/// <c>MoveToOuterDisposeScope</c> take a tensor out of its scope. Every call of a C# module from Python has a scope, and so have some
/// calls between C# modules. The scope of a call does not keep large tensors alive (<see cref="LargeTensor"/>). Any thread may dispose or
/// detach a scope's tensors, or dispose the scope. <c>MoveToOuter</c>, <c>MoveToOther</c>, <c>Detach</c> and <c>MarkAsDisposed</c> do
/// nothing for a tensor or packed sequence that is not in this scope. After <c>Dispose</c>, all members except <c>Contains</c> and
/// <c>Dispose</c> throw <see cref="ObjectDisposedException"/>. The members that move objects accept objects of other classes only after
/// <c>Include</c>; otherwise, they throw <see cref="InvalidOperationException"/>.
/// </remarks>
public sealed partial class DisposeScope : IDisposable
{
    private readonly DisposeScope? _outer;
    private torch.Tensor? _first;
    private LargeTensor? _large;

    // Whether the scope is that of a module's call; false if the user's code opened it.
    private readonly bool _ofCall;

    private int _locked;
    private volatile bool _disposed;

    private int _count;

    // _callee is the module whose call has the scope. _within is a Sequential that runs in this scope, without a scope of its own.
    private readonly torch.nn.Module? _callee;
    private torch.nn.Module? _within;

    internal DisposeScope(bool ofCall = false, torch.nn.Module? callee = null)
    {
        var scopes = DisposeScopeManager.ForThread;
        _ofCall = ofCall;
        _callee = callee;
        _outer = scopes.Current;
        scopes.Current = this;
        if (!ofCall) return;
        _frame = scopes.Frame;
        scopes.Frame = null;
    }

    /// <summary>Gets the number of tensors and packed sequences in the scope.</summary>
    /// <exception cref="ObjectDisposedException">The scope was disposed.</exception>
    public int DisposablesCount
    {
        get
        {
            ThrowIfDisposed();
            return _count;
        }
    }

    /// <summary>Gets whether this thread's innermost scope is that of a call.</summary>
    internal static bool InCall => HasCalls && IsCall(DisposeScopeManager.ForThread);

    /// <summary>Returns whether a thread's innermost scope is that of a call.</summary>
    internal static bool IsCall(DisposeScopeManager scopes) => OfCall(scopes) is not null;

    /// <summary>Returns a thread's innermost scope if it is that of a call; otherwise null.</summary>
    internal static DisposeScope? OfCall(DisposeScopeManager scopes) => FirstLive(scopes.Current) is { _ofCall: true } scope ? scope : null;

    /// <summary>Gets whether a call from Python is in progress in the process.</summary>
    internal static bool HasCalls => Volatile.Read(ref Calls) != 0;

    /// <summary>The number of calls from Python in progress in the process. If it is 0, the thread's scope need not be read.</summary>
    internal static int Calls;

    /// <summary>
    /// Gets the modules whose calls have this thread's scopes, and the Sequentials that run in such scopes, innermost first.
    /// </summary>
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

    /// <summary>Sets the module that runs in this scope without a scope of its own. Returns the argument for <see cref="Leave"/>.</summary>
    internal torch.nn.Module? Enter(torch.nn.Module callee)
    {
        var before = _within;
        _within = callee;
        return before;
    }

    /// <summary>Undoes <see cref="Enter"/> when the module has returned.</summary>
    internal void Leave(torch.nn.Module? before) => _within = before;

    /// <summary>Suspends the thread's scope: tensors created until <see cref="Resume"/> are in no scope.</summary>
    internal static DisposeScope? Suspend() => DisposeScopeManager.ForThread.Suspend();

    internal static void Resume(DisposeScope? scope) => DisposeScopeManager.ForThread.Current = scope;

    /// <summary>Adds a new tensor to the thread's innermost scope, if there is one.</summary>
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

        MemoryLog.Current?.Add(tensor);
    }

    /// <summary>Removes a tensor from the scope.</summary>
    /// <returns>Whether the tensor was in the scope.</returns>
    internal bool Forget(torch.Tensor tensor)
    {
        Lock();
        var mine = tensor.Scope == this;
        if (mine) Unlink(tensor);
        Unlock();
        return mine;
    }

    /// <summary>Removes a tensor from its scope and adds another to that scope.</summary>
    internal static void Replace(torch.Tensor replaced, torch.Tensor by)
    {
        if (Volatile.Read(ref replaced.Scope) is { } scope && scope.Forget(replaced)) FirstLive(scope)?.Link(by);
    }

    /// <summary>Moves a tensor of this scope to the enclosing scope, or out of all scopes if no scope encloses this one.</summary>
    internal void HandOver(torch.Tensor tensor)
    {
        var outer = FirstLive(_outer);
        if (tensor.Large is { IsUsedOnce: true } large)
            large.IsUsedOnce = UsesOnce(TensorOrigins.Call) && outer?.UsesOnce(TensorOrigins.Call) == true;
        if (Forget(tensor)) MoveInto(outer, tensor);
    }

    /// <summary>
    /// Adds a tensor, which has just been removed from this scope, to another scope. Leaves the tensor in no scope if
    /// <paramref name="scope"/> is null.
    /// </summary>
    private void MoveInto(DisposeScope? scope, torch.Tensor tensor)
    {
        // A call's scope lists large tensors separately. A tensor that comes from a call's scope has been measured there.
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

    /// <summary>Gets the thread's innermost scope; null if there is none, or if it is that of a call.</summary>
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

    /// <summary>Ends a call's scope. Scopes that the callee opened but did not dispose are no longer current.</summary>
    internal void EndCall()
    {
        Dispose();
        var scopes = DisposeScopeManager.ForThread;
        (scopes.Current, scopes.Frame) = (FirstLive(_outer), _frame);
    }

    /// <summary>Returns the innermost undisposed scope, from the given one outwards: scopes may be disposed out of order.</summary>
    private static DisposeScope? FirstLive(DisposeScope? scope)
    {
        while (scope is { _disposed: true }) scope = scope._outer;
        return scope;
    }

    private void Link(torch.Tensor tensor)
    {
        var large = _ofCall && tensor.Large is { IsPinned: false } loose ? loose : null;
        // Tensors in a scope of the user's code need a finalizer because the code may never dispose the scope. Large tensors need one
        // because a call's scope does not keep them alive.
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
        // Another thread has disposed the scope.
        if (FirstLive(this) is { } outer) outer.Link(tensor);
        else tensor.EnableFinalizer();
    }

    /// <summary>Moves a tensor between the lists of small and large tensors, after it became large or pinned.</summary>
    internal void Renew(torch.Tensor tensor)
    {
        if (Forget(tensor)) Link(tensor);
    }

    /// <summary>Frees the unused large tensors of this scope and of the enclosing scopes.</summary>
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

    // A spin lock. Code that holds it does not allocate, throw or take the GIL, so other threads wait only briefly.
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
    /// <summary>Opens a scope for the tensors that this thread creates until the scope is disposed.</summary>
    /// <returns>The scope.</returns>
    public static DisposeScope NewDisposeScope() => new();

    /// <summary>Gets the thread's innermost scope; null if there is none, or if it is that of a module's call.</summary>
    public static DisposeScope? CurrentDisposeScope => DisposeScope.Current;

    /// <summary>Runs a function in a new scope and moves the result to the enclosing scope.</summary>
    /// <param name="expr">The function.</param>
    /// <returns>The function's result.</returns>
    public static Tensor WrappedTensorDisposeScope(Func<Tensor> expr)
    {
        using var scope = NewDisposeScope();
        return expr().MoveToOuterDisposeScope();
    }
}

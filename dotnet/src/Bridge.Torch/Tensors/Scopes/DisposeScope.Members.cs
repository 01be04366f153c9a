namespace TorchSharp;

/// <summary>Members that move tensors and packed sequences between scopes, or dispose what is in a scope.</summary>
/// <remarks>
/// <c>MoveToOuter</c>, <c>MoveToOther</c>, <c>Detach</c> and <c>MarkAsDisposed</c> do nothing for a tensor or packed sequence that is not
/// in this scope. After <c>Dispose</c>, all members except <c>Contains</c> and <c>Dispose</c> throw <see cref="ObjectDisposedException"/>.
/// The members that move objects accept other objects only after <c>Include</c>; otherwise, they throw
/// <see cref="InvalidOperationException"/>.
/// </remarks>
public sealed partial class DisposeScope
{
    /// <summary>Gets the tensors and packed sequences in the scope.</summary>
    /// <exception cref="ObjectDisposedException">The scope was disposed.</exception>
    public IReadOnlyList<IDisposable> DisposablesView => ListItems();

    /// <summary>Moves the object to the enclosing scope, or out of all scopes if no scope encloses this one.</summary>
    public T MoveToOuter<T>(T disposable) where T : IDisposable
    {
        MoveToOther(FirstLive(_outer), [disposable]);
        return disposable;
    }

    public (T1 first, T2 second) MoveToOuter<T1, T2>(T1 first, T2 second) where T1 : IDisposable where T2 : IDisposable
    {
        MoveToOther(FirstLive(_outer), [first, second]);
        return (first, second);
    }

    public (T1 first, T2 second, T3 third) MoveToOuter<T1, T2, T3>(T1 first, T2 second, T3 third) where T1 : IDisposable where T2
        : IDisposable where T3 : IDisposable
    {
        MoveToOther(FirstLive(_outer), [first, second, third]);
        return (first, second, third);
    }

    public void MoveToOuter(params IDisposable[] disposables) => MoveToOther(FirstLive(_outer), (IEnumerable<IDisposable>)disposables);

    public void MoveToOuter(IEnumerable<IDisposable> disposables) => MoveToOther(FirstLive(_outer), disposables);

    /// <summary>Moves the object to another scope, or out of all scopes if <paramref name="scope"/> is null.</summary>
    public T MoveToOther<T>(DisposeScope? scope, T disposable) where T : IDisposable
    {
        MoveToOther(scope, [disposable]);
        return disposable;
    }

    public (T1 first, T2 second) MoveToOther<T1, T2>(DisposeScope? scope, T1 first, T2 second) where T1 : IDisposable where T2 : IDisposable
    {
        MoveToOther(scope, [first, second]);
        return (first, second);
    }

    public (T1 first, T2 second, T3 third) MoveToOther<T1, T2, T3>(DisposeScope? scope, T1 first, T2 second, T3 third) where T1
        : IDisposable where T2 : IDisposable where T3 : IDisposable
    {
        MoveToOther(scope, [first, second, third]);
        return (first, second, third);
    }

    public void MoveToOther(DisposeScope? scope, params IDisposable[] disposables) =>
        MoveToOther(scope, (IEnumerable<IDisposable>)disposables);

    public void MoveToOther(DisposeScope? scope, IEnumerable<IDisposable> disposables)
    {
        ThrowIfDisposed();
        foreach (var tensor in Tensors(disposables))
            if (Forget(tensor)) MoveInto(scope, tensor);
    }

    /// <summary>Removes the object from the scope, so that no scope disposes the object.</summary>
    public T Detach<T>(T disposable) where T : IDisposable
    {
        Detach([disposable]);
        return disposable;
    }

    public (T1 first, T2 second) Detach<T1, T2>(T1 first, T2 second) where T1 : IDisposable where T2 : IDisposable
    {
        Detach([first, second]);
        return (first, second);
    }

    public (T1 first, T2 second, T3 third) Detach<T1, T2, T3>(T1 first, T2 second, T3 third) where T1 : IDisposable where T2 : IDisposable
        where T3 : IDisposable
    {
        Detach([first, second, third]);
        return (first, second, third);
    }

    public void Detach(params IDisposable[] disposables) => Detach((IEnumerable<IDisposable>)disposables);

    public void Detach(IEnumerable<IDisposable> disposables) => MoveToOther(null, disposables);

    /// <summary>Moves the object into this scope. If the object is in another scope, removes it from there.</summary>
    public void Attach(IDisposable disposable) => Attach((IEnumerable<IDisposable>)[disposable]);

    public void Attach(params IDisposable[] disposables) => Attach((IEnumerable<IDisposable>)disposables);

    public IReadOnlyList<IDisposable> Attach(IEnumerable<IDisposable> disposables)
    {
        ThrowIfDisposed();
        var attached = Tensors(disposables).ToArray();
        foreach (var tensor in attached)
        {
            if (Volatile.Read(ref tensor.Scope) == this) continue;
            tensor.Leave();
            Link(tensor);
            DisposeScopeManager.ForThread.Of(tensor).AttachedToScopeCount++;
        }

        return [.. attached.Select(ItemOf)];
    }

    /// <summary>Disposes all objects in the scope, which stays open.</summary>
    public void DisposeEverything() => DisposeEverythingBut((IEnumerable<IDisposable>)[]);

    /// <summary>Disposes all objects in the scope except the given ones, which stay in the scope.</summary>
    public void DisposeEverythingBut(IEnumerable<IDisposable> inKeep)
    {
        var kept = inKeep.ToHashSet(ReferenceEqualityComparer.Instance);
        foreach (var disposable in ListItems())
            if (!kept.Contains(disposable)) disposable.Dispose();
    }

    public void DisposeEverythingBut(params IDisposable[] keep) => DisposeEverythingBut((IEnumerable<IDisposable>)keep);

    public T DisposeEverythingBut<T>(T keep) where T : IDisposable
    {
        DisposeEverythingBut((IEnumerable<IDisposable>)[keep]);
        return keep;
    }

    public (T1 first, T2 second) DisposeEverythingBut<T1, T2>(T1 first, T2 second) where T1 : IDisposable where T2 : IDisposable
    {
        DisposeEverythingBut((IEnumerable<IDisposable>)[first, second]);
        return (first, second);
    }

    public (T1 first, T2 second, T3 third) DisposeEverythingBut<T1, T2, T3>(T1 first, T2 second, T3 third) where T1 : IDisposable where T2
        : IDisposable where T3 : IDisposable
    {
        DisposeEverythingBut((IEnumerable<IDisposable>)[first, second, third]);
        return (first, second, third);
    }

    /// <summary>Removes the object from the scope without disposing the object.</summary>
    public void MarkAsDisposed(IDisposable disposable)
    {
        ThrowIfDisposed();
        if (TensorOf(disposable) is { } tensor && Forget(tensor)) tensor.EnableFinalizer();
    }

    public bool Contains(IDisposable disposable) => TensorOf(disposable) is { } tensor && Volatile.Read(ref tensor.Scope) == this;

    private static IEnumerable<torch.Tensor> Tensors(IEnumerable<IDisposable> disposables) => disposables.Select(disposable =>
        TensorOf(disposable) ?? throw new InvalidOperationException(
            $"A DisposeScope manages tensors and packed sequences only, not {disposable?.GetType().Name ?? "null"}."));

    private static torch.Tensor? TensorOf(IDisposable disposable) =>
        (disposable as torch.nn.utils.rnn.PackedSequence)?.InScope ?? disposable as torch.Tensor ?? Included.Find(disposable);

    private static IDisposable ItemOf(torch.Tensor tensor) => tensor switch
    {
        torch.nn.utils.rnn.PackedSequence.Entry entry => entry.Sequence,
        Included included => included.Item,
        _ => tensor,
    };

    private void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_disposed, this);

    private IDisposable[] ListItems()
    {
        ThrowIfDisposed();
        while (true)
        {
            var found = new IDisposable[_count];
            Lock();
            var same = _count == found.Length;
            var at = found.Length;
            // The tensor that was added last is first in the list and last in the result.
            for (var tensor = same ? _first : null; tensor is not null; tensor = tensor.Next) found[--at] = ItemOf(tensor);
            Unlock();
            if (same) return found;
        }
    }
}

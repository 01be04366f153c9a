namespace TorchSharp;

// Members that move tensors and packed sequences between scopes, or dispose what is in a scope.
public sealed partial class DisposeScope
{
    /// <summary>Gets the objects in the scope.</summary>
    /// <exception cref="ObjectDisposedException">The scope was disposed.</exception>
    public IReadOnlyList<IDisposable> DisposablesView => ListItems();

    /// <summary>Moves an object to the enclosing scope, or out of all scopes if no scope encloses this one.</summary>
    /// <param name="disposable">The object.</param>
    /// <returns>The object.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public T MoveToOuter<T>(T disposable) where T : IDisposable
    {
        MoveToOther(FirstLive(_outer), [disposable]);
        return disposable;
    }

    /// <summary>Moves two objects to the enclosing scope, or out of all scopes if no scope encloses this one.</summary>
    /// <param name="first">The first object.</param>
    /// <param name="second">The second object.</param>
    /// <returns>The objects.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public (T1 first, T2 second) MoveToOuter<T1, T2>(T1 first, T2 second) where T1 : IDisposable where T2 : IDisposable
    {
        MoveToOther(FirstLive(_outer), [first, second]);
        return (first, second);
    }

    /// <summary>Moves three objects to the enclosing scope, or out of all scopes if no scope encloses this one.</summary>
    /// <param name="first">The first object.</param>
    /// <param name="second">The second object.</param>
    /// <param name="third">The third object.</param>
    /// <returns>The objects.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public (T1 first, T2 second, T3 third) MoveToOuter<T1, T2, T3>(T1 first, T2 second, T3 third) where T1 : IDisposable where T2
        : IDisposable where T3 : IDisposable
    {
        MoveToOther(FirstLive(_outer), [first, second, third]);
        return (first, second, third);
    }

    /// <summary>Moves objects to the enclosing scope, or out of all scopes if no scope encloses this one.</summary>
    /// <param name="disposables">The objects.</param>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public void MoveToOuter(params IDisposable[] disposables) => MoveToOther(FirstLive(_outer), (IEnumerable<IDisposable>)disposables);

    /// <summary>Moves objects to the enclosing scope, or out of all scopes if no scope encloses this one.</summary>
    /// <param name="disposables">The objects.</param>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public void MoveToOuter(IEnumerable<IDisposable> disposables) => MoveToOther(FirstLive(_outer), disposables);

    /// <summary>Moves an object to another scope, or out of all scopes.</summary>
    /// <param name="scope">The other scope; null to move out of all scopes.</param>
    /// <param name="disposable">The object.</param>
    /// <returns>The object.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public T MoveToOther<T>(DisposeScope? scope, T disposable) where T : IDisposable
    {
        MoveToOther(scope, [disposable]);
        return disposable;
    }

    /// <summary>Moves two objects to another scope, or out of all scopes.</summary>
    /// <param name="first">The first object.</param>
    /// <param name="second">The second object.</param>
    /// <param name="scope">The other scope; null to move out of all scopes.</param>
    /// <returns>The objects.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public (T1 first, T2 second) MoveToOther<T1, T2>(DisposeScope? scope, T1 first, T2 second) where T1 : IDisposable where T2 : IDisposable
    {
        MoveToOther(scope, [first, second]);
        return (first, second);
    }

    /// <summary>Moves three objects to another scope, or out of all scopes.</summary>
    /// <param name="first">The first object.</param>
    /// <param name="second">The second object.</param>
    /// <param name="third">The third object.</param>
    /// <param name="scope">The other scope; null to move out of all scopes.</param>
    /// <returns>The objects.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public (T1 first, T2 second, T3 third) MoveToOther<T1, T2, T3>(DisposeScope? scope, T1 first, T2 second, T3 third) where T1
        : IDisposable where T2 : IDisposable where T3 : IDisposable
    {
        MoveToOther(scope, [first, second, third]);
        return (first, second, third);
    }

    /// <summary>Moves objects to another scope, or out of all scopes.</summary>
    /// <param name="scope">The other scope; null to move out of all scopes.</param>
    /// <param name="disposables">The objects.</param>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public void MoveToOther(DisposeScope? scope, params IDisposable[] disposables) =>
        MoveToOther(scope, (IEnumerable<IDisposable>)disposables);

    /// <summary>Moves objects to another scope, or out of all scopes.</summary>
    /// <param name="scope">The other scope; null to move out of all scopes.</param>
    /// <param name="disposables">The objects.</param>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public void MoveToOther(DisposeScope? scope, IEnumerable<IDisposable> disposables)
    {
        ThrowIfDisposed();
        foreach (var tensor in Tensors(disposables))
            if (Forget(tensor)) MoveInto(scope, tensor);
    }

    /// <summary>Removes an object from the scope, so that no scope disposes it.</summary>
    /// <param name="disposable">The object.</param>
    /// <returns>The object.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public T Detach<T>(T disposable) where T : IDisposable
    {
        Detach([disposable]);
        return disposable;
    }

    /// <summary>Removes two objects from the scope, so that no scope disposes them.</summary>
    /// <param name="first">The first object.</param>
    /// <param name="second">The second object.</param>
    /// <returns>The objects.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public (T1 first, T2 second) Detach<T1, T2>(T1 first, T2 second) where T1 : IDisposable where T2 : IDisposable
    {
        Detach([first, second]);
        return (first, second);
    }

    /// <summary>Removes three objects from the scope, so that no scope disposes them.</summary>
    /// <param name="first">The first object.</param>
    /// <param name="second">The second object.</param>
    /// <param name="third">The third object.</param>
    /// <returns>The objects.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public (T1 first, T2 second, T3 third) Detach<T1, T2, T3>(T1 first, T2 second, T3 third) where T1 : IDisposable where T2 : IDisposable
        where T3 : IDisposable
    {
        Detach([first, second, third]);
        return (first, second, third);
    }

    /// <summary>Removes objects from the scope, so that no scope disposes them.</summary>
    /// <param name="disposables">The objects.</param>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public void Detach(params IDisposable[] disposables) => Detach((IEnumerable<IDisposable>)disposables);

    /// <summary>Removes objects from the scope, so that no scope disposes them.</summary>
    /// <param name="disposables">The objects.</param>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public void Detach(IEnumerable<IDisposable> disposables) => MoveToOther(null, disposables);

    /// <summary>Moves an object into this scope; removes it from the scope that it is in.</summary>
    /// <param name="disposable">The object.</param>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public void Attach(IDisposable disposable) => Attach((IEnumerable<IDisposable>)[disposable]);

    /// <summary>Moves objects into this scope; removes them from the scopes that they are in.</summary>
    /// <param name="disposables">The objects.</param>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
    public void Attach(params IDisposable[] disposables) => Attach((IEnumerable<IDisposable>)disposables);

    /// <summary>Moves objects into this scope; removes them from the scopes that they are in.</summary>
    /// <param name="disposables">The objects.</param>
    /// <returns>The objects.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    /// <exception cref="InvalidOperationException">An object is no tensor or packed sequence, and was not included before.</exception>
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
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    public void DisposeEverything() => DisposeEverythingBut((IEnumerable<IDisposable>)[]);

    /// <summary>Disposes all objects in the scope except the given ones, which stay in the scope.</summary>
    /// <param name="inKeep">The objects to keep.</param>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    public void DisposeEverythingBut(IEnumerable<IDisposable> inKeep)
    {
        var kept = inKeep.ToHashSet(ReferenceEqualityComparer.Instance);
        foreach (var disposable in ListItems())
            if (!kept.Contains(disposable)) disposable.Dispose();
    }

    /// <summary>Disposes all objects in the scope except the given ones, which stay in the scope.</summary>
    /// <param name="keep">The objects to keep.</param>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    public void DisposeEverythingBut(params IDisposable[] keep) => DisposeEverythingBut((IEnumerable<IDisposable>)keep);

    /// <summary>Disposes all objects in the scope except one, which stays in the scope.</summary>
    /// <param name="keep">The object.</param>
    /// <returns>The object.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    public T DisposeEverythingBut<T>(T keep) where T : IDisposable
    {
        DisposeEverythingBut((IEnumerable<IDisposable>)[keep]);
        return keep;
    }

    /// <summary>Disposes all objects in the scope except two objects, which stay in the scope.</summary>
    /// <param name="first">The first object.</param>
    /// <param name="second">The second object.</param>
    /// <returns>The objects.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    public (T1 first, T2 second) DisposeEverythingBut<T1, T2>(T1 first, T2 second) where T1 : IDisposable where T2 : IDisposable
    {
        DisposeEverythingBut((IEnumerable<IDisposable>)[first, second]);
        return (first, second);
    }

    /// <summary>Disposes all objects in the scope except three objects, which stay in the scope.</summary>
    /// <param name="first">The first object.</param>
    /// <param name="second">The second object.</param>
    /// <param name="third">The third object.</param>
    /// <returns>The objects.</returns>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    public (T1 first, T2 second, T3 third) DisposeEverythingBut<T1, T2, T3>(T1 first, T2 second, T3 third) where T1 : IDisposable where T2
        : IDisposable where T3 : IDisposable
    {
        DisposeEverythingBut((IEnumerable<IDisposable>)[first, second, third]);
        return (first, second, third);
    }

    /// <summary>Removes an object from the scope without disposing it.</summary>
    /// <param name="disposable">The object.</param>
    /// <exception cref="ObjectDisposedException">This scope was disposed.</exception>
    public void MarkAsDisposed(IDisposable disposable)
    {
        ThrowIfDisposed();
        if (TensorOf(disposable) is { } tensor && Forget(tensor)) tensor.EnableFinalizer();
    }

    /// <summary>Returns whether an object is in the scope.</summary>
    /// <param name="disposable">The object.</param>
    /// <returns>Whether it is.</returns>
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

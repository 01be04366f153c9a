using System.Collections;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.Torch;

/// <summary>One enumeration of a data loader's batches.</summary>
/// <remarks>
/// The tensors that the data set creates for an item are disposed when the item's batch has been made. If <c>DisposeBatch</c> is true,
/// those that the collating function creates are disposed when the enumeration goes on or ends. Tensors that were created before, or
/// were detached from their dispose scope, stay alive. If the data set or the collating function throws, the garbage collector frees the
/// tensors of the batch's items, and the next step goes on with the next batch.
/// </remarks>
internal sealed class BatchEnumerator<T, S>(DataLoader<T, S> loader) : IEnumerator<S>
{
    private IEnumerator<long> _order = loader.sampler.GetEnumerator();
    private IDisposable[] _batch = [];

    public S Current { get; private set; } = default!;

    object? IEnumerator.Current => Current;

    public bool MoveNext()
    {
        DisposeAll(_batch);
        _batch = [];
        var indices = NextIndices();
        if (indices.Count == 0 || (loader.drop_last && indices.Count < loader.batch_size)) return false;
        var (items, disposables) = Read(indices);
        using (var scope = NewDisposeScope())
        {
            Current = loader.collate_fn(items, loader.Device);
            var made = Release(scope);
            if (loader.DisposeBatch) _batch = made;
        }

        foreach (var made in disposables) DisposeAll(made);
        return true;
    }

    public void Reset()
    {
        Dispose();
        _order = loader.sampler.GetEnumerator();
    }

    public void Dispose()
    {
        _order.Dispose();
        DisposeAll(_batch);
        _batch = [];
    }

    private List<long> NextIndices()
    {
        var indices = new List<long>();
        // As in TorchSharp: MoveNext is called batch_size times, even after the last index, and a negative batch_size throws here.
        foreach (var _ in Enumerable.Range(0, loader.batch_size))
            if (_order.MoveNext()) indices.Add(_order.Current);
        return indices;
    }

    /// <summary>Reads items in parallel, on at most <c>num_workers</c> threads.</summary>
    /// <returns>The items, and for each item the tensors to dispose.</returns>
    /// <exception cref="AggregateException">The data set threw, even if there is only one thread.</exception>
    private (T[] Items, IDisposable[][] Made) Read(List<long> indices)
    {
        var items = new T[indices.Count];
        var made = new IDisposable[indices.Count][];
        Parallel.For(0, items.Length, new ParallelOptions { MaxDegreeOfParallelism = loader.num_workers }, at =>
        {
            using var scope = NewDisposeScope();
            items[at] = loader.dataset.GetTensor(indices[at]);
            made[at] = Release(scope);
        });
        return (items, made);
    }

    /// <summary>Takes all tensors out of a scope.</summary>
    private static IDisposable[] Release(DisposeScope scope)
    {
        IDisposable[] made = [.. scope.DisposablesView];
        scope.Detach(made);
        return made;
    }

    private static void DisposeAll(IDisposable[] made)
    {
        foreach (var disposable in made) disposable.Dispose();
    }
}

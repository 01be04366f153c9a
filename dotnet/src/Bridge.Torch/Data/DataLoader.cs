using System.Collections;
using Bridge.Torch;
using TorchSharp.Utils;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>Reads the items of a data set in an order and gives them as batches. Every enumeration starts anew.</summary>
/// <remarks>
/// PyTorch: <see href="https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader">torch.utils.data.DataLoader</see>.
/// </remarks>
/// <typeparam name="T">The type of an item.</typeparam>
/// <typeparam name="S">The type of a batch.</typeparam>
public partial class DataLoader<T, S> : IEnumerable<S>, IDisposable
{
    /// <summary>Creates a data loader that reads the items at the indices of a sequence.</summary>
    /// <param name="dataset">The items.</param>
    /// <param name="batchSize">The number of items in a batch.</param>
    /// <param name="collate_fn">Makes a batch of items, for a device.</param>
    /// <param name="shuffler">The indices, in order; <see cref="Count"/> does not depend on them.</param>
    /// <param name="device">The device of the batches; null for the CPU.</param>
    /// <param name="num_worker">The number of threads that read a batch's items, the calling thread included. Below 1, it is 1.</param>
    /// <param name="drop_last">Whether to leave out a last batch with fewer items.</param>
    /// <param name="disposeBatch">Whether to dispose a batch's tensors when the enumeration goes on or ends.</param>
    /// <param name="disposeDataset">Whether to dispose the data set with the data loader.</param>
    public DataLoader(utils.data.Dataset<T> dataset, int batchSize, Func<IEnumerable<T>, Device, S> collate_fn, IEnumerable<long> shuffler,
        Device? device = null, int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true)
    {
        (this.dataset, batch_size, this.collate_fn, sampler) = (dataset, batchSize, collate_fn, shuffler);
        (Device, num_workers, this.drop_last) = (device ?? CPU, Math.Max(num_worker, 1), drop_last);
        (DisposeBatch, DisposeDataset) = (disposeBatch, disposeDataset);
    }

    /// <summary>Creates a data loader that reads all items that the data set has now.</summary>
    /// <param name="dataset">The items.</param>
    /// <param name="batchSize">The number of items in a batch.</param>
    /// <param name="collate_fn">Makes a batch of items, for a device.</param>
    /// <param name="shuffle">Whether to read the items in random order.</param>
    /// <param name="device">The device of the batches; null for the CPU.</param>
    /// <param name="seed">Determines the random order, the same in every enumeration; null for another order in each.</param>
    /// <param name="num_worker">The number of threads that read a batch's items, the calling thread included. Below 1, it is 1.</param>
    /// <param name="drop_last">Whether to leave out a last batch with fewer items.</param>
    /// <param name="disposeBatch">Whether to dispose a batch's tensors when the enumeration goes on or ends.</param>
    /// <param name="disposeDataset">Whether to dispose the data set with the data loader.</param>
    public DataLoader(utils.data.Dataset<T> dataset, int batchSize, Func<IEnumerable<T>, Device, S> collate_fn, bool shuffle = false,
        Device? device = null, int? seed = null, int num_worker = 1, bool drop_last = false, bool disposeBatch = true,
        bool disposeDataset = true)
        : this(dataset, batchSize, collate_fn, shuffle ? new FisherYatesShuffler(dataset.Count, seed) : new IndexOrder(dataset.Count),
            device, num_worker, drop_last, disposeBatch, disposeDataset)
    {
    }

    /// <summary>Gets the data set that the items come from.</summary>
    public utils.data.Dataset<T> dataset { get; }

    /// <summary>Gets the number of items in a full batch.</summary>
    public int batch_size { get; }

    /// <summary>Gets whether a last batch with fewer items is left out.</summary>
    public bool drop_last { get; }

    /// <summary>Gets the indices of the items, in order.</summary>
    public IEnumerable<long> sampler { get; }

    /// <summary>Gets the number of threads that read a batch's items.</summary>
    public int num_workers { get; }

    /// <summary>Gets the function that makes a batch of items, for a device.</summary>
    public Func<IEnumerable<T>, Device, S> collate_fn { get; }

    /// <summary>Gets the device of the batches.</summary>
    public Device Device { get; }

    /// <summary>Gets whether a batch's tensors are disposed when the enumeration goes on or ends.</summary>
    public bool DisposeBatch { get; }

    /// <summary>Gets whether the data set is disposed with the data loader.</summary>
    public bool DisposeDataset { get; }

    /// <summary>Returns an enumerator that reads the batches from the first on.</summary>
    public IEnumerator<S> GetEnumerator() => new BatchEnumerator<T, S>(this);

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>
    /// Gets the number of batches of all items. As in TorchSharp, an empty data set counts as one batch if <c>batch_size</c> is greater
    /// than 1 and <c>drop_last</c> is false.
    /// </summary>
    public long Count => drop_last ? dataset.Count / batch_size : (dataset.Count - 1) / batch_size + 1;

    /// <summary>Disposes the data set if <see cref="DisposeDataset"/> is true.</summary>
    public void Dispose()
    {
        Dispose(true);
        GC.SuppressFinalize(this);
    }

    /// <summary>Disposes the data set if called by <see cref="Dispose()"/> and <see cref="DisposeDataset"/> is true.</summary>
    /// <param name="disposing">Whether <see cref="Dispose()"/> was called; if false, nothing is done.</param>
    protected virtual void Dispose(bool disposing)
    {
        if (disposing && DisposeDataset) dataset.Dispose();
    }
}

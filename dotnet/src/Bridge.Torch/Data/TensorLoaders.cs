using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>A data loader of tensors by name: a batch has the names of its first item.</summary>
public partial class DataLoader : DataLoader<Dictionary<string, Tensor>, Dictionary<string, Tensor>>
{
    /// <summary>Creates a data loader whose batches are tensors by name, of the items at the indices of a sequence.</summary>
    /// <param name="dataset">The items.</param>
    /// <param name="batchSize">The number of items in a batch.</param>
    /// <param name="shuffler">The indices of the items, in order.</param>
    /// <param name="device">The device of the batches; null for the CPU.</param>
    /// <param name="num_worker">The number of threads that read a batch's items, the calling thread included. Below 1, it is 1.</param>
    /// <param name="drop_last">Whether to leave out a last batch with fewer items.</param>
    /// <param name="disposeBatch">Whether to dispose a batch's tensors when the enumeration goes on or ends.</param>
    /// <param name="disposeDataset">Whether to dispose the data set with the data loader.</param>
    public DataLoader(utils.data.Dataset dataset, int batchSize, IEnumerable<long> shuffler, Device? device = null, int num_worker = 1,
        bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true)
        : base(dataset, batchSize, Collating.ByName, shuffler, device, num_worker, drop_last, disposeBatch, disposeDataset)
    {
    }

    /// <summary>Creates a data loader whose batches are tensors by name, of all items that the data set has now.</summary>
    /// <param name="dataset">The items.</param>
    /// <param name="batchSize">The number of items in a batch.</param>
    /// <param name="shuffle">Whether to read the items in random order.</param>
    /// <param name="device">The device of the batches; null for the CPU.</param>
    /// <param name="seed">Determines the random order, the same in every enumeration; null for another order in each.</param>
    /// <param name="num_worker">The number of threads that read a batch's items, the calling thread included. Below 1, it is 1.</param>
    /// <param name="drop_last">Whether to leave out a last batch with fewer items.</param>
    /// <param name="disposeBatch">Whether to dispose a batch's tensors when the enumeration goes on or ends.</param>
    /// <param name="disposeDataset">Whether to dispose the data set with the data loader.</param>
    public DataLoader(utils.data.Dataset dataset, int batchSize, bool shuffle = false, Device? device = null, int? seed = null,
        int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true)
        : base(dataset, batchSize, Collating.ByName, shuffle, device, seed, num_worker, drop_last, disposeBatch, disposeDataset)
    {
    }
}

/// <summary>A data loader of lists of tensors: a batch has as many tensors as its first item.</summary>
public partial class IterableDataLoader : DataLoader<IList<Tensor>, IList<Tensor>>
{
    /// <summary>Creates a data loader whose batches are lists of tensors, of the items at the indices of a sequence.</summary>
    /// <param name="dataset">The items.</param>
    /// <param name="batchSize">The number of items in a batch.</param>
    /// <param name="shuffler">The indices of the items, in order.</param>
    /// <param name="device">The device of the batches; null for the CPU.</param>
    /// <param name="num_worker">The number of threads that read a batch's items, the calling thread included. Below 1, it is 1.</param>
    /// <param name="drop_last">Whether to leave out a last batch with fewer items.</param>
    /// <param name="disposeBatch">Whether to dispose a batch's tensors when the enumeration goes on or ends.</param>
    /// <param name="disposeDataset">Whether to dispose the data set with the data loader.</param>
    public IterableDataLoader(utils.data.IterableDataset dataset, int batchSize, IEnumerable<long> shuffler, Device? device = null,
        int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true)
        : base(dataset, batchSize, Collating.ByPosition, shuffler, device, num_worker, drop_last, disposeBatch, disposeDataset)
    {
    }

    /// <summary>Creates a data loader whose batches are lists of tensors, of all items that the data set has now.</summary>
    /// <param name="dataset">The items.</param>
    /// <param name="batchSize">The number of items in a batch.</param>
    /// <param name="shuffle">Whether to read the items in random order.</param>
    /// <param name="device">The device of the batches; null for the CPU.</param>
    /// <param name="seed">Determines the random order, the same in every enumeration; null for another order in each.</param>
    /// <param name="num_worker">The number of threads that read a batch's items, the calling thread included. Below 1, it is 1.</param>
    /// <param name="drop_last">Whether to leave out a last batch with fewer items.</param>
    /// <param name="disposeBatch">Whether to dispose a batch's tensors when the enumeration goes on or ends.</param>
    /// <param name="disposeDataset">Whether to dispose the data set with the data loader.</param>
    public IterableDataLoader(utils.data.IterableDataset dataset, int batchSize, bool shuffle = false, Device? device = null,
        int? seed = null, int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true)
        : base(dataset, batchSize, Collating.ByPosition, shuffle, device, seed, num_worker, drop_last, disposeBatch, disposeDataset)
    {
    }
}

using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>A data loader of tensors by name: a batch has the names of its first item.</summary>
public partial class DataLoader : DataLoader<Dictionary<string, Tensor>, Dictionary<string, Tensor>>
{
    public DataLoader(utils.data.Dataset dataset, int batchSize, IEnumerable<long> shuffler, Device? device = null, int num_worker = 1,
        bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true)
        : base(dataset, batchSize, Collating.ByName, shuffler, device, num_worker, drop_last, disposeBatch, disposeDataset)
    {
    }

    public DataLoader(utils.data.Dataset dataset, int batchSize, bool shuffle = false, Device? device = null, int? seed = null,
        int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true)
        : base(dataset, batchSize, Collating.ByName, shuffle, device, seed, num_worker, drop_last, disposeBatch, disposeDataset)
    {
    }
}

/// <summary>A data loader of lists of tensors: a batch has as many tensors as its first item.</summary>
public partial class IterableDataLoader : DataLoader<IList<Tensor>, IList<Tensor>>
{
    public IterableDataLoader(utils.data.IterableDataset dataset, int batchSize, IEnumerable<long> shuffler, Device? device = null,
        int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true)
        : base(dataset, batchSize, Collating.ByPosition, shuffler, device, num_worker, drop_last, disposeBatch, disposeDataset)
    {
    }

    public IterableDataLoader(utils.data.IterableDataset dataset, int batchSize, bool shuffle = false, Device? device = null,
        int? seed = null, int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true)
        : base(dataset, batchSize, Collating.ByPosition, shuffle, device, seed, num_worker, drop_last, disposeBatch, disposeDataset)
    {
    }
}

namespace TorchSharp;

public static partial class torch
{
    /// <summary>Data loading, utilities for modules, and TensorBoard.</summary>
    public static partial class utils
    {
        /// <summary>Data sets and data loaders.</summary>
        /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/data.html">torch.utils.data</see>.</remarks>
        public static partial class data
        {
            /// <summary>Creates a data loader of dictionaries of tensors that reads the items at given indices, in their order.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader">torch.utils.data.DataLoader</see>.
            /// </remarks>
            /// <param name="dataset">The items.</param>
            /// <param name="batchSize">The number of items in a batch.</param>
            /// <param name="shuffler">The indices of the items, in order.</param>
            /// <param name="device">The device of the batches; null for the CPU.</param>
            /// <param name="num_worker">
            /// The number of threads that read a batch's items, the calling thread included. A number below 1 counts as 1.
            /// </param>
            /// <param name="drop_last">Whether to leave out a last batch with fewer items.</param>
            /// <param name="disposeBatch">Whether to dispose a batch's tensors when the enumeration goes on or ends.</param>
            /// <param name="disposeDataset">Whether to dispose the data set with the data loader.</param>
            public static Modules.DataLoader DataLoader(Dataset dataset, int batchSize, IEnumerable<long> shuffler, Device? device = null,
                int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true) =>
                new(dataset, batchSize, shuffler, device, num_worker, drop_last, disposeBatch, disposeDataset);

            /// <summary>Creates a data loader of dictionaries of tensors that reads all items that the data set has now.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader">torch.utils.data.DataLoader</see>.
            /// </remarks>
            /// <param name="dataset">The items.</param>
            /// <param name="batchSize">The number of items in a batch.</param>
            /// <param name="shuffle">Whether to read the items in random order.</param>
            /// <param name="device">The device of the batches; null for the CPU.</param>
            /// <param name="seed">Determines the random order, the same in every enumeration; null for another order in each.</param>
            /// <param name="num_worker">
            /// The number of threads that read a batch's items, the calling thread included. A number below 1 counts as 1.
            /// </param>
            /// <param name="drop_last">Whether to leave out a last batch with fewer items.</param>
            /// <param name="disposeBatch">Whether to dispose a batch's tensors when the enumeration goes on or ends.</param>
            /// <param name="disposeDataset">Whether to dispose the data set with the data loader.</param>
            public static Modules.DataLoader DataLoader(Dataset dataset, int batchSize, bool shuffle = false, Device? device = null,
                int? seed = null, int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true) =>
                new(dataset, batchSize, shuffle, device, seed, num_worker, drop_last, disposeBatch, disposeDataset);

            /// <summary>Creates a data loader of lists of tensors that reads the items at given indices, in their order.</summary>
            /// <param name="dataset">The items.</param>
            /// <param name="batchSize">The number of items in a batch.</param>
            /// <param name="shuffler">The indices of the items, in order.</param>
            /// <param name="device">The device of the batches; null for the CPU.</param>
            /// <param name="num_worker">
            /// The number of threads that read a batch's items, the calling thread included. A number below 1 counts as 1.
            /// </param>
            /// <param name="drop_last">Whether to leave out a last batch with fewer items.</param>
            /// <param name="disposeBatch">Whether to dispose a batch's tensors when the enumeration goes on or ends.</param>
            /// <param name="disposeDataset">Whether to dispose the data set with the data loader.</param>
            public static Modules.IterableDataLoader DataLoader(IterableDataset dataset, int batchSize, IEnumerable<long> shuffler,
                Device? device = null, int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true) =>
                new(dataset, batchSize, shuffler, device, num_worker, drop_last, disposeBatch, disposeDataset);

            /// <summary>Creates a data loader of lists of tensors that reads all items that the data set has now.</summary>
            /// <param name="dataset">The items.</param>
            /// <param name="batchSize">The number of items in a batch.</param>
            /// <param name="shuffle">Whether to read the items in random order.</param>
            /// <param name="device">The device of the batches; null for the CPU.</param>
            /// <param name="seed">Determines the random order, the same in every enumeration; null for another order in each.</param>
            /// <param name="num_worker">
            /// The number of threads that read a batch's items, the calling thread included. A number below 1 counts as 1.
            /// </param>
            /// <param name="drop_last">Whether to leave out a last batch with fewer items.</param>
            /// <param name="disposeBatch">Whether to dispose a batch's tensors when the enumeration goes on or ends.</param>
            /// <param name="disposeDataset">Whether to dispose the data set with the data loader.</param>
            public static Modules.IterableDataLoader DataLoader(IterableDataset dataset, int batchSize, bool shuffle = false,
                Device? device = null, int? seed = null, int num_worker = 1, bool drop_last = false, bool disposeBatch = true,
                bool disposeDataset = true) =>
                new(dataset, batchSize, shuffle, device, seed, num_worker, drop_last, disposeBatch, disposeDataset);

            /// <summary>Creates a data set whose item is the row at the same index of each tensor.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.TensorDataset">
            /// torch.utils.data.TensorDataset</see>.
            /// </remarks>
            /// <param name="tensors">Tensors with the same number of rows; the data set does not dispose them.</param>
            public static Modules.TensorDataset TensorDataset(params Tensor[] tensors) => new(tensors);
        }
    }
}

namespace TorchSharp;

public static partial class torch
{
    public static partial class utils
    {
        /// <summary>Data sets and data loaders.</summary>
        public static partial class data
        {
            public static Modules.DataLoader DataLoader(Dataset dataset, int batchSize, IEnumerable<long> shuffler, Device? device = null,
                int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true) =>
                new(dataset, batchSize, shuffler, device, num_worker, drop_last, disposeBatch, disposeDataset);

            public static Modules.DataLoader DataLoader(Dataset dataset, int batchSize, bool shuffle = false, Device? device = null,
                int? seed = null, int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true) =>
                new(dataset, batchSize, shuffle, device, seed, num_worker, drop_last, disposeBatch, disposeDataset);

            public static Modules.IterableDataLoader DataLoader(IterableDataset dataset, int batchSize, IEnumerable<long> shuffler,
                Device? device = null, int num_worker = 1, bool drop_last = false, bool disposeBatch = true, bool disposeDataset = true) =>
                new(dataset, batchSize, shuffler, device, num_worker, drop_last, disposeBatch, disposeDataset);

            public static Modules.IterableDataLoader DataLoader(IterableDataset dataset, int batchSize, bool shuffle = false,
                Device? device = null, int? seed = null, int num_worker = 1, bool drop_last = false, bool disposeBatch = true,
                bool disposeDataset = true) =>
                new(dataset, batchSize, shuffle, device, seed, num_worker, drop_last, disposeBatch, disposeDataset);

            /// <summary>Creates a data set whose item is the row at the same index of each tensor.</summary>
            /// <param name="tensors">Tensors with the same number of rows; the data set does not dispose them.</param>
            public static Modules.TensorDataset TensorDataset(params Tensor[] tensors) => new(tensors);
        }
    }
}

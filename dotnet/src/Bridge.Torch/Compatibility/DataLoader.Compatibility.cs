using System.ComponentModel;
using static TorchSharp.torch;

// Data loaders of TorchSharp 0.102.0 to 0.102.5, which always disposed the batches and the data set.
namespace TorchSharp.Modules
{
    public partial class DataLoader<T, S>
    {
        /// <summary>
        /// 0.102.0 to 0.102.5: creates a data loader that reads the items at given indices, and always disposes batches and data set; see
        /// the current overload.
        /// </summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public DataLoader(utils.data.Dataset<T> dataset, int batchSize, Func<IEnumerable<T>, Device, S> collate_fn,
            IEnumerable<long> shuffler, Device? device, int num_worker, bool drop_last)
            : this(dataset, batchSize, collate_fn, shuffler, device, num_worker, drop_last, true, true) { }

        /// <summary>
        /// 0.102.0 to 0.102.5: creates a data loader that reads all items, and always disposes batches and data set; see the current
        /// overload.
        /// </summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public DataLoader(utils.data.Dataset<T> dataset, int batchSize, Func<IEnumerable<T>, Device, S> collate_fn, bool shuffle,
            Device? device, int? seed, int num_worker, bool drop_last)
            : this(dataset, batchSize, collate_fn, shuffle, device, seed, num_worker, drop_last, true, true) { }
    }

    public partial class DataLoader
    {
        /// <summary>
        /// 0.102.0 to 0.102.5: creates a data loader of dictionaries of tensors that reads the items at given indices, and always disposes
        /// batches and data set; see the overload with disposeBatch.
        /// </summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public DataLoader(utils.data.Dataset dataset, int batchSize, IEnumerable<long> shuffler, Device? device, int num_worker,
            bool drop_last)
            : this(dataset, batchSize, shuffler, device, num_worker, drop_last, true, true) { }

        /// <summary>
        /// 0.102.0 to 0.102.5: creates a data loader of dictionaries of tensors that reads all items, and always disposes batches and data
        /// set; see the overload with disposeBatch.
        /// </summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public DataLoader(utils.data.Dataset dataset, int batchSize, bool shuffle, Device? device, int? seed, int num_worker,
            bool drop_last)
            : this(dataset, batchSize, shuffle, device, seed, num_worker, drop_last, true, true) { }
    }

    public partial class IterableDataLoader
    {
        /// <summary>
        /// 0.102.0 to 0.102.5: creates a data loader of lists of tensors that reads the items at given indices, and always disposes batches
        /// and data set; see the overload with disposeBatch.
        /// </summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public IterableDataLoader(utils.data.IterableDataset dataset, int batchSize, IEnumerable<long> shuffler, Device? device,
            int num_worker, bool drop_last)
            : this(dataset, batchSize, shuffler, device, num_worker, drop_last, true, true) { }

        /// <summary>
        /// 0.102.0 to 0.102.5: creates a data loader of lists of tensors that reads all items, and always disposes batches and data set;
        /// see the overload with disposeBatch.
        /// </summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public IterableDataLoader(utils.data.IterableDataset dataset, int batchSize, bool shuffle, Device? device, int? seed,
            int num_worker, bool drop_last)
            : this(dataset, batchSize, shuffle, device, seed, num_worker, drop_last, true, true) { }
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class utils
        {
            public static partial class data
            {
                /// <summary>
                /// 0.102.0 to 0.102.5: creates a data loader that reads the items at given indices, and always disposes batches and data
                /// set; see the overload with disposeBatch.
                /// </summary>
                [EditorBrowsable(EditorBrowsableState.Never)]
                public static Modules.DataLoader DataLoader(Dataset dataset, int batchSize, IEnumerable<long> shuffler, Device? device,
                    int num_worker, bool drop_last) =>
                    new(dataset, batchSize, shuffler, device, num_worker, drop_last, true, true);

                /// <summary>
                /// 0.102.0 to 0.102.5: creates a data loader that reads all items, and always disposes batches and data set; see the
                /// overload with disposeBatch.
                /// </summary>
                [EditorBrowsable(EditorBrowsableState.Never)]
                public static Modules.DataLoader DataLoader(Dataset dataset, int batchSize, bool shuffle, Device? device, int? seed,
                    int num_worker, bool drop_last) =>
                    new(dataset, batchSize, shuffle, device, seed, num_worker, drop_last, true, true);

                /// <summary>
                /// 0.102.0 to 0.102.5: creates a data loader of lists of tensors that reads the items at given indices, and always disposes
                /// batches and data set; see the overload with disposeBatch.
                /// </summary>
                [EditorBrowsable(EditorBrowsableState.Never)]
                public static Modules.IterableDataLoader DataLoader(IterableDataset dataset, int batchSize, IEnumerable<long> shuffler,
                    Device? device, int num_worker, bool drop_last) =>
                    new(dataset, batchSize, shuffler, device, num_worker, drop_last, true, true);

                /// <summary>
                /// 0.102.0 to 0.102.5: creates a data loader of lists of tensors that reads all items, and always disposes batches and data
                /// set; see the overload with disposeBatch.
                /// </summary>
                [EditorBrowsable(EditorBrowsableState.Never)]
                public static Modules.IterableDataLoader DataLoader(IterableDataset dataset, int batchSize, bool shuffle, Device? device,
                    int? seed, int num_worker, bool drop_last) =>
                    new(dataset, batchSize, shuffle, device, seed, num_worker, drop_last, true, true);
            }
        }
    }
}

#nullable disable annotations // As in TorchSharp: overrides may return null without a compiler warning.

namespace TorchSharp;

public static partial class torch
{
    public static partial class utils
    {
        public static partial class data
        {
            /// <summary>
            /// Items that are read by their index. A derived class that has resources disposes them in <c>Dispose(bool)</c>.
            /// </summary>
            /// <typeparam name="T">The type of an item.</typeparam>
            public abstract class Dataset<T> : IDisposable
            {
                /// <summary>Disposes the data set.</summary>
                public void Dispose()
                {
                    Dispose(true);
                    GC.SuppressFinalize(this);
                }

                /// <summary>Gets the number of items.</summary>
                public abstract long Count { get; }

                /// <summary>Returns an item. A data loader with several workers calls this method on several threads at once.</summary>
                public abstract T GetTensor(long index);

                protected virtual void Dispose(bool disposing) { }
            }

            /// <summary>A data set whose items are tensors by name.</summary>
            public abstract class Dataset : Dataset<Dictionary<string, Tensor>>;

            /// <summary>A data set whose items are lists of tensors.</summary>
            public abstract class IterableDataset : Dataset<IList<Tensor>>;
        }
    }
}

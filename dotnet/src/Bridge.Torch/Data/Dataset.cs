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
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.Dataset">torch.utils.data.Dataset</see>.
            /// </remarks>
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
                /// <param name="index">The index of the item, from 0 to <see cref="Count"/> - 1.</param>
                public abstract T GetTensor(long index);

                /// <summary>Releases the resources of a derived class; does nothing here.</summary>
                /// <param name="disposing">Whether <see cref="Dispose()"/> was called.</param>
                protected virtual void Dispose(bool disposing) { }
            }

            /// <summary>A data set whose items are tensors by name.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.Dataset">torch.utils.data.Dataset</see>.
            /// </remarks>
            public abstract class Dataset : Dataset<Dictionary<string, Tensor>>;

            /// <summary>A data set whose items are lists of tensors. Unlike PyTorch's IterableDataset, it is read by index.</summary>
            public abstract class IterableDataset : Dataset<IList<Tensor>>;
        }
    }
}

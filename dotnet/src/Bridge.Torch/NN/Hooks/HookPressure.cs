using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>A trigger of garbage collections, which free tensors that hooks got and did not keep.</summary>
/// <remarks>
/// Only the garbage collector can tell whether a hook kept a tensor. The collector does not see the memory of tensors, so without a trigger
/// it might not run before the process is out of memory.
/// </remarks>
internal static class HookPressure
{
    private const long Limit = 16L << 20; // elements; 64 MB of float32
    private const long SmallLimit = 2L << 20; // bytes
    private static long _elements;
    private static long _small;

    /// <summary>
    /// Counts the elements of the tensors that a hook gets as values or as items of tuples, and collects garbage at a limit.
    /// </summary>
    internal static void Add(object?[] values)
    {
        var elements = 0L;
        foreach (var value in values)
        {
            if (value is torch.Tensor tensor) elements += Elements(tensor);
            else if (value is object?[] items)
                foreach (var item in items)
                    if (item is torch.Tensor inner) elements += Elements(inner);
        }

        Add(elements);
    }

    /// <summary>Counts elements of tensors that a hook gets, and collects garbage at a limit.</summary>
    internal static void Add(long elements)
    {
        if (Interlocked.Add(ref _elements, elements) < Limit) return;
        Interlocked.Exchange(ref _elements, 0);
        Collect();
    }

    /// <summary>
    /// Counts the bytes of small tensors that wait for the garbage collector, and collects garbage at a limit. Unless their memory is freed
    /// soon, new tensors get memory that is not in the CPU caches.
    /// </summary>
    internal static void Retire(long bytes)
    {
        if (Interlocked.Add(ref _small, bytes) < SmallLimit) return;
        Interlocked.Exchange(ref _small, 0);
        Collect();
    }

    // A torch function mode would see a read of the size, and a traced size is symbolic. In both cases, the tensor counts as large.
    private static long Elements(torch.Tensor tensor) => TorchFunctionMode.IsActive || TracedReads.IsActive ? Limit / 4 : tensor.numel();

    // Collects only the youngest generation: it has most of the tensors that hooks got recently and did not keep.
    private static void Collect() => GC.Collect(0, GCCollectionMode.Forced, blocking: true);
}

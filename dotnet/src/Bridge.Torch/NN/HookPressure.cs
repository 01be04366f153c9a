using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>Collects what hooks were given while it is still little.</summary>
/// <remarks>
/// A hook may keep its tensors, so nobody but .NET's collector can tell that it did not. The collector does not see the memory behind a tensor: by its own
/// measure a thousand of them are nothing, and it would come when the process has long run out of memory.
/// </remarks>
internal static class HookPressure
{
    private const long Most = 16L << 20; // 64 MB of float32
    private const long MostSmall = 2L << 20;
    private static long _elements;
    private static long _small;

    /// <summary>A hook was given these values.</summary>
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

    /// <summary>A hook was given tensors of so many elements.</summary>
    internal static void Add(long elements)
    {
        if (Interlocked.Add(ref _elements, elements) < Most) return;
        Interlocked.Exchange(ref _elements, 0);
        Collect();
    }

    /// <summary>Small tensors that hooks have seen wait for the collector, and take so many bytes. What comes next is made in memory that the caches do not have, unless they are soon freed.</summary>
    internal static void Retire(long bytes)
    {
        if (Interlocked.Add(ref _small, bytes) < MostSmall) return;
        Interlocked.Exchange(ref _small, 0);
        Collect();
    }

    // Who follows a call sees its questions too, and a symbolic size is no number: such a tensor is taken for a large one.
    private static long Elements(torch.Tensor tensor) => TorchFunctionMode.IsActive || TracedReads.IsActive ? Most / 4 : tensor.numel();

    // The youngest generation: what a hook was given and did not keep is not older. Its finalizers enqueue the handles.
    private static void Collect() => GC.Collect(0, GCCollectionMode.Forced, blocking: true);
}

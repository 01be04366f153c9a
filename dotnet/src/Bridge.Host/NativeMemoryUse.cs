using Bridge.Host.Systems;

namespace Bridge.Host;

/// <summary>Limits the native memory of tensors.</summary>
/// <remarks>
/// Finalizers free dropped tensors, but the GC cannot see their size, so this class starts collections when native memory grows.
/// </remarks>
internal static class NativeMemoryUse
{
    /// <summary>
    /// A number of bytes. When the tensors of calls add up to it, memory is measured; when dropped models add up to it, the GC collects.
    /// </summary>
    private const long MeasureInterval = 1L << 26;

    /// <summary>The number of bytes by which the memory in use has to grow before the GC collects.</summary>
    private const long CollectInterval = 1L << 27;

    private static long _bytesSinceMeasure, _bytesAfterCollect = long.MaxValue, _lastMeasure, _bytesKept, _droppedBytes;

    /// <summary>Collects after a call if native memory has grown.</summary>
    /// <param name="bytes">
    /// The size of the call's tensors. Memory is measured when the sizes since the last measurement add up to <c>MeasureInterval</c>, or if
    /// that measurement is a second old.
    /// </param>
    internal static void CollectAfterCall(long bytes)
    {
        _bytesSinceMeasure += bytes;
        var now = Environment.TickCount64;
        if (_bytesSinceMeasure < MeasureInterval && now - _lastMeasure < 1000) return;
        (_bytesSinceMeasure, _lastMeasure) = (0, now);
        var allocated = HostSystem.Current.AllocatedBytes();
        _bytesAfterCollect = Math.Min(_bytesAfterCollect, allocated);
        if (allocated - _bytesAfterCollect < CollectInterval) return;
        Collect(GC.MaxGeneration);
        _bytesAfterCollect = HostSystem.Current.AllocatedBytes();
    }

    /// <summary>Collects when the models that were dropped since the last such collection reach <c>MeasureInterval</c> bytes.</summary>
    /// <param name="bytes">The size of the parameters and buffers of the models that were just dropped.</param>
    internal static void CollectAfterDrop(long bytes)
    {
        _droppedBytes += bytes;
        if (_droppedBytes < MeasureInterval) return;
        _droppedBytes = 0;
        Collect(GC.MaxGeneration);
        // Freed memory may be too fragmented for the next model's tensors.
        HostSystem.Current.ReturnFreedMemory();
    }

    /// <summary>Collects the arguments of the request just answered, so that the next answer can return their blocks to Python.</summary>
    internal static void CollectAfterAnswer(SharedMemory memory)
    {
        if (memory.BytesInUse == 0) return;
        Collect(1);
        var inUse = memory.BytesInUse;
        if (inUse - _bytesKept >= CollectInterval)
        {
            Collect(GC.MaxGeneration);
            _bytesKept = memory.BytesInUse;
        }

        _bytesKept = Math.Min(_bytesKept, inUse);
    }

    /// <summary>Frees tensors that are no longer referenced.</summary>
    /// <param name="generation">The oldest GC generation to collect.</param>
    internal static void Collect(int generation)
    {
        GC.Collect(generation, GCCollectionMode.Forced, blocking: true);
        GC.WaitForPendingFinalizers();
        // Finalizers of Bridge.Torch only queue handles.
        Torch.GuardedHandle.DrainOrphans();
        Torch.SharedArray.Release();
    }
}

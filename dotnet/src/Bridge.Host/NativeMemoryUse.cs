using System.Runtime.InteropServices;

namespace Bridge.Host;

/// <summary>Limits the native memory of tensors, and keeps freed memory for later tensors.</summary>
/// <remarks>
/// Finalizers free dropped tensors, but the GC cannot see their size, so collect when native memory grows. Tensors that the model still
/// refers to are not collected.
/// </remarks>
internal static partial class NativeMemoryUse
{
    /// <summary>The bytes of tensors after which the memory in use is measured.</summary>
    private const long MeasureInterval = 1L << 26;

    /// <summary>The growth in bytes after which to collect.</summary>
    private const long CollectInterval = 1L << 27;

    /// <summary>glibc's maximum for the threshold from which on an allocation has a mapping of its own.</summary>
    private const int MaxMapThreshold = 1 << 25;

    private const int TrimThreshold = -1;
    private const int MapThreshold = -3;
    private static long _bytesSinceMeasure, _bytesAfterCollect = long.MaxValue, _lastMeasure, _bytesKept, _droppedBytes;

    /// <summary>
    /// Configures malloc to keep freed memory in the process. The kernel zeroes each new mapping, which costs as much as a copy.
    /// </summary>
    internal static void KeepFreedMemory()
    {
        try
        {
            _ = mallopt(MapThreshold, MaxMapThreshold);
            _ = mallopt(TrimThreshold, 1 << 30);
        }
        catch (EntryPointNotFoundException)
        {
            // Not glibc.
        }
    }

    /// <summary>Collects, after a call with tensors of so many bytes, if native memory has grown. Also measures once per second.</summary>
    internal static void CollectAfterCall(long bytes)
    {
        _bytesSinceMeasure += bytes;
        var now = Environment.TickCount64;
        if (_bytesSinceMeasure < MeasureInterval && now - _lastMeasure < 1000) return;
        (_bytesSinceMeasure, _lastMeasure) = (0, now);
        var allocated = AllocatedBytes();
        _bytesAfterCollect = Math.Min(_bytesAfterCollect, allocated);
        if (allocated - _bytesAfterCollect < CollectInterval) return;
        Collect(GC.MaxGeneration);
        _bytesAfterCollect = AllocatedBytes();
    }

    /// <summary>Collects after models with parameters and buffers of so many bytes were dropped.</summary>
    internal static void CollectAfterDrop(long bytes)
    {
        _droppedBytes += bytes;
        if (_droppedBytes < MeasureInterval) return;
        _droppedBytes = 0;
        Collect(GC.MaxGeneration);
        try
        {
            // Returns free memory between small allocations, in which the next model's tensors do not fit.
            _ = malloc_trim(0);
        }
        catch (EntryPointNotFoundException)
        {
            // Not glibc.
        }
    }

    /// <summary>
    /// Collects the arguments of the request that was just answered, so that the request after the next can use their blocks again.
    /// </summary>
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
    internal static void Collect(int generation)
    {
        GC.Collect(generation, GCCollectionMode.Forced, blocking: true);
        GC.WaitForPendingFinalizers();
        // Finalizers of Bridge.Torch only queue handles.
        Torch.GuardedHandle.DrainOrphans();
        Torch.SharedArray.Release();
    }

    // The allocated memory; the process also has freed memory.
    private static long AllocatedBytes()
    {
        try
        {
            var use = mallinfo2();
            return (long)(use.InUse + use.Mapped);
        }
        catch (EntryPointNotFoundException)
        {
            return Environment.WorkingSet;
        }
    }

    [LibraryImport("libc")]
    private static partial int mallopt(int option, int value);

    [LibraryImport("libc")]
    private static partial int malloc_trim(nuint pad);

    [LibraryImport("libc")]
    private static partial Allocation mallinfo2();

    // glibc's struct mallinfo2.
    private struct Allocation
    {
#pragma warning disable CS0649 // Written by libc.
        internal nuint Arena, FreeChunks, FastChunks, MappedBlocks, Mapped, Unused, FastFree, InUse, Free, Top;
#pragma warning restore CS0649
    }
}

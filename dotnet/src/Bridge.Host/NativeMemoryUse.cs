using System.Runtime.InteropServices;

namespace Bridge.Host;

/// <summary>Limits the native memory of tensors, and keeps freed memory for later tensors.</summary>
/// <remarks>
/// Finalizers free dropped tensors, but the GC cannot see their size, so this class starts collections when native memory grows.
/// </remarks>
internal static partial class NativeMemoryUse
{
    /// <summary>
    /// A number of bytes. When the tensors of calls add up to it, memory is measured; when dropped models add up to it, the GC collects.
    /// </summary>
    private const long MeasureInterval = 1L << 26;

    /// <summary>The number of bytes by which the memory in use has to grow before the GC collects.</summary>
    private const long CollectInterval = 1L << 27;

    /// <summary>The largest M_MMAP_THRESHOLD of glibc: larger allocations always have their own mapping.</summary>
    private const int MaxMapThreshold = 1 << 25;

    private const int TrimThreshold = -1; // M_TRIM_THRESHOLD
    private const int MapThreshold = -3; // M_MMAP_THRESHOLD
    private static long _bytesSinceMeasure, _bytesAfterCollect = long.MaxValue, _lastMeasure, _bytesKept, _droppedBytes;

    /// <summary>Configures malloc to keep freed memory. New mappings are slow: zeroing one costs the kernel as much as a copy.</summary>
    internal static void KeepFreedMemory()
    {
        try
        {
            _ = mallopt(MapThreshold, MaxMapThreshold);
            _ = mallopt(TrimThreshold, 1 << 30);
        }
        catch (EntryPointNotFoundException)
        {
            // The C library is not glibc, and lacks the function.
        }
    }

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
        var allocated = AllocatedBytes();
        _bytesAfterCollect = Math.Min(_bytesAfterCollect, allocated);
        if (allocated - _bytesAfterCollect < CollectInterval) return;
        Collect(GC.MaxGeneration);
        _bytesAfterCollect = AllocatedBytes();
    }

    /// <summary>Collects when the models that were dropped since the last such collection reach <c>MeasureInterval</c> bytes.</summary>
    /// <param name="bytes">The size of the parameters and buffers of the models that were just dropped.</param>
    internal static void CollectAfterDrop(long bytes)
    {
        _droppedBytes += bytes;
        if (_droppedBytes < MeasureInterval) return;
        _droppedBytes = 0;
        Collect(GC.MaxGeneration);
        try
        {
            // Returns freed memory to the system, because that memory may be too fragmented for the next model's tensors.
            _ = malloc_trim(0);
        }
        catch (EntryPointNotFoundException)
        {
            // The C library is not glibc, and lacks the function.
        }
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

    // Returns the memory that is allocated by malloc; without glibc, the working set.
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

using System.Runtime.InteropServices;

namespace Bridge.Host;

/// <summary>Keeps the memory of tensors in bounds, and what was freed for the next ones.</summary>
/// <remarks>
/// A tensor that a model dropped is freed by its finalizer (rule 88), and the collector does not know how large it is: nothing but tensors may
/// be what grows. What is collected is what nobody refers to, so a tensor that the model keeps stays.
/// </remarks>
internal static partial class NativeMemoryUse
{
    /// <summary>Bytes that tensors may have taken before the process is looked at.</summary>
    private const long Looked = 1L << 26;

    /// <summary>Bytes by which the process may grow between two collections.</summary>
    private const long Growth = 1L << 27;

    /// <summary>The most that glibc accepts: larger tensors have mappings of their own.</summary>
    private const int LargestKept = 1 << 25;

    private const int TrimThreshold = -1;
    private const int MapThreshold = -3;
    private static long _crossed, _least = long.MaxValue, _seen, _kept, _dropped;

    /// <summary>Freed memory stays the process's: with a mapping of its own each large tensor would be zeroed by the kernel first, which costs as much as a copy.</summary>
    internal static void KeepFreed()
    {
        try
        {
            _ = mallopt(MapThreshold, LargestKept);
            _ = mallopt(TrimThreshold, 1 << 30);
        }
        catch (EntryPointNotFoundException)
        {
            // Another C library than glibc, with rules of its own.
        }
    }

    /// <summary>A call is over whose tensors have so many bytes; what computed them is not known, so time counts too.</summary>
    internal static void Called(long bytes)
    {
        _crossed += bytes;
        var now = Environment.TickCount64;
        if (_crossed < Looked && now - _seen < 1000) return;
        (_crossed, _seen) = (0, now);
        var used = Used();
        _least = Math.Min(_least, used);
        if (used - _least < Growth) return;
        Collect(GC.MaxGeneration);
        _least = Used();
    }

    /// <summary>Models were forgotten whose tensors have so many bytes.</summary>
    internal static void Dropped(long bytes)
    {
        _dropped += bytes;
        if (_dropped < Looked) return;
        _dropped = 0;
        Collect(GC.MaxGeneration);
        try
        {
            // Gives back what lies free between small pieces that stay, where the next model's tensors find no room.
            _ = malloc_trim(0);
        }
        catch (EntryPointNotFoundException)
        {
            // Another C library than glibc.
        }
    }

    /// <summary>An answer is written: what its call was given is young and forgotten, so that its memory can take the next arguments but one.</summary>
    internal static void Answered(SharedMemory memory)
    {
        if (memory.Held == 0) return;
        Collect(1);
        var held = memory.Held;
        if (held - _kept >= Growth)
        {
            Collect(GC.MaxGeneration);
            _kept = memory.Held;
        }

        _kept = Math.Min(_kept, held);
    }

    /// <summary>Frees the tensors that nobody refers to.</summary>
    internal static void Collect(int generation)
    {
        GC.Collect(generation, GCCollectionMode.Forced, blocking: true);
        GC.WaitForPendingFinalizers();
        // Bridge.Torch's finalizers leave freeing to others.
        Torch.GuardedHandle.DrainOrphans();
        Torch.SharedArray.Release();
    }

    // What is allocated, not what the process has: freed memory stays its own.
    private static long Used()
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
#pragma warning disable CS0649 // libc writes them
        internal nuint Arena, FreeChunks, FastChunks, MappedBlocks, Mapped, Unused, FastFree, InUse, Free, Top;
#pragma warning restore CS0649
    }
}

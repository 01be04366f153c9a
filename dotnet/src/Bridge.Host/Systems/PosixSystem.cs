using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;
using System.Text.Json;

namespace Bridge.Host.Systems;

/// <summary>The calls of Linux and macOS.</summary>
internal sealed unsafe partial class PosixSystem : HostSystem
{
    private const int DeathSignal = 1; // PR_SET_PDEATHSIG
    private const nuint Kill = 9; // SIGKILL
    private const short HungUpEvents = 0x10 | 0x08 | 0x20; // POLLHUP, POLLERR, POLLNVAL
    private const int Interrupted = 4; // EINTR

    /// <summary>The largest M_MMAP_THRESHOLD of glibc: larger allocations always have their own mapping.</summary>
    private const int MaxMapThreshold = 1 << 25;

    private const int TrimThreshold = -1; // M_TRIM_THRESHOLD
    private const int MapThreshold = -3; // M_MMAP_THRESHOLD

    /// <inheritdoc/>
    /// <remarks>
    /// On Linux, the kernel kills this process, even if it is stopped, when the parent's thread that started this process ends. In
    /// addition, a thread of this process polls the pipe of requests, which hangs up when Python closes the pipe or ends.
    /// </remarks>
    internal override void EndWithParent(nint requests, int parent)
    {
        if (OperatingSystem.IsLinux()) _ = prctl(DeathSignal, Kill, 0, 0, 0);
        // The parent may have ended before the signal was requested.
        if (getppid() != parent) Environment.Exit(0);
        new Thread(() => WaitForHangUp((int)requests)) { IsBackground = true, Name = "bridge-guard" }.Start();
    }

    private static void WaitForHangUp(int requests)
    {
        var descriptor = new PollDescriptor { Descriptor = requests };
        while (true)
        {
            var count = poll(&descriptor, 1, -1);
            if (count < 0 && Marshal.GetLastPInvokeError() == Interrupted) continue;
            // Environment.Exit would run exit handlers, which may hang while other threads run.
            if (count < 0 || (descriptor.ReturnedEvents & HungUpEvents) != 0) _exit(0);
        }
    }

    /// <inheritdoc/>
    /// <remarks>New mappings are slow: zeroing one costs the kernel as much as a copy.</remarks>
    internal override void KeepFreedMemory()
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

    /// <inheritdoc/>
    internal override void ReturnFreedMemory()
    {
        try
        {
            _ = malloc_trim(0);
        }
        catch (EntryPointNotFoundException)
        {
            // The C library is not glibc, and lacks the function.
        }
    }

    /// <inheritdoc/>
    internal override long AllocatedBytes()
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

    /// <inheritdoc/>
    /// <remarks>A block with a name is a file, whose name is deleted here, so that no file is left when both processes end.</remarks>
    internal override MemoryMappedFile Open(JsonElement place, long size, int parent)
    {
        var name = place.ValueKind == JsonValueKind.String ? place.GetString()! : null;
        var path = name ?? $"/proc/{parent}/fd/{place.GetInt32()}";
        using var stream = new FileStream(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize: 0);
        if (name is not null) File.Delete(name);
        return MemoryMappedFile.CreateFromFile(
            stream, null, size, MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
    }

    [LibraryImport("libc")]
    private static partial int prctl(int option, nuint first, nuint second, nuint third, nuint fourth);

    [LibraryImport("libc")]
    private static partial int getppid();

    [LibraryImport("libc", SetLastError = true)]
    private static partial int poll(PollDescriptor* descriptor, nuint count, int milliseconds);

    [LibraryImport("libc")]
    private static partial void _exit(int code);

    [LibraryImport("libc")]
    private static partial int mallopt(int option, int value);

    [LibraryImport("libc")]
    private static partial int malloc_trim(nuint pad);

    [LibraryImport("libc")]
    private static partial Allocation mallinfo2();

    private struct PollDescriptor
    {
        internal int Descriptor;
        internal short Events;
        internal short ReturnedEvents;
    }

    // glibc's struct mallinfo2.
    private struct Allocation
    {
#pragma warning disable CS0649 // Written by libc.
        internal nuint Arena, FreeChunks, FastChunks, MappedBlocks, Mapped, Unused, FastFree, InUse, Free, Top;
#pragma warning restore CS0649
    }
}

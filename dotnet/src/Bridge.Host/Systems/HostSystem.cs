using System.IO.MemoryMappedFiles;
using System.Text.Json;

namespace Bridge.Host.Systems;

/// <summary>The calls of the operating system that .NET does not have. Each kind of system has a derived class.</summary>
internal abstract class HostSystem
{
    /// <summary>Gets the calls of this system.</summary>
    internal static HostSystem Current { get; } = OperatingSystem.IsWindows() ? new WindowsSystem() : new PosixSystem();

    /// <summary>Ends this process, even in the middle of a call, when its parent process ends. Returns at once.</summary>
    /// <param name="requests">The descriptor or handle of the pipe of requests.</param>
    /// <param name="parent">The id of the parent process.</param>
    internal abstract void EndWithParent(nint requests, int parent);

    /// <summary>Configures the native allocator to keep freed memory.</summary>
    internal virtual void KeepFreedMemory()
    {
    }

    /// <summary>Returns freed native memory to the system.</summary>
    internal virtual void ReturnFreedMemory()
    {
    }

    /// <summary>Returns the bytes that the native allocator has given out, or a larger number that grows with them.</summary>
    internal abstract long AllocatedBytes();

    /// <summary>Opens a block of memory that the parent process has created.</summary>
    /// <param name="place">The block's name or descriptor in the parent process.</param>
    /// <param name="size">The block's size in bytes.</param>
    /// <param name="parent">The id of the parent process.</param>
    /// <exception cref="IOException">There is no such block.</exception>
    internal abstract MemoryMappedFile Open(JsonElement place, long size, int parent);
}

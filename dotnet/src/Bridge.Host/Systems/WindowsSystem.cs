using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Text.Json;

namespace Bridge.Host.Systems;

/// <summary>The calls of Windows.</summary>
internal sealed partial class WindowsSystem : HostSystem
{
    private const uint Synchronize = 0x00100000; // SYNCHRONIZE
    private const uint Forever = uint.MaxValue; // INFINITE
    private const uint NoDialogs = 0x0001 | 0x0002 | 0x8000; // SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX, SEM_NOOPENFILEERRORBOX
    private const int NoSuchProcess = 87; // ERROR_INVALID_PARAMETER
    private static readonly nint s_self = -1; // GetCurrentProcess

    /// <inheritdoc/>
    /// <remarks>
    /// A thread waits for the end of the parent process. Python also puts this process into a job, which Windows ends with Python; but not
    /// before this process runs. A crash shows no dialog, which would keep the process.
    /// </remarks>
    internal override void EndWithParent(nint requests, int parent)
    {
        _ = SetErrorMode(NoDialogs);
        var process = OpenProcess(Synchronize, false, (uint)parent);
        if (process == 0)
        {
            if (Marshal.GetLastPInvokeError() == NoSuchProcess) Environment.Exit(0);
            return; // Python may not be watched, and the job is enough.
        }

        new Thread(() =>
        {
            _ = WaitForSingleObject(process, Forever);
            // Environment.Exit would run exit handlers, which may hang while other threads run.
            _ = TerminateProcess(s_self, 0);
        }) { IsBackground = true, Name = "bridge-guard" }.Start();
    }

    /// <inheritdoc/>
    /// <remarks>The result is the private memory of the process: Windows' allocators return large freed blocks to the system.</remarks>
    internal override long AllocatedBytes()
    {
        var memory = new MemoryCounters { Size = (uint)Marshal.SizeOf<MemoryCounters>() };
        return GetProcessMemoryInfo(s_self, ref memory, memory.Size) ? (long)memory.PrivateUsage : Environment.WorkingSet;
    }

    /// <inheritdoc/>
    [SupportedOSPlatform("windows")]
    internal override MemoryMappedFile Open(JsonElement place, long size, int parent) =>
        MemoryMappedFile.OpenExisting(place.GetString()!, MemoryMappedFileRights.ReadWrite);

    [LibraryImport("kernel32")]
    private static partial uint SetErrorMode(uint mode);

    [LibraryImport("kernel32", SetLastError = true)]
    private static partial nint OpenProcess(uint access, [MarshalAs(UnmanagedType.Bool)] bool inherit, uint process);

    [LibraryImport("kernel32")]
    private static partial uint WaitForSingleObject(nint handle, uint milliseconds);

    [LibraryImport("kernel32")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool TerminateProcess(nint process, uint code);

    [LibraryImport("kernel32", EntryPoint = "K32GetProcessMemoryInfo")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetProcessMemoryInfo(nint process, ref MemoryCounters counters, uint size);

    // PROCESS_MEMORY_COUNTERS_EX.
    private struct MemoryCounters
    {
#pragma warning disable CS0649 // Written by Windows.
        internal uint Size, PageFaults;
        internal nuint PeakWorkingSet, WorkingSet, PeakPaged, Paged, PeakNonPaged, NonPaged, Pagefile, PeakPagefile, PrivateUsage;
#pragma warning restore CS0649
    }
}

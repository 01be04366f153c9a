using System.Runtime.InteropServices;

namespace Bridge.Hooks;

/// <summary>A file that is written completely or not at all: a temporary file is written and then replaces the old file.</summary>
/// <remarks>
/// If the path is a link, the file that it points to is replaced. The new file gets the permissions of the old file, except on Windows.
/// </remarks>
internal sealed class AtomicFile : IDisposable
{
    private const int MaxLinks = 40; // As in Linux.
    private const string WindowsDevices = @"\\.\"; // The full path of NUL is \\.\NUL. No path on other systems begins like this.
    private readonly string _path;
    private readonly string _temporary;
    private readonly string _backup;

    /// <summary>Creates the temporary file.</summary>
    /// <param name="path">The file to write.</param>
    /// <exception cref="IOException"><see cref="Resolve"/> throws it, or the folder cannot be written to.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder cannot be written to for lack of permission.</exception>
    internal AtomicFile(string path)
    {
        _path = Resolve(path);
        var name = Path.GetFileName(_path);
        // Shortened, because the file's own name may have the maximal length.
        _temporary = Path.Combine(Path.GetDirectoryName(_path)!, $".{name[..Math.Min(name.Length, 40)]}.{Guid.NewGuid():N}.part");
        _backup = $"{_temporary}.before";
        // Without a buffer, an error is raised by the write and not again when the file is closed.
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write, BufferSize = 0 };
        // The temporary file must not be readable by more users than the file that it replaces.
        if (!OperatingSystem.IsWindows() && File.Exists(_path)) options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        Stream = new(_temporary, options);
    }

    /// <summary>Gets the stream to write to.</summary>
    internal FileStream Stream { get; }

    /// <summary>Returns the file that a path names, with links resolved. The file need not exist yet.</summary>
    /// <exception cref="IOException">
    /// The path is a folder or leads through too many links. On Linux and Windows, also: it is a device or a pipe; on Linux, a socket.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">The folder does not exist.</exception>
    internal static string Resolve(string path)
    {
        var full = Path.GetFullPath(path);
        if (Directory.Exists(full)) throw new IOException($"{full} is a folder: name a file in it.");
        if (full.StartsWith(WindowsDevices, StringComparison.Ordinal) || (File.Exists(full) && !IsRegular(full)))
            throw new IOException($"{full} is a device, a pipe or a socket: name a regular file, or one that does not exist yet.");
        var resolved = ResolveLinks(full, full, MaxLinks);
        if (Path.GetDirectoryName(resolved) is { } folder && !Directory.Exists(folder))
            throw new DirectoryNotFoundException($"There is no folder {folder} for {full}.");
        return resolved;
    }

    /// <summary>Renames the temporary file to the path, where it replaces an old file.</summary>
    /// <param name="keepBackup">Whether <see cref="Rollback"/> may be called afterwards.</param>
    internal void Commit(bool keepBackup = false)
    {
        Stream.Dispose();
        if (File.Exists(_path))
        {
            if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(_temporary, File.GetUnixFileMode(_path));
            if (keepBackup) File.Move(_path, _backup);
        }

        try
        {
            File.Move(_temporary, _path, overwrite: true);
        }
        catch
        {
            if (File.Exists(_backup)) File.Move(_backup, _path);
            throw;
        }
    }

    /// <summary>Restores the old file, or deletes the new one if there was no old file.</summary>
    internal void Rollback()
    {
        File.Delete(_path);
        if (File.Exists(_backup)) File.Move(_backup, _path);
    }

    /// <summary>Deletes the temporary file and the backup, if they exist.</summary>
    public void Dispose()
    {
        Stream.Dispose();
        File.Delete(_temporary);
        File.Delete(_backup);
    }

    // Folders may be links, too. A relative target starts at the real folder of the link.
    private static string ResolveLinks(string path, string original, int links)
    {
        if (Path.GetDirectoryName(path) is not { } parent) return path;
        var folder = ResolveLinks(parent, original, links);
        var resolved = Path.Combine(folder, Path.GetFileName(path));
        if (new FileInfo(resolved).LinkTarget is not { } target) return resolved;
        if (links == 0) throw new IOException($"{original} leads through more than {MaxLinks} links.");
        return ResolveLinks(Path.GetFullPath(target, folder), original, links - 1);
    }

    // .NET does not report the file type, and opening a pipe blocks. On other systems than Linux, and where statx is missing or fails, any
    // file counts as regular.
    private static bool IsRegular(string path)
    {
        // AT_FDCWD, STATX_TYPE, the offset of stx_mode, S_IFMT and S_IFREG.
        const int current = -100, typeOnly = 1, mode = 28, types = 0xF000, regular = 0x8000;
        if (!OperatingSystem.IsLinux()) return true;
        try
        {
            var found = new byte[256];
            return statx(current, path, 0, typeOnly, found) != 0 || (BitConverter.ToUInt16(found, mode) & types) == regular;
        }
        catch (EntryPointNotFoundException)
        {
            return true;
        }
    }

    [DllImport("libc")]
    private static extern int statx(int folder, [MarshalAs(UnmanagedType.LPUTF8Str)] string path, int flags, uint mask, [Out] byte[] found);
}

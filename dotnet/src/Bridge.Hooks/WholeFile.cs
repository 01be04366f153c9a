using System.Runtime.InteropServices;

namespace Bridge.Hooks;

/// <summary>A file that is there completely or not at all: written under another name, which then takes the place of what was there.</summary>
/// <remarks>As <c>bridge/output/files.py</c> does it: a link stays a link, and what it names is replaced, by a file of the same permissions.</remarks>
internal sealed class WholeFile : IDisposable
{
    // As many as Linux follows.
    private const int MostLinks = 40;
    private readonly string _place;
    private readonly string _temporary;
    private readonly string _before;

    /// <summary>Begins to write.</summary>
    /// <param name="path">The file.</param>
    /// <exception cref="IOException">There is what no file can take the place of, or nothing can be written there.</exception>
    /// <exception cref="UnauthorizedAccessException">The same, for lack of permission.</exception>
    internal WholeFile(string path)
    {
        _place = Place(path);
        var name = Path.GetFileName(_place);
        // Short, since a name has a limit that the file's own may have reached.
        _temporary = Path.Combine(Path.GetDirectoryName(_place)!, $".{name[..Math.Min(name.Length, 40)]}.{Guid.NewGuid():N}.part");
        _before = $"{_temporary}.before";
        // Without a buffer, what fails does so when it is written and not again when the file is closed.
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write, BufferSize = 0 };
        // Until it is complete, nobody reads what others may not read then.
        if (!OperatingSystem.IsWindows() && File.Exists(_place)) options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        Stream = new(_temporary, options);
    }

    /// <summary>What to write.</summary>
    internal FileStream Stream { get; }

    /// <summary>The file that a path names, links followed, or where it will be.</summary>
    /// <exception cref="IOException">There is a folder, a device, a pipe or a socket.</exception>
    /// <exception cref="DirectoryNotFoundException">Its folder is not there.</exception>
    internal static string Place(string path)
    {
        var full = Path.GetFullPath(path);
        if (Directory.Exists(full)) throw new IOException($"{full} is a folder: name a file in it.");
        if (File.Exists(full) && !IsRegular(full)) throw new IOException($"{full} is a device, a pipe or a socket: name a regular file, or one that is not there yet.");
        var place = Followed(full, full, MostLinks);
        if (Path.GetDirectoryName(place) is { } folder && !Directory.Exists(folder)) throw new DirectoryNotFoundException($"There is no folder {folder} for {full}.");
        return place;
    }

    /// <summary>Puts the complete file in place.</summary>
    /// <param name="undoable">Whether <see cref="Undo"/> may follow.</param>
    internal void Put(bool undoable = false)
    {
        Stream.Dispose();
        if (File.Exists(_place))
        {
            if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(_temporary, File.GetUnixFileMode(_place));
            if (undoable) File.Move(_place, _before);
        }

        File.Move(_temporary, _place, overwrite: true);
    }

    /// <summary>Puts back what was there before.</summary>
    internal void Undo()
    {
        File.Delete(_place);
        if (File.Exists(_before)) File.Move(_before, _place);
    }

    /// <summary>Leaves nothing but the file that was put in place, if it was.</summary>
    public void Dispose()
    {
        Stream.Dispose();
        File.Delete(_temporary);
        File.Delete(_before);
    }

    // Its folders may be links too, and a link's own target is relative to where the link really is.
    private static string Followed(string path, string asked, int links)
    {
        if (Path.GetDirectoryName(path) is not { } above) return path;
        var folder = Followed(above, asked, links);
        var here = Path.Combine(folder, Path.GetFileName(path));
        if (new FileInfo(here).LinkTarget is not { } target) return here;
        if (links == 0) throw new IOException($"{asked} is a link that leads to no end.");
        return Followed(Path.GetFullPath(target, folder), asked, links - 1);
    }

    // .NET does not tell, and to open a pipe waits for its other end. Only Linux's answer has one layout everywhere; where it cannot be asked, no.
    private static bool IsRegular(string path)
    {
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

namespace Bridge.Torch;

/// <summary>Compares paths. Ignores case on Windows and macOS, as their file systems do by default.</summary>
internal static class FilePath
{
    /// <summary>Returns the absolute path, in upper case if the system ignores case, for comparison with other keys.</summary>
    internal static string Key(string path) => Key(path, OperatingSystem.IsWindows() || OperatingSystem.IsMacOS());

    internal static string Key(string path, bool ignoresCase)
    {
        var full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        return ignoresCase ? full.ToUpperInvariant() : full;
    }

    /// <summary>Returns whether a file is directly in a folder.</summary>
    internal static bool IsIn(string file, string folder) => IsIn(file, folder, OperatingSystem.IsWindows() || OperatingSystem.IsMacOS());

    internal static bool IsIn(string file, string folder, bool ignoresCase) =>
        Path.GetDirectoryName(Path.GetFullPath(file)) is { } parent && Key(parent, ignoresCase) == Key(folder, ignoresCase);
}

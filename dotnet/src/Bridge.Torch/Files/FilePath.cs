namespace Bridge.Torch;

/// <summary>
/// Comparison of paths as the file system does it: .NET's strings are case-sensitive everywhere, paths on Windows and macOS are not.
/// </summary>
internal static class FilePath
{
    /// <summary>Returns a string that is equal for all paths of a file: absolute, and in upper case if the system ignores case.</summary>
    internal static string Key(string path) => Key(path, OperatingSystem.IsWindows() || OperatingSystem.IsMacOS());

    internal static string Key(string path, bool ignoresCase)
    {
        var full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        return ignoresCase ? full.ToUpperInvariant() : full;
    }

    /// <summary>Returns whether a file is directly in a folder.</summary>
    internal static bool IsIn(string file, string folder) => IsIn(file, folder, OperatingSystem.IsWindows() || OperatingSystem.IsMacOS());

    internal static bool IsIn(string file, string folder, bool ignoresCase) =>
        Path.GetDirectoryName(Path.GetFullPath(file)) is { } its && Key(its, ignoresCase) == Key(folder, ignoresCase);
}

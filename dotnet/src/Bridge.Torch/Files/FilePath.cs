namespace Bridge.Torch;

/// <summary>Paths as the system compares them: .NET's strings tell cases apart everywhere, Windows and macOS do not.</summary>
internal static class FilePath
{
    /// <summary>What is equal for the paths that name one file: absolute, and in upper case where the system ignores case.</summary>
    internal static string Key(string path) => Key(path, OperatingSystem.IsWindows() || OperatingSystem.IsMacOS());

    internal static string Key(string path, bool ignoresCase)
    {
        var full = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        return ignoresCase ? full.ToUpperInvariant() : full;
    }

    /// <summary>Whether a file lies in a folder itself.</summary>
    internal static bool IsIn(string file, string folder) => IsIn(file, folder, OperatingSystem.IsWindows() || OperatingSystem.IsMacOS());

    internal static bool IsIn(string file, string folder, bool ignoresCase) =>
        Path.GetDirectoryName(Path.GetFullPath(file)) is { } its && Key(its, ignoresCase) == Key(folder, ignoresCase);
}

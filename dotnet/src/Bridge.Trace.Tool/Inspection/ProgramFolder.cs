using System.Reflection;
using System.Runtime.InteropServices;
using Bridge.TorchSharp;

namespace Bridge.Trace.Tool.Inspection;

/// <summary>
/// Checks the folder of a program that uses TorchSharp, or one of its assemblies: TorchSharp, the native libraries, and the recorder. Files
/// are read, and nothing is loaded or executed.
/// </summary>
internal sealed class ProgramFolder
{
    private const string AddTorchSharp = "dotnet add package TorchSharp-cpu";
    private static readonly Version Oldest = new(0, 102);
    private static readonly Version Newest = new(0, 107);
    private readonly string _folder;
    private readonly string? _assembly;

    /// <param name="path">A folder, or an assembly, whose folder is checked.</param>
    internal ProgramFolder(string path)
    {
        _assembly = File.Exists(path) ? Path.GetFullPath(path) : null;
        _folder = _assembly is null ? Path.GetFullPath(path) : Path.GetDirectoryName(_assembly)!;
    }

    internal IEnumerable<Check> Checks()
    {
        var needed = _assembly is null ? "" : LibraryFile.References(_assembly).GetValueOrDefault("TorchSharp", "");
        yield return new(CheckState.Ok, ".NET", $"{RuntimeInformation.FrameworkDescription}, {RuntimeInformation.RuntimeIdentifier}");
        if (_assembly is not null) yield return Assembly(_assembly, needed);
        yield return TorchSharp(needed);
        yield return Native("LibTorchSharp", "LibTorchSharp", "It belongs to the package TorchSharp: build or publish the program again.");
        yield return Native("libtorch", "torch_cpu", $"{AddTorchSharp} (or TorchSharp-cuda-linux, TorchSharp-cuda-windows)");
        yield return Recorder();
        if (_assembly is not null) yield return DirectCalls.Check(_assembly);
    }

    private static Check Assembly(string path, string needed)
    {
        var name = Path.GetFileName(path);
        if (needed.Length > 0) return new(CheckState.Ok, "assembly", $"{name} refers to TorchSharp {needed}");
        return LibraryFile.References(path).Count == 0
            ? new(CheckState.Problem, "assembly", $"{name} is not a .NET assembly", "Name the .dll that the compiler writes.")
            : new(CheckState.Note, "assembly", $"{name} does not refer to TorchSharp");
    }

    private Check TorchSharp(string needed)
    {
        var path = Path.Combine(_folder, "TorchSharp.dll");
        if (!File.Exists(path))
        {
            var build = Directory.EnumerateFiles(_folder, "*.csproj").Any()
                ? "This is the folder of a project: build it, and name the folder with its output, such as bin/Debug/net8.0."
                : "Name the folder with the output of the program, or publish the program.";
            return new(CheckState.Problem, "TorchSharp", $"no TorchSharp.dll in {_folder}", build);
        }

        var file = LibraryFile.Read(path);
        if (!file.Runs) return new(CheckState.Problem, "TorchSharp", $"{file.Title}: {path}", AddTorchSharp);
        var version = AssemblyName.GetAssemblyName(path).Version!;
        if (Version.TryParse(needed, out var wanted) && wanted > new Version(version.ToString(3)))
        {
            var fix = $"{AddTorchSharp} --version {needed}";
            return new(CheckState.Problem, "TorchSharp", $"{file.Version}, but the assembly needs {needed} or newer", fix);
        }

        var known = new Version(version.Major, version.Minor) is var release && release >= Oldest && release <= Newest;
        return known
            ? new(CheckState.Ok, "TorchSharp", file.Version)
            : new(CheckState.Note, "TorchSharp", $"{file.Version}: Bridge.TorchSharp is tested with {Oldest} to {Newest}");
    }

    private Check Native(string name, string library, string fix)
    {
        var file = FileName(library);
        string[] places = [_folder, .. RuntimeFolders()];
        var found = Array.Find(places, place => File.Exists(Path.Combine(place, file)));
        if (found is null) return new(CheckState.Problem, name, $"no {file} in {_folder} or its runtimes", fix);
        var cuda = library == "torch_cpu" ? File.Exists(Path.Combine(found, FileName("torch_cuda"))) ? " (with CUDA)" : " (CPU only)" : "";
        return new(CheckState.Ok, name, Path.GetRelativePath(_folder, Path.Combine(found, file)) + cuda);
    }

    private Check Recorder()
    {
        const string Name = "Bridge.TorchSharp";
        var path = Path.Combine(_folder, "Bridge.TorchSharp.dll");
        if (!File.Exists(path))
            return new(CheckState.Note, Name, "none, so the program records no traces", "dotnet add package Bridge.TorchSharp");
        if (!File.Exists(Path.Combine(_folder, "Bridge.Hooks.dll")))
            return new(CheckState.Problem, Name, "Bridge.Hooks.dll is missing beside it", "Build or publish the program again.");
        return new(CheckState.Ok, Name, AssemblyName.GetAssemblyName(path).Version!.ToString(3));
    }

    private IEnumerable<string> RuntimeFolders()
    {
        var runtimes = Path.Combine(_folder, "runtimes");
        var system = OperatingSystem.IsWindows() ? "win-" : OperatingSystem.IsMacOS() ? "osx-" : "linux-";
        if (!Directory.Exists(runtimes)) return [];
        var places = Directory.EnumerateDirectories(runtimes, $"{system}*").Order(StringComparer.Ordinal);
        return places.Select(place => Path.Combine(place, "native"));
    }

    private static string FileName(string library) => OperatingSystem.IsWindows() ? $"{library}.dll"
        : OperatingSystem.IsMacOS() ? $"lib{library}.dylib" : $"lib{library}.so";
}

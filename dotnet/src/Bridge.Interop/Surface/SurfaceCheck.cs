using Bridge.Torch.Native;

namespace Bridge.Interop.Surface;

/// <summary>
/// Finds the TorchSharp members that the classes of a compiled assembly use and Bridge.Torch lacks, before any of its code runs.
/// </summary>
internal sealed class SurfaceCheck : IDisposable
{
    private readonly Dictionary<string, CheckedAssembly?> _assemblies = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, ClassRequirements> _requirements = [];
    private readonly string _folder;

    /// <param name="code">The bytes of the assembly.</param>
    /// <param name="path">Its full path. Dependencies are searched in its folder.</param>
    /// <exception cref="BadImageFormatException">The file is damaged.</exception>
    internal SurfaceCheck(byte[] code, string path)
    {
        _folder = Path.GetDirectoryName(path)!;
        Root = ReadFile(Path.GetFileName(path), () => new CheckedAssembly(code));
        _assemblies[Root.Name] = Root;
    }

    /// <summary>The assembly itself.</summary>
    internal CheckedAssembly Root { get; }

    /// <summary>Returns the missing members of a class and of all classes that it uses, directly or not.</summary>
    /// <param name="name">The class, with '/' before a nested class.</param>
    internal List<MissingMember> FindMissing(string name)
    {
        List<MissingMember> found = [];
        var start = ClassRequirements.Key(Root.Name, name);
        HashSet<string> seen = [start];
        Queue<string> open = new();
        open.Enqueue(start);
        while (open.TryDequeue(out var key))
        {
            var requirements = Read(key);
            foreach (var member in requirements.Missing) found.Add(new(member, key[(key.IndexOf('|', StringComparison.Ordinal) + 1)..]));
            foreach (var other in requirements.Classes)
                if (seen.Add(other)) open.Enqueue(other);
        }

        return found;
    }

    public void Dispose()
    {
        foreach (var assembly in _assemblies.Values) assembly?.Dispose();
    }

    private ClassRequirements Read(string key)
    {
        if (_requirements.TryGetValue(key, out var known)) return known;
        var split = key.IndexOf('|', StringComparison.Ordinal);
        var (assembly, name) = (key[..split], key[(split + 1)..]);
        return _requirements[key] = Open(assembly) is { } opened && opened.Has(name)
            ? ReadFile(assembly + ".dll", () => opened.Read(name)) : new();
    }

    // The headers of a truncated file may be valid.
    private static T ReadFile<T>(string file, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (Exception error) when (error is BadImageFormatException or ArgumentException or IndexOutOfRangeException
            or OverflowException or InvalidCastException or InvalidOperationException)
        {
            throw new BadImageFormatException($"{file} is damaged: {error.Message}", error);
        }
    }

    // Null for an assembly that does not use TorchSharp.
    private CheckedAssembly? Open(string name)
    {
        if (_assemblies.TryGetValue(name, out var known)) return known;
        var file = Path.Combine(_folder, name + ".dll");
        CheckedAssembly? found = null;
        if (!Origin.IsOurName(name) && File.Exists(file))
        {
            found = ReadFile(name + ".dll", () => new CheckedAssembly(File.ReadAllBytes(file)));
            if (!found.UsesTorchSharp)
            {
                found.Dispose();
                found = null;
            }
        }

        return _assemblies[name] = found;
    }
}

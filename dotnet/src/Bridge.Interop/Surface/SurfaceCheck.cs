using Bridge.Torch.Native;

namespace Bridge.Interop.Surface;

/// <summary>Finds the TorchSharp members that an assembly's classes use and Bridge.Torch lacks, without loading the assembly.</summary>
internal sealed class SurfaceCheck : IDisposable
{
    private readonly Dictionary<string, CheckedAssembly?> _assemblies = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, ClassRequirements> _requirements = [];
    private readonly string _folder;

    /// <param name="code">The bytes of the assembly.</param>
    /// <param name="path">The full path of the assembly. Dependencies are searched in the same folder.</param>
    /// <exception cref="BadImageFormatException">The file is damaged.</exception>
    internal SurfaceCheck(byte[] code, string path)
    {
        _folder = Path.GetDirectoryName(path)!;
        Root = ReadFile(Path.GetFileName(path), () => new CheckedAssembly(code));
        _assemblies[Root.Name] = Root;
    }

    internal CheckedAssembly Root { get; }

    /// <summary>Returns the missing members of a class and of all classes that it uses, directly or not.</summary>
    /// <param name="name">The class, with '/' before a nested class.</param>
    internal List<MissingMember> FindMissing(string name)
    {
        List<MissingMember> found = [];
        var start = ClassRequirements.Key(Root.Name, name);
        HashSet<string> seen = [start];
        Queue<string> pending = new();
        pending.Enqueue(start);
        while (pending.TryDequeue(out var key))
        {
            var requirements = Read(key);
            foreach (var member in requirements.Missing) found.Add(new(member, key[(key.IndexOf('|', StringComparison.Ordinal) + 1)..]));
            foreach (var other in requirements.Classes)
                if (seen.Add(other)) pending.Enqueue(other);
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

    // A truncated file can have valid headers, so reading its metadata can fail later.
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

    // Returns null for an assembly that is the bridge's, is not in the folder, or does not use TorchSharp.
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

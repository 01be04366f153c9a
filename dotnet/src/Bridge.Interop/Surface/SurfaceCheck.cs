namespace Bridge.Interop.Surface;

/// <summary>Which of TorchSharp's members a compiled assembly uses that Bridge.Torch lacks, class by class, before anything of it runs.</summary>
internal sealed class SurfaceCheck : IDisposable
{
    private readonly Dictionary<string, TheirAssembly?> _assemblies = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<(string Assembly, string Class), (SortedSet<string> Missing, HashSet<(string Assembly, string Class)> Classes)> _classes = [];
    private readonly string _folder;

    /// <param name="code">The assembly.</param>
    /// <param name="path">Its full path: what it refers to is looked for beside it.</param>
    /// <exception cref="BadImageFormatException">The file is damaged.</exception>
    internal SurfaceCheck(byte[] code, string path)
    {
        _folder = Path.GetDirectoryName(path)!;
        Root = Intact(Path.GetFileName(path), () => new TheirAssembly(code));
        _assemblies[Root.Name] = Root;
    }

    internal TheirAssembly Root { get; }

    /// <summary>What a class of the assembly lacks, itself and in what it reaches: each missing member with the class that uses it.</summary>
    /// <param name="name">The class, nested ones by '/'.</param>
    internal IReadOnlyList<(string Member, string Class)> Lacks(string name)
    {
        List<(string, string)> found = [];
        HashSet<(string Assembly, string Class)> seen = [(Root.Name, name)];
        Queue<(string Assembly, string Class)> open = new(seen);
        while (open.TryDequeue(out var place))
        {
            var (missing, classes) = Read(place);
            found.AddRange(missing.Select(member => (member, place.Class)));
            foreach (var other in classes.Select(other => other.Assembly.Length == 0 ? (place.Assembly, other.Class) : other))
                if (seen.Add(other)) open.Enqueue(other);
        }

        return found;
    }

    /// <summary>What a class by itself lacks.</summary>
    internal IReadOnlyCollection<string> LacksItself(string name) => Read((Root.Name, name)).Missing;

    public void Dispose()
    {
        foreach (var assembly in _assemblies.Values) assembly?.Dispose();
    }

    private (SortedSet<string> Missing, HashSet<(string Assembly, string Class)> Classes) Read((string Assembly, string Class) place)
    {
        if (_classes.TryGetValue(place, out var known)) return known;
        return _classes[place] = Open(place.Assembly) is { } assembly && assembly.Has(place.Class)
            ? Intact(place.Assembly + ".dll", () => assembly.Read(place.Class)) : ([], []);
    }

    // Headers may be in order where the metadata or a method's code is cut off.
    private static T Intact<T>(string file, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (BadImageFormatException error)
        {
            throw new BadImageFormatException($"{file} is damaged: {error.Message}", error);
        }
    }

    // What uses no TorchSharp is not looked into.
    private TheirAssembly? Open(string name)
    {
        if (_assemblies.TryGetValue(name, out var known)) return known;
        var file = Path.Combine(_folder, name + ".dll");
        TheirAssembly? found = null;
        if (!name.StartsWith("Bridge.", StringComparison.Ordinal) && File.Exists(file))
        {
            found = Intact(name + ".dll", () => new TheirAssembly(File.ReadAllBytes(file)));
            if (!found.UsesTorchSharp)
            {
                found.Dispose();
                found = null;
            }
        }

        return _assemblies[name] = found;
    }
}

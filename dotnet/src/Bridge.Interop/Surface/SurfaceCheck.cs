using Bridge.Torch.Native;

namespace Bridge.Interop.Surface;

/// <summary>Which of TorchSharp's members a compiled assembly uses that Bridge.Torch lacks, class by class, before anything of it runs.</summary>
internal sealed class SurfaceCheck : IDisposable
{
    private readonly Dictionary<string, TheirAssembly?> _assemblies = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, ClassNeeds> _classes = [];
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
    internal List<Lack> Lacks(string name)
    {
        List<Lack> found = [];
        var start = ClassNeeds.Key(Root.Name, name);
        HashSet<string> seen = [start];
        Queue<string> open = new();
        open.Enqueue(start);
        while (open.TryDequeue(out var place))
        {
            var needs = Read(place);
            foreach (var member in needs.Missing) found.Add(new(member, place[(place.IndexOf('|', StringComparison.Ordinal) + 1)..]));
            foreach (var other in needs.Classes)
                if (seen.Add(other)) open.Enqueue(other);
        }

        return found;
    }

    public void Dispose()
    {
        foreach (var assembly in _assemblies.Values) assembly?.Dispose();
    }

    private ClassNeeds Read(string place)
    {
        if (_classes.TryGetValue(place, out var known)) return known;
        var split = place.IndexOf('|', StringComparison.Ordinal);
        var (assembly, name) = (place[..split], place[(split + 1)..]);
        return _classes[place] = Open(assembly) is { } theirs && theirs.Has(name) ? Intact(assembly + ".dll", () => theirs.Read(name)) : new();
    }

    // Headers may be in order where the metadata or a method's code is cut off.
    private static T Intact<T>(string file, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (Exception error) when (error is BadImageFormatException or ArgumentException or IndexOutOfRangeException or OverflowException or InvalidCastException or InvalidOperationException)
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
        if (!Origin.IsOurName(name) && File.Exists(file))
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

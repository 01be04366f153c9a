using Bridge.Torch.Native;

namespace Bridge.Interop.Surface;

/// <summary>Finds the TorchSharp members that an assembly's classes use and Bridge.Torch lacks, without loading the assembly.</summary>
internal sealed class SurfaceCheck : IDisposable
{
    private readonly Dictionary<string, CheckedAssembly?> _assemblies = new(StringComparer.OrdinalIgnoreCase);
    private readonly string _folder;

    /// <param name="code">The bytes of the assembly.</param>
    /// <param name="path">The full path of the assembly, in whose folder dependencies are searched.</param>
    /// <exception cref="BadImageFormatException">The file is damaged.</exception>
    internal SurfaceCheck(byte[] code, string path)
    {
        _folder = Path.GetDirectoryName(path)!;
        Root = ReadFile(Path.GetFileName(path), () => new CheckedAssembly(code, Open));
        _assemblies[Root.Name] = Root;
    }

    internal CheckedAssembly Root { get; }

    /// <summary>
    /// Returns the code that may run when an object of a class is created and called, or when a static method is called; null if there is
    /// no such class.
    /// </summary>
    /// <param name="name">The name as <c>bridge.load</c> takes it: of a class, or of a static method of a class.</param>
    internal Reachability? Reach(string name)
    {
        if (Type(name) is { } type) return Reach(type);
        var dot = name.LastIndexOf('.');
        return dot > 0 && Type(name[..dot]) is { } owner
            ? Reach(owner.Methods.Where(method => method.IsStatic && method.Name == name[(dot + 1)..]).ToArray()) : null;
    }

    /// <summary>
    /// Returns the code that may run when an object of the class is created and called. For a class that is not a module, all methods count
    /// as called.
    /// </summary>
    internal Reachability Reach(CheckedType type) => Read(() =>
        new Reachability().AddClass(type).AddMethods(type.Assembly.IsModule(type) ? [] : type.Methods));

    /// <summary>Returns the code that may run when the methods are called. The known code is not examined again.</summary>
    internal Reachability Reach(CheckedMethod[] methods, Reachability? known = null) =>
        Read(() => new Reachability(known).AddMethods(methods));

    public void Dispose()
    {
        foreach (var assembly in _assemblies.Values) assembly?.Dispose();
    }

    private CheckedType? Type(string name) =>
        TypeNames.ReflectionNames(name).Select(other => Root.Find(other.Replace('+', '/'))).FirstOrDefault(type => type is not null);

    // Threads may load models of one assembly at once.
    private Reachability Read(Func<Reachability> read)
    {
        lock (_assemblies) return ReadFile(Root.Name + ".dll", read);
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
            found = ReadFile(name + ".dll", () => new CheckedAssembly(File.ReadAllBytes(file), Open));
            if (!found.UsesTorchSharp)
            {
                found.Dispose();
                found = null;
            }
        }

        return _assemblies[name] = found;
    }
}

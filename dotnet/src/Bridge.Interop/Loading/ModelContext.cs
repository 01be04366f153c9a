using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Security.Cryptography;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>One model's assembly and what it refers to, apart from every other model's.</summary>
/// <param name="path">The assembly's full path.</param>
/// <param name="forwardFires">What is loaded is changed by <see cref="ForwardFires"/> first.</param>
/// <param name="lines">The lines of what runs are to be known exactly.</param>
/// <param name="collectible">.NET unloads it when nothing of it is used any more. Static fields are slower then.</param>
internal sealed class ModelContext(string path, bool forwardFires, bool lines, bool collectible) : AssemblyLoadContext(Path.GetFileName(path), collectible)
{
    private static readonly ConditionalWeakTable<Assembly, string> Files = [];
    private readonly AssemblyDependencyResolver _resolver = new(path);
    private readonly Dictionary<string, string> _stamps = [];

    /// <summary>Whether every file that was loaded is still as it was then.</summary>
    internal bool IsCurrent
    {
        get
        {
            lock (_stamps) return _stamps.All(loaded => Stamp(loaded.Key) == loaded.Value);
        }
    }

    /// <summary>The file that an assembly was read from; null for one that was not read here.</summary>
    internal static string? FileOf(Assembly assembly) => Files.TryGetValue(assembly, out var file) ? file : null;

    /// <summary>Loads an assembly from its bytes, with its symbols: a mapped file that a later build overwrites would end the process.</summary>
    /// <param name="file">Full path.</param>
    /// <param name="check">Looks at the bytes and the path first.</param>
    internal Assembly Read(string file, Action<byte[], string>? check = null)
    {
        var bytes = File.ReadAllBytes(file);
        var stamp = Convert.ToHexString(SHA256.HashData(bytes));
        check?.Invoke(bytes, file);
        Optimized.Rewrite(bytes, lines);
        if (forwardFires) ForwardFires.Rewrite(bytes);
        using var code = new MemoryStream(bytes);
        var symbols = Path.ChangeExtension(file, ".pdb");
        using var read = File.Exists(symbols) ? new MemoryStream(File.ReadAllBytes(symbols)) : null;
        var assembly = IsCollectible ? Pythonnet.Unaware(() => LoadFromStream(code, read)) : LoadFromStream(code, read);
        Files.AddOrUpdate(assembly, file);
        lock (_stamps) _stamps[file] = stamp;
        return assembly;
    }

    /// <inheritdoc/>
    protected override Assembly? Load(AssemblyName name)
    {
        // A copy of our own assemblies beside the model would bring types that are not ours.
        if (Origin.IsOurName(name.Name))
        {
            Origin.Refuse(Path.GetDirectoryName(path)!, name.Name!);
            return null;
        }

        // Also where the real one lies beside the model: its tensors would be another libtorch's.
        if (name.Name == Facade.Name) return Facade.Assembly;
        if (_resolver.ResolveAssemblyToPath(name) is { } resolved) return Read(resolved);
        var beside = Path.Combine(Path.GetDirectoryName(path)!, name.Name + ".dll");
        return File.Exists(beside) && !Origin.IsPlatform(name.Name) ? Read(beside) : null;
    }

    // Of the contents: an edit may leave the size and, within a tick of the file system's clock, the time as they were.
    private static string Stamp(string file)
    {
        if (!File.Exists(file)) return "";
        using var stream = File.OpenRead(file);
        return Convert.ToHexString(SHA256.HashData(stream));
    }
}

using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Security.Cryptography;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>The load context of one model's assembly and its dependencies.</summary>
/// <param name="path">The full path of the assembly.</param>
/// <param name="forwardFires">Rewrite the assemblies by <see cref="ForwardFires"/>.</param>
/// <param name="lines">Keep exact line numbers in stack traces (<see cref="OptimizationFlags"/>).</param>
/// <param name="collectible">Let .NET unload the assemblies when they are no longer used; static fields are slower then.</param>
internal sealed class ModelLoadContext(string path, bool forwardFires, bool lines, bool collectible)
    : AssemblyLoadContext(Path.GetFileName(path), collectible)
{
    private static readonly ConditionalWeakTable<Assembly, string> Files = [];
    private readonly AssemblyDependencyResolver _resolver = new(path);

    // The digests of the loaded files.
    private readonly Dictionary<string, string> _digests = [];

    /// <summary>Whether no loaded file has changed since.</summary>
    internal bool IsUpToDate
    {
        get
        {
            lock (_digests) return _digests.All(loaded => Digest(loaded.Key) == loaded.Value);
        }
    }

    /// <summary>Returns the file of an assembly that a model's context loaded; null for another assembly.</summary>
    internal static string? FileOf(Assembly assembly) => Files.TryGetValue(assembly, out var file) ? file : null;

    /// <summary>
    /// Loads an assembly and its symbols from memory, since a build that overwrites a mapped file would crash the process.
    /// </summary>
    /// <param name="file">The full path.</param>
    /// <param name="check">Checks the bytes and the path before they are loaded.</param>
    internal Assembly Read(string file, Action<byte[], string>? check = null)
    {
        var bytes = File.ReadAllBytes(file);
        var digest = Convert.ToHexString(SHA256.HashData(bytes));
        check?.Invoke(bytes, file);
        OptimizationFlags.Set(bytes, lines);
        if (forwardFires) ForwardFires.Rewrite(bytes);
        using var code = new MemoryStream(bytes);
        var symbols = Path.ChangeExtension(file, ".pdb");
        using var symbolData = File.Exists(symbols) ? new MemoryStream(File.ReadAllBytes(symbols)) : null;
        var assembly = IsCollectible ? Pythonnet.LoadUnnoticed(() => LoadFromStream(code, symbolData)) : LoadFromStream(code, symbolData);
        Files.AddOrUpdate(assembly, file);
        lock (_digests) _digests[file] = digest;
        return assembly;
    }

    /// <inheritdoc/>
    protected override Assembly? Load(AssemblyName name)
    {
        // A copy of the bridge's assemblies next to the model would have types of its own.
        if (Origin.IsOurName(name.Name))
        {
            Origin.Refuse(Path.GetDirectoryName(path)!, name.Name!);
            return null;
        }

        // Even if TorchSharp itself is next to the model: its tensors would belong to another libtorch.
        if (name.Name == Facade.Name) return Facade.Assembly;
        if (_resolver.ResolveAssemblyToPath(name) is { } resolved) return Read(resolved);
        var neighbor = Path.Combine(Path.GetDirectoryName(path)!, name.Name + ".dll");
        return File.Exists(neighbor) && !Origin.IsPlatform(name.Name) ? Read(neighbor) : null;
    }

    // Of the contents: an edit may keep the size and, within a tick of the file system's clock, the time.
    private static string Digest(string file)
    {
        if (!File.Exists(file)) return "";
        using var stream = File.OpenRead(file);
        return Convert.ToHexString(SHA256.HashData(stream));
    }
}

using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>The load context of one model's assembly and its dependencies.</summary>
/// <param name="path">The full path of the assembly.</param>
/// <param name="forwardFires">Whether hooks also fire when C# calls a child's <c>forward</c> (<see cref="ForwardFires"/>).</param>
/// <param name="lines">Whether to keep exact line numbers in stack traces (<see cref="OptimizationFlags"/>).</param>
/// <param name="collectible">Whether .NET may unload the assemblies when unused, which makes access to their static fields slower.</param>
internal sealed class ModelLoadContext(string path, bool forwardFires, bool lines, bool collectible)
    : AssemblyLoadContext(Path.GetFileName(path), collectible)
{
    private static readonly ConditionalWeakTable<Assembly, string> Files = [];
    private readonly AssemblyDependencyResolver _resolver = new(path);
    private readonly FileDigests _digests = new();

    /// <summary>Gets whether the loaded files are unchanged.</summary>
    internal bool IsUpToDate => _digests.AreCurrent;

    /// <summary>Returns the file of an assembly that any <see cref="ModelLoadContext"/> loaded; null for any other assembly.</summary>
    internal static string? FileOf(Assembly assembly) => Files.TryGetValue(assembly, out var file) ? file : null;

    /// <summary>Loads an assembly and its symbols from memory: a build that overwrites a mapped file would end the process.</summary>
    /// <param name="file">The full path.</param>
    /// <param name="check">Checks the bytes and the path before the assembly is loaded.</param>
    internal Assembly Read(string file, Action<byte[], string>? check = null)
    {
        var bytes = File.ReadAllBytes(file);
        check?.Invoke(bytes, file);
        _digests.Add(file, bytes); // The lines below change the bytes.
        OptimizationFlags.Set(bytes, lines);
        if (forwardFires) ForwardFires.Rewrite(bytes);
        using var code = new MemoryStream(bytes);
        var symbols = Path.ChangeExtension(file, ".pdb");
        using var symbolData = File.Exists(symbols) ? new MemoryStream(File.ReadAllBytes(symbols)) : null;
        var assembly = IsCollectible ? Pythonnet.LoadUnnoticed(() => LoadFromStream(code, symbolData)) : LoadFromStream(code, symbolData);
        Files.AddOrUpdate(assembly, file);
        return assembly;
    }

    /// <inheritdoc/>
    protected override Assembly? Load(AssemblyName name)
    {
        // Copies of the bridge's assemblies next to the model are ignored: their types would differ from the loaded ones. Refuse throws if
        // the file is not a copy but an assembly of the user with the same name.
        if (Origin.IsOurName(name.Name))
        {
            Origin.Refuse(Path.GetDirectoryName(path)!, name.Name!);
            return null;
        }

        // TorchSharp itself, if it is next to the model, is ignored: its tensors would belong to another libtorch.
        if (name.Name == Facade.Name) return Facade.Assembly;
        if (_resolver.ResolveAssemblyToPath(name) is { } resolved) return Read(resolved);
        var neighbor = Path.Combine(Path.GetDirectoryName(path)!, name.Name + ".dll");
        return File.Exists(neighbor) && !Origin.IsPlatform(name.Name) ? Read(neighbor) : null;
    }
}

using System.Reflection;
using System.Runtime.Loader;
using System.Security.Cryptography;
using Bridge.Torch.Native;

namespace Bridge.Host;

/// <summary>The load context of a model's assembly and its dependencies, in which <c>TorchSharp</c> is the chosen library.</summary>
/// <param name="path">The assembly's full path.</param>
/// <param name="library">The library that models run on.</param>
internal sealed class HostedAssemblyContext(string path, ModelLibrary library) : AssemblyLoadContext(Path.GetFileName(path))
{
    private static readonly Dictionary<string, (HostedAssemblyContext Context, Assembly Assembly)> Opened = [];
    private readonly AssemblyDependencyResolver _resolver = new(path);
    private readonly Dictionary<string, byte[]> _digests = [];

    private bool IsCurrent
    {
        get
        {
            lock (_digests) return _digests.All(read => File.Exists(read.Key) && read.Value.AsSpan().SequenceEqual(Digest(read.Key)));
        }
    }

    /// <summary>Loads a model's assembly, or returns the loaded one while the files are unchanged: .NET never unloads a copy.</summary>
    internal static Assembly Open(string path, ModelLibrary library)
    {
        if (Opened.TryGetValue(path, out var known) && known.Context.IsCurrent) return known.Assembly;
        var context = new HostedAssemblyContext(path, library);
        var assembly = context.Read(path);
        Opened[path] = (context, assembly);
        return assembly;
    }

    private static byte[] Digest(string file) => SHA256.HashData(File.ReadAllBytes(file));

    // Loaded from bytes: a later build may overwrite the file, which would end the process if it were mapped.
    private Assembly Read(string file)
    {
        var bytes = File.ReadAllBytes(file);
        lock (_digests) _digests[file] = SHA256.HashData(bytes);
        using var code = new MemoryStream(bytes);
        return LoadFromStream(code);
    }

    /// <inheritdoc/>
    protected override Assembly? Load(AssemblyName name)
    {
        // Assemblies of this package are those of this program.
        if (Origin.IsOurName(name.Name))
        {
            Origin.Refuse(Path.GetDirectoryName(path)!, name.Name!);
            return null;
        }

        // Bridge.Torch is reached by the facade beside this program.
        if (name.Name == "TorchSharp") return library.Assembly.GetName().Name == "TorchSharp" ? library.Assembly : null;
        if (_resolver.ResolveAssemblyToPath(name) is { } resolved) return Read(resolved);
        var beside = Path.Combine(Path.GetDirectoryName(path)!, name.Name + ".dll");
        return File.Exists(beside) && !Origin.IsPlatform(name.Name) ? Read(beside) : null;
    }
}

using System.Reflection;
using System.Runtime.Loader;
using System.Security.Cryptography;
using Bridge.Torch.Native;

namespace Bridge.Host;

/// <summary>A model's assembly and what it refers to. The process has one model library: that is what <c>TorchSharp</c> is to it.</summary>
/// <param name="path">The assembly's full path.</param>
/// <param name="library">What models run on.</param>
internal sealed class ModelContext(string path, ModelLibrary library) : AssemblyLoadContext(Path.GetFileName(path))
{
    private static readonly Dictionary<string, (ModelContext Context, Assembly Assembly)> Opened = [];
    private readonly AssemblyDependencyResolver _resolver = new(path);
    private readonly Dictionary<string, byte[]> _digests = [];

    private bool IsCurrent
    {
        get
        {
            lock (_digests) return _digests.All(read => File.Exists(read.Key) && SHA256.HashData(File.ReadAllBytes(read.Key)).AsSpan().SequenceEqual(read.Value));
        }
    }

    /// <summary>Loads a model's assembly, once as long as the files are the same: .NET keeps each copy to the end of the process.</summary>
    internal static Assembly Open(string path, ModelLibrary library)
    {
        if (Opened.TryGetValue(path, out var known) && known.Context.IsCurrent) return known.Assembly;
        var context = new ModelContext(path, library);
        var assembly = context.Read(path);
        Opened[path] = (context, assembly);
        return assembly;
    }

    // From its bytes: a mapped file that a later build overwrites would end the process.
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
        // Ours, in the one copy of this program.
        if (Origin.IsOurName(name.Name))
        {
            Origin.Refuse(Path.GetDirectoryName(path)!, name.Name!);
            return null;
        }

        // Bridge.Torch is reached by the facade, which lies beside this program.
        if (name.Name == "TorchSharp") return library.Assembly.GetName().Name == "TorchSharp" ? library.Assembly : null;
        if (_resolver.ResolveAssemblyToPath(name) is { } resolved) return Read(resolved);
        var beside = Path.Combine(Path.GetDirectoryName(path)!, name.Name + ".dll");
        return File.Exists(beside) && !Origin.IsPlatform(name.Name) ? Read(beside) : null;
    }
}

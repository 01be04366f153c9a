using System.Reflection;
using System.Runtime.Loader;
using Bridge.Interop;
using Bridge.Torch.Native;

namespace Bridge.Host;

/// <summary>The load context of a model's assembly and its dependencies. <c>TorchSharp</c> resolves to the chosen library.</summary>
/// <param name="path">The assembly's full path.</param>
/// <param name="library">The library that models run on.</param>
internal sealed class HostedAssemblyContext(string path, ModelLibrary library) : AssemblyLoadContext(Path.GetFileName(path))
{
    private static readonly Dictionary<string, (HostedAssemblyContext Context, Assembly Assembly)> Opened = [];
    private readonly AssemblyDependencyResolver _resolver = new(path);
    private readonly FileDigests _digests = new();

    /// <summary>
    /// Returns a model's assembly. Loads it at the first call, and again if it or a dependency that was loaded has changed on disk. Earlier
    /// copies stay loaded.
    /// </summary>
    internal static Assembly Open(string path, ModelLibrary library)
    {
        if (Opened.TryGetValue(path, out var known) && known.Context._digests.AreCurrent) return known.Assembly;
        var context = new HostedAssemblyContext(path, library);
        var assembly = context.Read(path);
        Opened[path] = (context, assembly);
        return assembly;
    }

    // Loads from memory: a build that overwrites a mapped file would end the process.
    private Assembly Read(string file)
    {
        var bytes = File.ReadAllBytes(file);
        _digests.Add(file, bytes);
        using var code = new MemoryStream(bytes);
        return LoadFromStream(code);
    }

    /// <inheritdoc/>
    protected override Assembly? Load(AssemblyName name)
    {
        // Null makes .NET load this program's own copies of this package's assemblies.
        if (Origin.IsOurName(name.Name))
        {
            Origin.Refuse(Path.GetDirectoryName(path)!, name.Name!);
            return null;
        }

        // If the library is Bridge.Torch, null makes .NET load this program's own TorchSharp.dll, which forwards to Bridge.Torch.
        if (name.Name == "TorchSharp") return library.Assembly.GetName().Name == "TorchSharp" ? library.Assembly : null;
        if (_resolver.ResolveAssemblyToPath(name) is { } resolved) return Read(resolved);
        var beside = Path.Combine(Path.GetDirectoryName(path)!, name.Name + ".dll");
        return File.Exists(beside) && !Origin.IsPlatform(name.Name) ? Read(beside) : null;
    }
}

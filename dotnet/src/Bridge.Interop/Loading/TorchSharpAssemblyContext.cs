using System.Reflection;
using System.Runtime.Loader;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>The load context of a model's assembly and its dependencies, where <c>TorchSharp</c> resolves to a chosen library.</summary>
/// <remarks>Bridge.Host compiles this file too.</remarks>
/// <param name="path">The assembly's full path.</param>
/// <param name="library">TorchSharp; or Bridge.Torch, to whose types this program's own TorchSharp.dll forwards.</param>
/// <param name="rewrite">Changes the bytes of each assembly before it is loaded; null to change nothing.</param>
internal sealed class TorchSharpAssemblyContext(string path, Assembly library, Action<byte[]>? rewrite)
    : AssemblyLoadContext(Path.GetFileName(path))
{
    private static readonly Dictionary<(string Path, bool Rewritten), (TorchSharpAssemblyContext Context, Assembly Assembly)> Opened = [];
    private readonly AssemblyDependencyResolver _resolver = new(path);
    private readonly FileDigests _digests = new();

    /// <summary>Returns a model's assembly. Loads it at the first request, and again after its files change. Unloads nothing.</summary>
    internal static Assembly Open(string path, Assembly library, Action<byte[]>? rewrite = null)
    {
        lock (Opened)
        {
            var key = (path, rewrite is not null);
            if (Opened.TryGetValue(key, out var known) && known.Context._digests.AreCurrent) return known.Assembly;
            var context = new TorchSharpAssemblyContext(path, library, rewrite);
            var assembly = context.Read(path);
            Opened[key] = (context, assembly);
            return assembly;
        }
    }

    // Loads from memory: a build that overwrites a mapped file would end the process.
    private Assembly Read(string file)
    {
        var bytes = File.ReadAllBytes(file);
        _digests.Add(file, bytes); // Before the bytes change.
        rewrite?.Invoke(bytes);
        using var code = new MemoryStream(bytes);
        return LoadFromStream(code);
    }

    /// <inheritdoc/>
    protected override Assembly? Load(AssemblyName name)
    {
        // References to this package's assemblies resolve to those of this program.
        if (Origin.IsOurName(name.Name))
        {
            Origin.Refuse(Path.GetDirectoryName(path)!, name.Name!);
            return null;
        }

        // If the library is Bridge.Torch, null makes .NET load this program's own TorchSharp.dll, which forwards to Bridge.Torch.
        if (name.Name == "TorchSharp") return library.GetName().Name == "TorchSharp" ? library : null;
        if (_resolver.ResolveAssemblyToPath(name) is { } resolved) return Read(resolved);
        var beside = Path.Combine(Path.GetDirectoryName(path)!, name.Name + ".dll");
        return File.Exists(beside) && !Origin.IsPlatform(name.Name) ? Read(beside) : null;
    }
}

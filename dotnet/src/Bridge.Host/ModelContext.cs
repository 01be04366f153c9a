using System.Reflection;
using System.Runtime.Loader;
using Bridge.Torch.Native;

namespace Bridge.Host;

/// <summary>A model's assembly and what it refers to. The process has one model library: that is what <c>TorchSharp</c> is to it.</summary>
/// <param name="path">The assembly's full path.</param>
/// <param name="library">What models run on.</param>
internal sealed class ModelContext(string path, ModelLibrary library) : AssemblyLoadContext(Path.GetFileName(path))
{
    private readonly AssemblyDependencyResolver _resolver = new(path);

    /// <summary>Loads an assembly from its bytes: a mapped file that a later build overwrites would end the process.</summary>
    internal Assembly Read(string file)
    {
        using var code = new MemoryStream(File.ReadAllBytes(file));
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

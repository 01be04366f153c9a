using System.Reflection;
using System.Runtime.Loader;

namespace Bridge.Interop;

/// <summary>Our assembly named TorchSharp, through which what was compiled against TorchSharp finds Bridge.Torch's types.</summary>
internal static class Facade
{
    internal const string Name = "TorchSharp";

    private static readonly Lazy<Assembly> Loaded = new(Load);

    internal static Assembly Assembly => Loaded.Value;

    // In a context of its own: the process may have the real one in the default context.
    private static Assembly Load()
    {
        var file = Path.Combine(Path.GetDirectoryName(typeof(Facade).Assembly.Location)!, Name + ".dll");
        var assembly = new AssemblyLoadContext("facade").LoadFromAssemblyPath(file);
        // For assemblies that a model loads itself, by Assembly.LoadFrom. pythonnet's handler of AssemblyResolve would give this one, too,
        // but .NET 8 refuses an answer to that event whose public key is not the one referred to.
        AssemblyLoadContext.Default.Resolving += (_, name) => name.Name == Name ? assembly : null;
        return assembly;
    }
}

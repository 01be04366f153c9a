using System.Reflection;
using System.Runtime.Loader;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>
/// The bridge's assembly named TorchSharp, which forwards TorchSharp's types to Bridge.Torch for assemblies compiled against TorchSharp.
/// </summary>
internal static class Facade
{
    internal const string Name = "TorchSharp";

    private static readonly Lazy<Assembly> Loaded = new(Load);

    internal static Assembly Assembly => Loaded.Value;

    // The facade gets its own load context, since the process may have TorchSharp itself in the default context.
    private static Assembly Load()
    {
        var file = Path.Combine(Origin.Folder, Name + ".dll");
        var assembly = new AssemblyLoadContext("facade").LoadFromAssemblyPath(file);
        // Assemblies that a model loads by Assembly.LoadFrom need this handler. pythonnet's handler of AssemblyResolve would return the
        // facade too, but .NET 8 rejects a result of that event whose public key differs from the referenced one.
        AssemblyLoadContext.Default.Resolving += (_, name) => name.Name == Name ? assembly : null;
        return assembly;
    }
}

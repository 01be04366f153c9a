using System.Reflection;
using System.Runtime.Loader;

namespace Bridge.Interop;

/// <summary>Our assembly named TorchSharp, through which what was compiled against TorchSharp finds Bridge.Torch's types.</summary>
internal static class Facade
{
    internal const string Name = "TorchSharp";

    // In a context of its own: the process may have the real one in the default context.
    private static readonly Lazy<Assembly> Loaded = new(() =>
        new AssemblyLoadContext("facade").LoadFromAssemblyPath(Path.Combine(Path.GetDirectoryName(typeof(Facade).Assembly.Location)!, Name + ".dll")));

    internal static Assembly Assembly => Loaded.Value;
}

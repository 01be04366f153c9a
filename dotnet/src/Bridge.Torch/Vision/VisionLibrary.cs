using System.Reflection;
using System.Runtime.InteropServices;
using System.Runtime.Loader;
using Bridge.Torch.Native;
using TorchSharp;

namespace Bridge.Torch.Vision;

/// <summary>
/// On Linux, gives TorchVision a library in place of TorchSharp's native one. Its symbols are <see cref="VisionFunctions"/>.
/// </summary>
internal static class VisionLibrary
{
    private const string Library = "LibTorchSharp", Client = "TorchVision";
    private static readonly Lazy<IntPtr> Loaded = new(Load);

    /// <summary>Connects TorchVision to the library: when it is loaded, or now if it is loaded already.</summary>
    internal static void Expect()
    {
        if (!OperatingSystem.IsLinux()) return;
        AppDomain.CurrentDomain.AssemblyLoad += static (_, loaded) => Connect(loaded.LoadedAssembly);
        foreach (var assembly in AppDomain.CurrentDomain.GetAssemblies()) Connect(assembly);
    }

    /// <summary>Returns whether an assembly can call a function that it imports from TorchSharp's native library.</summary>
    internal static bool Provides(string assembly, string function) =>
        assembly == Client && OperatingSystem.IsLinux() && VisionFunctions.Addresses.ContainsKey(function);

    private static void Connect(Assembly assembly)
    {
        if (assembly.FullName?.StartsWith(Client + ",", StringComparison.Ordinal) != true) return;
        try
        {
            NativeLibrary.SetDllImportResolver(assembly, Resolve);
        }
        catch (Exception exception) when (exception is InvalidOperationException or ArgumentException)
        {
            // The assembly already has a resolver, or is dynamic.
        }
    }

    // If this returns zero, .NET searches as usual.
    private static IntPtr Resolve(string library, Assembly assembly, DllImportSearchPath? path) =>
        library == Library && IsOnBridge(assembly) ? Loaded.Value : IntPtr.Zero;

    // Returns whether the assembly's `torch` is Bridge.Torch's, not TorchSharp's own.
    private static bool IsOnBridge(Assembly assembly) =>
        AssemblyLoadContext.GetLoadContext(assembly) is { } context && assembly.GetReferencedAssemblies().Any(reference =>
            reference.Name is "TorchSharp" or "Bridge.Torch"
            && context.LoadFromAssemblyName(reference).GetType("TorchSharp.torch") == typeof(torch));

    private static IntPtr Load()
    {
        try
        {
            return SymbolFile.Open(null, VisionFunctions.Addresses);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or DllNotFoundException)
        {
            return IntPtr.Zero;
        }
    }
}

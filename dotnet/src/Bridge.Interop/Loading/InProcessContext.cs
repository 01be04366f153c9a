using System.Reflection;
using System.Runtime.InteropServices;
using System.Runtime.Loader;
using Bridge.Torch;
using Bridge.Torch.Native;

namespace Bridge.Interop;

/// <summary>
/// The load context of TorchSharp itself and of Bridge.InProcess. The bridge's TorchSharp.dll (<see cref="Facade"/>) is in another context.
/// </summary>
internal sealed class InProcessContext : AssemblyLoadContext
{
    private const string Library = "TorchSharp", Ours = "Bridge.InProcess";
    private static InProcessContext? _opened;
    private readonly string _library;
    private readonly string _native;
    private readonly string _libtorch;

    private InProcessContext(string library, string native, string libtorch)
        : base("TorchSharp") => (_library, _native, _libtorch) = (library, native, libtorch);

    /// <summary>Loads TorchSharp, at the first call, and returns the address of a function of Bridge.InProcess.</summary>
    /// <param name="library">The full path of TorchSharp.dll.</param>
    /// <param name="native">The full path of its native library, which is loaded already.</param>
    /// <param name="libtorch">The folder of Python's libtorch.</param>
    /// <param name="function">The function's name.</param>
    /// <exception cref="ArgumentException">There is no function of this name.</exception>
    /// <exception cref="NotSupportedException">Another TorchSharp.dll was loaded before.</exception>
    internal static long Address(string library, string native, string libtorch, string function)
    {
        var context = _opened ??= new(library, native, libtorch);
        if (FilePath.Key(context._library) != FilePath.Key(library))
        {
            throw new NotSupportedException(
                $"This process runs models on {context._library}, and cannot run others on {library}: start another process.");
        }

        return context.Function<Func<string, long>>("Functions", "Address")(function);
    }

    private T Function<T>(string type, string name) where T : Delegate =>
        LoadFromAssemblyName(new(Ours)).GetType($"{Ours}.{type}", throwOnError: true)!.GetMethod(name)!.CreateDelegate<T>();

    /// <inheritdoc/>
    protected override Assembly? Load(AssemblyName name)
    {
        if (name.Name == Library) return LoadFromAssemblyPath(_library);
        if (name.Name is Ours or "Bridge.TorchSharp") return LoadFromAssemblyPath(Path.Combine(Origin.Folder, name.Name + ".dll"));
        // Returns the loaded assemblies themselves, since pythonnet may have loaded them into a context of its own.
        if (name.Name == "Bridge.Interop") return typeof(InProcessContext).Assembly;
        if (name.Name == "Bridge.Torch") return typeof(Torch.Runtime).Assembly;
        if (name.Name == "Bridge.Hooks") return typeof(Hooks.InterruptCheck).Assembly;
        // The dependencies of TorchSharp are next to TorchSharp.dll.
        var beside = Path.Combine(Path.GetDirectoryName(_library)!, name.Name + ".dll");
        return File.Exists(beside) && !Origin.IsPlatform(name.Name) ? LoadFromAssemblyPath(beside) : null;
    }

    /// <inheritdoc/>
    /// <remarks>TorchSharp's native library and libtorch are loaded already. A second libtorch would end the process.</remarks>
    protected override IntPtr LoadUnmanagedDll(string name)
    {
        if (name.Contains("LibTorchSharp", StringComparison.Ordinal))
            return Function<Func<string, IntPtr>>("NativeFunctions", "Load")(_native);
        foreach (var file in new[] { name, $"lib{name}.so", $"{name}.dll", $"lib{name}.dylib" })
            if (File.Exists(Path.Combine(_libtorch, file))) return LoadUnmanagedDllFromPath(Path.Combine(_libtorch, file));
        return IntPtr.Zero;
    }
}

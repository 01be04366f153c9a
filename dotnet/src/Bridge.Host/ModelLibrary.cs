using System.Reflection;
using System.Runtime.InteropServices;
using System.Runtime.Loader;
using Bridge.TorchSharp;

namespace Bridge.Host;

/// <summary>The one library that models of this process run on: TorchSharp, or Bridge.Torch, which has the same type names.</summary>
internal sealed class ModelLibrary
{
    private readonly Func<bool, IDisposable>? _setGradEnabled;
    private readonly Action<int>? _setThreads;

    private ModelLibrary(Assembly assembly, string title, nint libtorch)
    {
        Assembly = assembly;
        Title = title;
        Module = RequireType("TorchSharp.torch+nn+Module");
        var torch = RequireType("TorchSharp.torch");
        Tensors = TensorAccess.Create(torch, RequireType("TorchSharp.torch+Tensor"), libtorch);
        const BindingFlags functions = BindingFlags.Public | BindingFlags.Static;
        _setGradEnabled = torch.GetMethod("set_grad_enabled", functions, [typeof(bool)])?.CreateDelegate<Func<bool, IDisposable>>();
        // Bridge.Torch's versions of these functions need Python.
        if (assembly.GetName().Name != "TorchSharp") return;
        Random = GeneratorState.TryBind(torch, Tensors);
        _setThreads = torch.GetMethod("set_num_threads", functions, [typeof(int)])?.CreateDelegate<Action<int>>();
    }

    /// <summary>Gets the assembly to which references to TorchSharp resolve.</summary>
    internal Assembly Assembly { get; }

    /// <summary>
    /// Gets a description such as <c>TorchSharp 0.107.0, libtorch 2.10.0.0, own process</c>. If TorchSharp was compiled for another
    /// libtorch than the loaded one, the description names both.
    /// </summary>
    internal string Title { get; }

    /// <summary>Gets the type <c>torch.nn.Module</c>.</summary>
    internal Type Module { get; }

    internal TensorAccess Tensors { get; }

    /// <summary>Gets the state of the CPU generator; null for Bridge.Torch, or if TorchSharp cannot get and set the state.</summary>
    internal GeneratorState? Random { get; }

    /// <summary>Loads the user's TorchSharp.</summary>
    /// <param name="path">The full path of TorchSharp.dll.</param>
    /// <param name="libraries">Native libraries to load first, so that TorchSharp finds them loaded under their names.</param>
    /// <exception cref="NotSupportedException">The file is not a TorchSharp that models can run on.</exception>
    /// <exception cref="DllNotFoundException">A native library cannot be loaded.</exception>
    internal static ModelLibrary TorchSharp(string path, string[] libraries)
    {
        var file = LibraryFile.Read(path);
        if (!file.Runs) throw new NotSupportedException($"{path} is {file.Title}: models cannot run on it in a process of its own.");
        nint[] loaded = [.. libraries.Select(NativeLibrary.Load)];
        // In its own load context, because this program's own TorchSharp.dll, which forwards to Bridge.Torch, has the same name.
        var assembly = new LibraryContext(path).LoadFromAssemblyPath(path);
        return new(assembly, $"TorchSharp {file.Version}, {DescribeLibtorch(assembly, loaded)}, own process", loaded.FirstOrDefault());
    }

    /// <summary>Binds Bridge.Torch to a libtorch.</summary>
    /// <param name="libtorch">The full path of libtorch_cpu.</param>
    /// <param name="schemas">The schemas of libtorch's operators.</param>
    internal static ModelLibrary BridgeTorch(string libtorch, string schemas)
    {
        Torch.Runtime.Bind(libtorch, schemas);
        var title = $"Bridge.Torch {Version(typeof(Torch.Runtime).Assembly)}, libtorch {Torch.Runtime.LibtorchVersion}, own process";
        return new(typeof(Torch.Runtime).Assembly, title, NativeLibrary.Load(libtorch));
    }

    /// <summary>Switches gradients on or off until the result is disposed. If the library cannot, does nothing and returns null.</summary>
    internal IDisposable? SetGradEnabled(bool on) => _setGradEnabled?.Invoke(on);

    /// <summary>Sets the number of threads of TorchSharp's operators, on which the order of summation depends.</summary>
    /// <remarks>Does nothing for Bridge.Torch.</remarks>
    internal void SetThreads(int count) => _setThreads?.Invoke(count);

    /// <summary>Returns a type of the library.</summary>
    /// <exception cref="NotSupportedException">There is no type of that name.</exception>
    internal Type RequireType(string name) =>
        Assembly.GetType(name)
            ?? throw new NotSupportedException($"{Assembly.GetName()} has no type {name}: versions 0.102 to 0.107 of TorchSharp have it.");

    private static string Version(Assembly assembly) =>
        assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0]
            ?? assembly.GetName().Version!.ToString(3);

    // `torch.__version__` is the version that TorchSharp was compiled for. TorchSharp never compares it with the loaded one.
    private static string DescribeLibtorch(Assembly assembly, nint[] loaded)
    {
        var version = assembly.GetType("TorchSharp.torch")?.GetProperty("__version__", BindingFlags.Public | BindingFlags.Static);
        var compiled = version?.GetValue(null)?.ToString() ?? "of unknown version";
        var actual = loaded.Select(LoadedVersion).FirstOrDefault(found => found is not null);
        var same = actual is null || compiled.StartsWith(actual, StringComparison.Ordinal);
        return same ? $"libtorch {compiled}" : $"libtorch {actual} (made for {compiled})";
    }

    // Returns null for a libtorch before 2.10, which lacks the function, and for other libraries. The version is in the top three bytes.
    private static unsafe string? LoadedVersion(nint library)
    {
        if (!NativeLibrary.TryGetExport(library, "aoti_torch_abi_version", out var function)) return null;
        var version = ((delegate* unmanaged<ulong>)function)();
        return $"{version >> 56}.{(version >> 48) & 0xFF}.{(version >> 40) & 0xFF}";
    }

    /// <summary>The load context of TorchSharp and its dependencies in the same folder.</summary>
    private sealed class LibraryContext(string path) : AssemblyLoadContext("TorchSharp")
    {
        protected override Assembly? Load(AssemblyName name)
        {
            var file = Path.Combine(Path.GetDirectoryName(path)!, name.Name + ".dll");
            var dependency = name.Name is { } simple && !simple.StartsWith("System.", StringComparison.Ordinal) && File.Exists(file);
            return dependency ? LoadFromAssemblyPath(file) : null;
        }
    }
}

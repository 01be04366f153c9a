using System.Reflection;
using System.Runtime.InteropServices;
using System.Runtime.Loader;
using Bridge.TorchSharp;

namespace Bridge.Host;

/// <summary>What models run on in this process: a TorchSharp, or Bridge.Torch, which has its names. One for the whole process.</summary>
internal sealed class ModelLibrary
{
    private readonly Func<bool, IDisposable>? _grad;
    private readonly Action<int>? _threads;

    private ModelLibrary(Assembly assembly, string title, nint libtorch)
    {
        Assembly = assembly;
        Title = title;
        Module = Known("TorchSharp.torch+nn+Module");
        var torch = Known("TorchSharp.torch");
        Tensors = TensorCrossing.Of(torch, Known("TorchSharp.torch+Tensor"), libtorch);
        _grad = torch.GetMethod("set_grad_enabled", BindingFlags.Public | BindingFlags.Static, [typeof(bool)])?.CreateDelegate<Func<bool, IDisposable>>();
        // Bridge.Torch's need Python.
        Random = assembly.GetName().Name != "TorchSharp" ? null : GeneratorState.Of(torch, Tensors);
        _threads = assembly.GetName().Name != "TorchSharp" ? null : torch.GetMethod("set_num_threads", BindingFlags.Public | BindingFlags.Static, [typeof(int)])?.CreateDelegate<Action<int>>();
    }

    /// <summary>What an assembly that refers to TorchSharp gets.</summary>
    internal Assembly Assembly { get; }

    /// <summary>What it is: <c>TorchSharp 0.107.0, libtorch 2.10.0.0, own process</c>, with what that libtorch is where it is another one.</summary>
    internal string Title { get; }

    /// <summary><c>torch.nn.Module</c>.</summary>
    internal Type Module { get; }

    /// <summary>How tensors get in and out.</summary>
    internal TensorCrossing Tensors { get; }

    /// <summary>What models draw from; null of Bridge.Torch.</summary>
    internal GeneratorState? Random { get; }

    /// <summary>A TorchSharp of the user's.</summary>
    /// <param name="path">Full path of its assembly.</param>
    /// <param name="libraries">Native libraries to load first: what TorchSharp then asks for by name is there already.</param>
    /// <exception cref="NotSupportedException">It is one that cannot run.</exception>
    /// <exception cref="DllNotFoundException">A native library cannot be loaded.</exception>
    internal static ModelLibrary TorchSharp(string path, string[] libraries)
    {
        var file = LibraryFile.Of(path);
        if (!file.Runs) throw new NotSupportedException($"{path} is {file.Title}: models cannot run on it in a process of its own.");
        nint[] loaded = [.. libraries.Select(NativeLibrary.Load)];
        // In a context of its own: beside this program lies the facade, which has the same name.
        var assembly = new Beside(path).LoadFromAssemblyPath(path);
        return new(assembly, $"TorchSharp {file.Version}, {LibTorch(assembly, loaded)}, own process", loaded.FirstOrDefault());
    }

    /// <summary>Bridge.Torch on a libtorch.</summary>
    /// <param name="libtorch">Full path of libtorch_cpu.</param>
    /// <param name="schemas">The schemas of its operators.</param>
    internal static ModelLibrary BridgeTorch(string libtorch, string schemas)
    {
        Torch.Runtime.Bind(libtorch, schemas);
        var version = Torch.Runtime.LibtorchVersion;
        return new(typeof(Torch.Runtime).Assembly, $"Bridge.Torch {Version(typeof(Torch.Runtime).Assembly)}, libtorch {version}, own process", NativeLibrary.Load(libtorch));
    }

    /// <summary>Switches gradients on or off until what it gives is disposed.</summary>
    internal IDisposable? Grad(bool on) => _grad?.Invoke(on);

    /// <summary>How many threads its operators run on: with another number sums are split differently.</summary>
    internal void Threads(int count) => _threads?.Invoke(count);

    /// <summary>A type of it.</summary>
    /// <exception cref="NotSupportedException">It has none of that name.</exception>
    internal Type Known(string name) =>
        Assembly.GetType(name) ?? throw new NotSupportedException($"{Assembly.GetName()} has no type {name}: versions 0.102 to 0.107 of TorchSharp have.");

    private static string Version(Assembly assembly) =>
        assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0] ?? assembly.GetName().Version!.ToString(3);

    // TorchSharp says what it was compiled for, and never compares that with what it has loaded (rule 100).
    private static string LibTorch(Assembly assembly, nint[] loaded)
    {
        var said = assembly.GetType("TorchSharp.torch")?.GetProperty("__version__", BindingFlags.Public | BindingFlags.Static)?.GetValue(null)?.ToString() ?? "of unknown version";
        var there = loaded.Select(LoadedVersion).FirstOrDefault(version => version is not null);
        return there is null || said.StartsWith(there, StringComparison.Ordinal) ? $"libtorch {said}" : $"libtorch {there} (made for {said})";
    }

    // MAJ.MIN.PATCH in the top three bytes. Null of a libtorch before 2.10, which does not say it, and of another library.
    private static unsafe string? LoadedVersion(nint library)
    {
        if (!NativeLibrary.TryGetExport(library, "aoti_torch_abi_version", out var function)) return null;
        var version = ((delegate* unmanaged<ulong>)function)();
        return $"{version >> 56}.{(version >> 48) & 0xFF}.{(version >> 40) & 0xFF}";
    }

    /// <summary>TorchSharp, and what lies beside it that it refers to.</summary>
    private sealed class Beside(string path) : AssemblyLoadContext("TorchSharp")
    {
        protected override Assembly? Load(AssemblyName name)
        {
            var file = Path.Combine(Path.GetDirectoryName(path)!, name.Name + ".dll");
            return name.Name is { } simple && !simple.StartsWith("System.", StringComparison.Ordinal) && File.Exists(file) ? LoadFromAssemblyPath(file) : null;
        }
    }
}

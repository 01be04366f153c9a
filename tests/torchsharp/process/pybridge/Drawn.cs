using TorchSharp;
using TorchSharp.Modules;
using TorchSharp.PyBridge;
using static TorchSharp.torch;
using static TorchSharp.torch.nn;

namespace Filed;

/// <summary>Has the given tensors under the given paths, and reads and writes them by TorchSharp.PyBridge.</summary>
public sealed class Drawn : Module<string, string, bool, string>
{
    /// <param name="paths">The paths, with a dot before each name but the first.</param>
    /// <param name="tensors">The tensor at each path.</param>
    /// <param name="trained">Whether each tensor is a parameter; the others are buffers.</param>
    public Drawn(string[] paths, Tensor[] tensors, bool[] trained) : base(nameof(Drawn))
    {
        var parts = new Dictionary<string, Part>();
        Module At(string path)
        {
            if (path.Length == 0) return this;
            if (parts.TryGetValue(path, out var found)) return found;
            var (outer, name) = Split(path);
            var part = parts[path] = new Part();
            At(outer).register_module(name, part);
            return part;
        }

        for (var at = 0; at < paths.Length; at++)
        {
            var (outer, name) = Split(paths[at]);
            if (trained[at]) At(outer).register_parameter(name, new Parameter(tensors[at]));
            else At(outer).register_buffer(name, tensors[at]);
        }
    }

    /// <summary>Reads or writes a file, and returns the paths that were read, in the order of the alphabet.</summary>
    /// <param name="what">The method of TorchSharp.PyBridge.</param>
    /// <param name="path">The file.</param>
    /// <param name="strict">Whether all paths must be there.</param>
    public override string forward(string what, string path, bool strict)
    {
        var read = new Dictionary<string, bool>();
        _ = what switch
        {
            "load_py" => this.load_py(path, strict, loadedParameters: read),
            "load_safetensors" => this.load_safetensors(path, strict, loadedParameters: read),
            "save_py" => this.save_py(path),
            "save_safetensors" => this.save_safetensors(path),
            _ => throw new ArgumentException(what),
        };
        return string.Join('\n', read.Where(item => item.Value).Select(item => item.Key).Order(StringComparer.Ordinal));
    }

    private static (string Outer, string Name) Split(string path) =>
        path.LastIndexOf('.') is >= 0 and var dot ? (path[..dot], path[(dot + 1)..]) : ("", path);

    private sealed class Part : Module<Tensor, Tensor>
    {
        public Part() : base(nameof(Part))
        {
        }

        public override Tensor forward(Tensor input) => input;
    }
}

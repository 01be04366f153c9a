using TorchSharp;

namespace Bridge.Torch;

/// <summary>The description of a loaded TorchScript module, from Python.</summary>
/// <param name="parts">The module's parts: see <c>bridge.mirror.scripts</c>.</param>
/// <param name="replacesTensors">Whether code of the loaded module replaces tensors instead of writing to them.</param>
internal sealed class ScriptDescription(object?[] parts, bool replacesTensors)
{
    internal long Number => (long)parts[0]!;

    internal string Name => (string)parts[1]!;

    internal bool IsTraining => (bool)parts[2]!;

    /// <summary>Gets the parameters of <c>forward</c>.</summary>
    internal ForwardParameter[] Inputs =>
        Items(3).Select(item => new ForwardParameter((string)item[0]!, (bool)item[1]!, item[2])).ToArray();

    /// <summary>Gets the number of results of <c>forward</c>; a tuple counts as one.</summary>
    internal int Outputs => checked((int)(long)parts[4]!);

    internal IEnumerable<(string Name, torch.Tensor Tensor)> Parameters =>
        Items(5).Select(item => ((string)item[0]!, (torch.Tensor)item[1]!));

    internal IEnumerable<(string Name, torch.Tensor Tensor, bool IsPersistent)> Buffers =>
        Items(6).Select(item => ((string)item[0]!, (torch.Tensor)item[1]!, (bool)item[2]!));

    internal IEnumerable<(string Name, ScriptDescription Module)> Children =>
        Items(7).Select(item => ((string)item[0]!, new ScriptDescription((object?[])item[1]!, replacesTensors)));

    internal bool ReplacesTensors => replacesTensors;

    /// <exception cref="FileNotFoundException">There is no such file.</exception>
    internal static ScriptDescription Load(string filename, torch.Device device)
    {
        ArgumentNullException.ThrowIfNull(filename);
        ArgumentNullException.ThrowIfNull(device);
        var scripts = PythonScripts.Require("torch.jit.load");
        if (!File.Exists(filename)) throw new FileNotFoundException(filename, filename);
        return Of(scripts.Run("load", Path.GetFullPath(filename), device.ToString()));
    }

    internal static ScriptDescription Load(byte[] bytes, torch.Device device)
    {
        ArgumentNullException.ThrowIfNull(bytes);
        ArgumentNullException.ThrowIfNull(device);
        var scripts = PythonScripts.Require("torch.jit.load");
        using var data = torch.tensor(bytes, torch.uint8);
        return Of(scripts.Run("load_bytes", data, device.ToString()));
    }

    private static ScriptDescription Of(object? loaded) => loaded is object?[] and [bool replaces, object?[] parts]
        ? new(parts, replaces) : throw new InvalidOperationException("Python described no TorchScript module.");

    private IEnumerable<object?[]> Items(int part) => ((object?[])parts[part]!).Cast<object?[]>();
}

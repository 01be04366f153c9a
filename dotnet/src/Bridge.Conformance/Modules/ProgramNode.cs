using System.Text.Json;
using TorchSharp;
using Parameter = TorchSharp.Modules.Parameter;

namespace Bridge.Conformance.Modules;

/// <summary>A node of a program's tree: its JSON and its recorder.</summary>
/// <param name="recorder">Records the calls of <c>forward</c>.</param>
/// <param name="json">The JSON.</param>
public sealed partial class ProgramNode(IProgramRecorder recorder, JsonElement json)
{
    /// <summary>Gets the node's JSON.</summary>
    internal JsonElement Json => json;

    /// <summary>Gets the recorder of the module's calls.</summary>
    internal IProgramRecorder Recorder => recorder;

    /// <summary>Returns a string of the node.</summary>
    internal string Text(string name, string otherwise) => json.TryGetProperty(name, out var found) ? found.GetString()! : otherwise;

    /// <summary>Creates a constant of the module: a buffer, or a parameter if the node has <c>parameters</c>.</summary>
    /// <param name="name">The field of the node with its value.</param>
    /// <param name="otherwise">The value if there is no such field.</param>
    internal torch.Tensor Constant(string name, double otherwise)
    {
        var number = json.TryGetProperty(name, out var found) ? found.GetDouble() : otherwise;
        var value = torch.tensor([number], torch.float64, recorder.Device);
        return json.TryGetProperty("parameters", out var parameters) && parameters.GetBoolean() ? new Parameter(value) : value;
    }

    /// <summary>Records that <c>forward</c> of the module begins.</summary>
    internal void Enter(torch.nn.Module module, params object?[] args) => recorder.OnForward(module, args, []);

    /// <summary>Records the same for a module with keyword arguments; those that were not given are null.</summary>
    internal void Enter(torch.nn.Module module, object?[] args, params (string, object?)[] kwargs) =>
        recorder.OnForward(module, args, kwargs.Where(item => item.Item2 is not null).ToArray());
}

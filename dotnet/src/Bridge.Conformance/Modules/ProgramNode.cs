using System.Text.Json;
using TorchSharp;
using Parameter = TorchSharp.Modules.Parameter;

namespace Bridge.Conformance.Modules;

/// <summary>A node of a hook program's module tree: its JSON, and the recorder of the module's calls.</summary>
/// <param name="recorder">Records the calls of <c>forward</c>.</param>
/// <param name="json">The JSON.</param>
public sealed partial class ProgramNode(IProgramRecorder recorder, JsonElement json)
{
    internal JsonElement Json => json;

    internal IProgramRecorder Recorder => recorder;

    internal string Text(string name, string otherwise) => json.TryGetProperty(name, out var found) ? found.GetString()! : otherwise;

    /// <summary>Creates the tensor of a buffer, or a parameter if the node's field <c>parameters</c> is true.</summary>
    /// <param name="name">The field of the node that has the value.</param>
    /// <param name="otherwise">The value if the node has no such field.</param>
    internal torch.Tensor Constant(string name, double otherwise)
    {
        var number = json.TryGetProperty(name, out var found) ? found.GetDouble() : otherwise;
        var value = torch.tensor([number], torch.float64, recorder.Device);
        return json.TryGetProperty("parameters", out var parameters) && parameters.GetBoolean() ? new Parameter(value) : value;
    }

    /// <summary>Records that <c>forward</c> of the module begins.</summary>
    internal void Enter(torch.nn.Module module, params object?[] args) => recorder.OnForward(module, args, []);

    /// <summary>Records that <c>forward</c> of a module with keyword arguments begins. Omits keyword arguments that are null.</summary>
    internal void Enter(torch.nn.Module module, object?[] args, params (string, object?)[] kwargs) =>
        recorder.OnForward(module, args, kwargs.Where(item => item.Item2 is not null).ToArray());
}

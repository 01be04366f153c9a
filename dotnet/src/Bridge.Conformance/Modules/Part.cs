using System.Text.Json;
using TorchSharp;
using Parameter = TorchSharp.Modules.Parameter;

namespace Bridge.Conformance.Modules;

/// <summary>What every node of a program's tree has: its JSON and its recorder.</summary>
/// <param name="recorder">Records that a <c>forward</c> begins.</param>
/// <param name="node">The node.</param>
public sealed partial class Part(IRecorder recorder, JsonElement node)
{
    /// <summary>The node's JSON.</summary>
    internal JsonElement Node => node;

    /// <summary>Records what the module does.</summary>
    internal IRecorder Recorder => recorder;

    /// <summary>A text of the node.</summary>
    internal string Text(string name, string otherwise) => node.TryGetProperty(name, out var found) ? found.GetString()! : otherwise;

    /// <summary>A constant of the module: a buffer, or a parameter if the node says so.</summary>
    /// <param name="name">The field of the node that has its value.</param>
    /// <param name="otherwise">The value if the node has none.</param>
    internal torch.Tensor Constant(string name, double otherwise)
    {
        var value = torch.tensor([node.TryGetProperty(name, out var found) ? found.GetDouble() : otherwise], torch.float64, recorder.Device);
        return node.TryGetProperty("parameters", out var parameters) && parameters.GetBoolean() ? new Parameter(value) : value;
    }

    /// <summary>The module's <c>forward</c> begins.</summary>
    internal void Enter(torch.nn.Module module, params object?[] args) => recorder.Entered(module, args, []);

    /// <summary>The same for a module that takes arguments by name; those that were not given are null.</summary>
    internal void Enter(torch.nn.Module module, object?[] args, params (string, object?)[] kwargs) =>
        recorder.Entered(module, args, kwargs.Where(item => item.Item2 is not null).ToArray());
}

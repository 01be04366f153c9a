using System.Text.Json;
using TorchSharp;

namespace Bridge.Conformance.Modules;

/// <summary>Records that a <c>forward</c> begins, and registers hooks: the Python session behind mirrors, or an interpreter in C#.</summary>
public interface IRecorder
{
    /// <summary>Where constants are made.</summary>
    torch.Device Device { get; }

    /// <summary>A module of a kind that only this library has as programs want it; null where it has none, too.</summary>
    torch.nn.Module? Own(string kind, Part part, bool typed) => null;

    /// <summary>A module was made: it has an id from now on and its path is the tree's.</summary>
    void Made(torch.nn.Module module);

    /// <summary>A module's <c>forward</c> begins.</summary>
    /// <param name="module">The module.</param>
    /// <param name="args">Its arguments.</param>
    /// <param name="kwargs">Those that were given by name.</param>
    void Entered(torch.nn.Module module, IReadOnlyList<object?> args, IReadOnlyList<(string Name, object? Value)> kwargs);

    /// <summary>A module's <c>forward</c> registers a hook (the fields of the step <c>register</c>).</summary>
    void Register(JsonElement registration);
}

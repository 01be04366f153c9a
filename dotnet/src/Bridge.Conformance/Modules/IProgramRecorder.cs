using System.Text.Json;
using TorchSharp;

namespace Bridge.Conformance.Modules;

/// <summary>Records calls of <c>forward</c> and registers hooks, for the interpreter of hook programs in Python or in C#.</summary>
public interface IProgramRecorder
{
    /// <summary>Gets the device of the modules' parameters and buffers.</summary>
    torch.Device Device { get; }

    /// <summary>Creates a module of a kind that <see cref="ModuleBuilder"/> lacks; returns null for an unknown kind.</summary>
    torch.nn.Module? CreateSpecial(string kind, ProgramNode node, bool typed) => null;

    /// <summary>Called after a module was created.</summary>
    void OnCreated(torch.nn.Module module);

    /// <summary>Called when a module's <c>forward</c> begins.</summary>
    /// <param name="module">The module.</param>
    /// <param name="args">The positional arguments.</param>
    /// <param name="kwargs">The keyword arguments.</param>
    void OnForward(torch.nn.Module module, IReadOnlyList<object?> args, IReadOnlyList<(string Name, object? Value)> kwargs);

    /// <summary>Registers a hook during a module's <c>forward</c>. The argument has the fields of the step <c>register</c>.</summary>
    void Register(JsonElement registration);
}

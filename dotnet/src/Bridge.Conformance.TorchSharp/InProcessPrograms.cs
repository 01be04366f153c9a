using System.Text.Json;
using Bridge.Conformance.Modules;
using Bridge.Conformance.Worlds;
using TorchSharp;

namespace Bridge.Conformance;

/// <summary>
/// Runs hook programs in Python's process (<c>bridge/runtimes/in_process</c>): builds the modules of programs for the interpreter in
/// Python, and runs programs with the interpreter in C#.
/// </summary>
public static class InProcessPrograms
{
    private static Action<object?[]> _python = _ => throw new InvalidOperationException("Python is not connected.");

    /// <summary>Sets the function of Python that the modules call.</summary>
    /// <param name="python">
    /// Called when a <c>forward</c> begins, with <c>enter</c>, the module, the arguments, and two arrays: the keyword arguments' names, and
    /// their values. Called to register a hook, with <c>register</c> and the registration as JSON.
    /// </param>
    /// <param name="_">Not used.</param>
    public static void Connect(Action<object?[]> python, string[] _) => _python = python;

    /// <summary>Runs a program with the interpreter in C#.</summary>
    /// <param name="python">Called with <c>answer</c> and the result of <see cref="TorchSharpPrograms.Run"/>.</param>
    /// <param name="given">The mode, the form and the program, as for <see cref="TorchSharpPrograms.Run"/>.</param>
    public static void Run(Action<object?[]> python, string[] given) =>
        python(["answer", TorchSharpPrograms.Run(given[0], given[1], [], given[2])]);

    /// <summary>Builds a module tree with static types, for <c>bridge.load</c>.</summary>
    /// <param name="tree">The tree as JSON.</param>
    /// <param name="device">The device of the modules' parameters and buffers.</param>
    /// <exception cref="NotSupportedException">The tree does not fit C#'s static types (F-2), or a kind in it is unknown.</exception>
    public static torch.nn.Module Typed(string tree, string device) => Build(tree, device, typed: true);

    /// <summary>Builds a module tree whose arguments and results are declared as <c>object</c>, for <c>bridge.load</c>.</summary>
    /// <inheritdoc cref="Typed"/>
    public static torch.nn.Module OverObject(string tree, string device) => Build(tree, device, typed: false);

    private static torch.nn.Module Build(string tree, string device, bool typed)
    {
        using var json = JsonDocument.Parse(tree);
        return new ModuleBuilder(new Recorder(device), typed).Build(json.RootElement.Clone());
    }

    private sealed class Recorder(string device) : IProgramRecorder
    {
        public torch.Device Device { get; } = new(device);

        public torch.nn.Module? CreateSpecial(string kind, ProgramNode node, bool typed) =>
            kind != "encoder" ? null : typed ? new Encoder<torch.Tensor>() : new Encoder<object?>();

        public void OnCreated(torch.nn.Module module)
        {
        }

        public void OnForward(torch.nn.Module module, IReadOnlyList<object?> args, IReadOnlyList<(string Name, object? Value)> kwargs) =>
            _python([
                "enter", module, args.ToArray(), kwargs.Select(item => (object?)item.Name).ToArray(),
                kwargs.Select(item => item.Value).ToArray(),
            ]);

        public void Register(JsonElement registration) => _python(["register", registration.GetRawText()]);
    }
}

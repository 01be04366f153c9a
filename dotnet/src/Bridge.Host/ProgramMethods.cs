using System.Reflection;
using System.Text.Json;
using Bridge.Interop;

namespace Bridge.Host;

/// <summary>The method that runs hook programs (docs/programs.md) on the chosen library.</summary>
internal static class ProgramMethods
{
    private const string InterpreterAssembly = "Bridge.Conformance.TorchSharp";

    /// <summary>
    /// Runs a program. <c>mode</c>, <c>form</c>, <c>actions</c> and <c>program</c> are the arguments of <c>TorchSharpPrograms.Run</c>, and
    /// <c>answer</c> is its result.
    /// </summary>
    internal static void Run(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        var library = session.Library ?? throw new InvalidOperationException("No library was chosen: ask for use_torchsharp first.");
        var run = session.RunProgram ??= Bind(library);
        var actions = given.GetProperty("actions").EnumerateArray().Select(name => name.GetString()!).ToArray();
        var (mode, form) = (given.GetProperty("mode").GetString()!, given.GetProperty("form").GetString()!);
        result.WriteString("answer", run(mode, form, actions, given.GetProperty("program").GetString()!));
    }

    // The interpreter is loaded like a model, because it is compiled against TorchSharp and needs the chosen library.
    private static Func<string, string, IReadOnlyCollection<string>, string, string> Bind(ModelLibrary library)
    {
        var file = Path.Combine(AppContext.BaseDirectory, InterpreterAssembly + ".dll");
        var assembly = TorchSharpAssemblyContext.Open(file, library.Assembly);
        var programs = assembly.GetType("Bridge.Conformance.TorchSharpPrograms", throwOnError: true)!;
        var run = programs.GetMethod("Run", BindingFlags.Public | BindingFlags.Static)!;
        return run.CreateDelegate<Func<string, string, IReadOnlyCollection<string>, string, string>>();
    }
}

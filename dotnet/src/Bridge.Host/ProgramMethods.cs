using System.Reflection;
using System.Text.Json;

namespace Bridge.Host;

/// <summary>Runs hook programs on what models run on here, by Bridge.Conformance.TorchSharp, which lies beside this program.</summary>
internal static class ProgramMethods
{
    private const string Library = "Bridge.Conformance.TorchSharp";

    /// <summary>One program: <c>mode</c>, <c>form</c>, <c>actions</c> and <c>program</c>, a text, as <c>TorchSharpPrograms.Run</c> takes them. Gives its <c>answer</c>.</summary>
    internal static void Run(JsonElement given, Session session, Utf8JsonWriter result)
    {
        var run = session.Programs ??= Bind(session.Library ?? throw new InvalidOperationException("No TorchSharp was chosen: ask for use_torchsharp first."));
        var actions = given.GetProperty("actions").EnumerateArray().Select(name => name.GetString()!).ToArray();
        result.WriteString("answer", run(given.GetProperty("mode").GetString()!, given.GetProperty("form").GetString()!, actions, given.GetProperty("program").GetString()!));
    }

    // It is compiled against TorchSharp's members, and has this process's TorchSharp as a model has it.
    private static Func<string, string, IReadOnlyCollection<string>, string, string> Bind(ModelLibrary library)
    {
        var file = Path.Combine(AppContext.BaseDirectory, Library + ".dll");
        var programs = ModelContext.Open(file, library).GetType("Bridge.Conformance.TorchSharpPrograms", throwOnError: true)!;
        return programs.GetMethod("Run", BindingFlags.Public | BindingFlags.Static)!.CreateDelegate<Func<string, string, IReadOnlyCollection<string>, string, string>>();
    }
}

using System.Text.Json;

namespace Bridge.Host;

/// <summary>A method that Python calls by name. Its exception becomes Python's, with type, message and stack trace.</summary>
/// <param name="given">The arguments of the request, an object.</param>
/// <param name="session">The state of this process.</param>
/// <param name="result">Writes the members of the answer's <c>result</c>.</param>
internal delegate void Method(JsonElement given, HostSession session, Utf8JsonWriter result);

/// <summary>All methods by name. To add one, add a line here; Python calls it by <c>Host.ask(name, …)</c>.</summary>
internal static class Methods
{
    internal static readonly Dictionary<string, Method> All = new()
    {
        ["ping"] = static (_, _, _) => { },
        ["end"] = static (_, _, _) => { },
        ["describe"] = LibraryMethods.Describe,
        ["operators"] = LibraryMethods.Operators,
        ["use_torchsharp"] = LibraryMethods.UseTorchSharp,
        ["use_bridge_torch"] = LibraryMethods.UseBridgeTorch,
        ["load"] = ModelMethods.Load,
        ["call"] = ModelMethods.Call,
        ["take"] = ModelMethods.Take,
        ["free"] = static (_, session, result) => session.Memory.WriteFree(result),
        ["program"] = ProgramMethods.Run,
    };
}

using System.Text.Json;

namespace Bridge.Host;

/// <summary>A method that Python calls by name. If it throws, Python raises an error with the type name, message and stack.</summary>
/// <param name="given">The arguments of the request, as a JSON object.</param>
/// <param name="session">The state of this process.</param>
/// <param name="result">Writes the members of the answer's <c>result</c>.</param>
internal delegate void Method(JsonElement given, HostSession session, Utf8JsonWriter result);

/// <summary>All methods by name. Python calls them by <c>ask(name, …)</c> of <c>bridge/torchsharp/process/requests.py</c>.</summary>
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
        ["new"] = ObjectMethods.Create,
        ["hold"] = ObjectMethods.Hold,
        ["object"] = ObjectMethods.Use,
        ["take"] = ModelMethods.Take,
        ["free"] = static (_, session, result) => session.Memory.WriteFree(result),
        ["program"] = ProgramMethods.Run,
    };
}

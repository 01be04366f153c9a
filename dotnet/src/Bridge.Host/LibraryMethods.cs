using System.Text.Json;
using Bridge.TorchSharp;

namespace Bridge.Host;

/// <summary>The methods that describe assemblies named TorchSharp, list operators, and choose the library that models run on.</summary>
internal static class LibraryMethods
{
    /// <summary>
    /// Describes the assemblies at the paths <c>files</c>. Writes <c>files</c>, an array of objects with <c>kind</c>, <c>version</c>,
    /// <c>title</c>, <c>runs</c> (whether models can run on the assembly) and <c>references</c> (versions by assembly name).
    /// </summary>
    internal static void Describe(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        result.WriteStartArray("files");
        foreach (var path in given.GetProperty("files").EnumerateArray())
        {
            var file = LibraryFile.Read(path.GetString()!);
            result.WriteStartObject();
            result.WriteString("kind", file.Kind.ToString());
            result.WriteString("version", file.Version);
            result.WriteString("title", file.Title);
            result.WriteBoolean("runs", file.Runs);
            result.WriteStartObject("references");
            foreach (var (name, version) in LibraryFile.References(path.GetString()!)) result.WriteString(name, version);
            result.WriteEndObject();
            result.WriteEndObject();
        }

        result.WriteEndArray();
    }

    /// <summary>Writes <c>operators</c>: the names of the operators whose schemas Bridge.Torch needs.</summary>
    internal static void Operators(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        result.WriteStartArray("operators");
        foreach (var name in Torch.Runtime.Operators) result.WriteStringValue(name);
        result.WriteEndArray();
    }

    /// <summary>
    /// Loads the native <c>libraries</c> in order, then chooses the TorchSharp at <c>path</c>. Writes TorchSharp's <c>title</c>.
    /// </summary>
    internal static void UseTorchSharp(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        var libraries = given.GetProperty("libraries").EnumerateArray().Select(path => path.GetString()!).ToArray();
        session.SetLibrary(ModelLibrary.TorchSharp(given.GetProperty("path").GetString()!, libraries));
        result.WriteString("title", session.Library!.Title);
    }

    /// <summary>
    /// Chooses Bridge.Torch, with the native library at the path <c>libtorch</c>. The text <c>schemas</c> has the schemas of this library's
    /// operators. Writes Bridge.Torch's <c>title</c>.
    /// </summary>
    internal static void UseBridgeTorch(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        session.SetLibrary(ModelLibrary.BridgeTorch(given.GetProperty("libtorch").GetString()!, given.GetProperty("schemas").GetString()!));
        result.WriteString("title", session.Library!.Title);
    }
}

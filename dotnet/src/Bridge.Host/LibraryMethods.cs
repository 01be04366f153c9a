using System.Text.Json;
using Bridge.TorchSharp;

namespace Bridge.Host;

/// <summary>Which TorchSharp there is, and which one models run on here.</summary>
internal static class LibraryMethods
{
    /// <summary>
    /// <c>files</c>: for each of these paths <c>kind</c>, <c>version</c>, <c>title</c>, whether it <c>runs</c>, and what it <c>references</c>, by name with version.
    /// </summary>
    internal static void Describe(JsonElement given, Session session, Utf8JsonWriter result)
    {
        result.WriteStartArray("files");
        foreach (var path in given.GetProperty("files").EnumerateArray())
        {
            var file = LibraryFile.Of(path.GetString()!);
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

    /// <summary><c>operators</c>: those whose schemas Bridge.Torch needs.</summary>
    internal static void Operators(JsonElement given, Session session, Utf8JsonWriter result)
    {
        result.WriteStartArray("operators");
        foreach (var name in Torch.Runtime.Operators) result.WriteStringValue(name);
        result.WriteEndArray();
    }

    /// <summary>
    /// Models run on the TorchSharp of <c>path</c> from now on. <c>libraries</c> are native ones to load first, in this order. Gives <c>title</c>.
    /// </summary>
    internal static void UseTorchSharp(JsonElement given, Session session, Utf8JsonWriter result)
    {
        var libraries = given.GetProperty("libraries").EnumerateArray().Select(path => path.GetString()!).ToArray();
        session.Use(ModelLibrary.TorchSharp(given.GetProperty("path").GetString()!, libraries));
        result.WriteString("title", session.Library!.Title);
    }

    /// <summary>Models run on Bridge.Torch from now on, with the library file <c>libtorch</c> and its <c>schemas</c>. Gives <c>title</c>.</summary>
    internal static void UseBridgeTorch(JsonElement given, Session session, Utf8JsonWriter result)
    {
        session.Use(ModelLibrary.BridgeTorch(given.GetProperty("libtorch").GetString()!, given.GetProperty("schemas").GetString()!));
        result.WriteString("title", session.Library!.Title);
    }
}

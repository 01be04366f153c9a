using System.Reflection;
using System.Text.Json;
using Bridge.Interop;

namespace Bridge.Host;

/// <summary>What Python gets of an exception.</summary>
internal static class Thrown
{
    /// <summary>Writes it as an object: <c>kind</c>, which says what Python raises, <c>type</c>, <c>message</c> and <c>stack</c>.</summary>
    internal static void Write(Utf8JsonWriter json, Exception exception)
    {
        // What reflection called has thrown it; the last one that is not reflection's own.
        while (exception is TargetInvocationException or TypeInitializationException && exception.InnerException is { } inner) exception = inner;
        json.WriteStartObject();
        json.WriteString("kind", FailureKind.Of(exception));
        json.WriteString("type", ExceptionText.Type(exception));
        json.WriteString("message", ExceptionText.Message(exception));
        json.WriteString("stack", ExceptionText.Stack(exception));
        json.WriteEndObject();
    }
}

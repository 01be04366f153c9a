using System.Reflection;
using System.Text.Json;
using Bridge.Interop;

namespace Bridge.Host;

/// <summary>Describes an exception for Python.</summary>
internal static class ExceptionReport
{
    /// <summary>Writes an object with <c>kind</c>, which selects Python's class, <c>type</c>, <c>message</c> and <c>stack</c>.</summary>
    internal static void Write(Utf8JsonWriter json, Exception exception)
    {
        // Reflection and static constructors wrap the exceptions of the code that they call.
        while (exception is TargetInvocationException or TypeInitializationException && exception.InnerException is { } inner)
            exception = inner;
        json.WriteStartObject();
        json.WriteString("kind", ExceptionKind.Classify(exception));
        json.WriteString("type", ExceptionText.Type(exception));
        json.WriteString("message", ExceptionText.Message(exception));
        json.WriteString("stack", ExceptionText.Stack(exception));
        json.WriteEndObject();
    }
}

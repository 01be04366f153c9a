using System.Reflection;
using System.Text.Json;
using Bridge.Interop;

namespace Bridge.Host;

/// <summary>Describes an exception for Python.</summary>
internal static class ExceptionReport
{
    /// <summary>Writes an object with <c>kind</c> (the kind of Python error), <c>type</c>, <c>message</c> and <c>stack</c>.</summary>
    internal static void Write(Utf8JsonWriter json, Exception exception)
    {
        // .NET wraps the exceptions of methods called by reflection and of static constructors.
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

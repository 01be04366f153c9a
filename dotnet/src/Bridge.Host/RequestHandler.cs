using System.Text.Json;

namespace Bridge.Host;

/// <summary>Handles the requests of Python: parses a line, calls the method and writes the answer.</summary>
internal static class RequestHandler
{
    /// <summary>Handles a request. Returns false after the request <c>end</c>.</summary>
    internal static bool Handle(ReadOnlyMemory<byte> line, MessagePipes pipes, HostSession session)
    {
        using var request = JsonDocument.Parse(line);
        var id = request.RootElement.GetProperty("id").GetInt64();
        var name = request.RootElement.GetProperty("method").GetString()!;
        var failure = Invoke(name, request.RootElement.GetProperty("with"), session);
        pipes.Write(json =>
        {
            json.WriteNumber("id", id);
            if (failure is null)
            {
                json.WritePropertyName("result");
                json.WriteRawValue(session.Result.WrittenSpan, skipInputValidation: true);
            }
            else
            {
                json.WritePropertyName("error");
                ExceptionReport.Write(json, failure);
            }
        });
        NativeMemoryUse.CollectAfterAnswer(session.Memory);
        return name != "end";
    }

    // The result has its own buffer, because a method may throw after it has begun to write its result.
    private static Exception? Invoke(string name, JsonElement given, HostSession session)
    {
        session.Result.ResetWrittenCount();
        try
        {
            using var result = new Utf8JsonWriter(session.Result);
            result.WriteStartObject();
            if (!Methods.All.TryGetValue(name, out var method)) throw new MissingMethodException($"Bridge.Host has no method '{name}'.");
            session.Memory.ApplyChanges(given);
            session.Drop(given);
            method(given, session, result);
            result.WriteEndObject();
            return null;
        }
        catch (Exception exception)
        {
            return exception;
        }
        finally
        {
            session.Memory.EndRequest();
        }
    }
}

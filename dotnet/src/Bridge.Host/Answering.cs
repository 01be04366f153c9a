using System.Text.Json;

namespace Bridge.Host;

/// <summary>From a line with a request to one with its answer.</summary>
internal static class Answering
{
    /// <summary>Answers one request.</summary>
    /// <returns>Whether another may come: not behind <c>end</c>.</returns>
    internal static bool Answer(ReadOnlyMemory<byte> line, Lines lines, Session session)
    {
        using var request = JsonDocument.Parse(line);
        var id = request.RootElement.GetProperty("id").GetInt64();
        var name = request.RootElement.GetProperty("method").GetString()!;
        session.Request = id;
        var failure = Run(name, request.RootElement.GetProperty("with"), session);
        lines.Write(json =>
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
                Thrown.Write(json, failure);
            }
        });
        NativeMemoryUse.Answered(session.Memory);
        return name != "end";
    }

    // The result is written into memory of its own: a method may write progress meanwhile, and one that fails leaves half of it.
    private static Exception? Run(string name, JsonElement given, Session session)
    {
        session.Result.ResetWrittenCount();
        try
        {
            using var result = new Utf8JsonWriter(session.Result);
            result.WriteStartObject();
            if (!Methods.All.TryGetValue(name, out var method)) throw new MissingMethodException($"Bridge.Host has no method '{name}'.");
            session.Memory.Follow(given);
            session.Forget(given);
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
            session.Memory.End();
        }
    }
}

using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance;

/// <summary>Runs hook programs that are given as JSON and returns their traces as JSON.</summary>
internal static class ProgramRun
{
    private static readonly JsonSerializerOptions Plain = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Runs a program, which Python has validated. Throws nothing. <c>HookPrograms.Run</c> documents the result.</summary>
    internal static string Answer(string program, Func<IWorld> world)
    {
        try
        {
            using var document = JsonDocument.Parse(program);
            return Run(document.RootElement, world).ToJsonString(Plain);
        }
        catch (ForbiddenException exception)
        {
            return new JsonObject { ["forbidden"] = exception.Message }.ToJsonString(Plain);
        }
        catch (Exception exception)
        {
            var text = exception is DefectException ? exception.Message : exception.ToString();
            return new JsonObject { ["defect"] = text }.ToJsonString(Plain);
        }
    }

    private static JsonArray Run(JsonElement program, Func<IWorld> make)
    {
        if (program.Flag("identity")) throw new DefectException("identity is not supported");
        using var world = make();
        using var session = new ProgramSession(world, program.Need("tree"));
        new Interpreter(session).Run(program.Need("steps"));
        return session.Events;
    }
}

using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance;

/// <summary>One program over one world, as text in and text out.</summary>
internal static class ProgramRun
{
    private static readonly JsonSerializerOptions Plain = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>Runs a program, which Python has validated. Nothing is thrown.</summary>
    /// <param name="program">The program as JSON.</param>
    /// <param name="world">Makes the world.</param>
    /// <returns>The trace, a JSON list; or an object with <c>defect</c> or <c>forbidden</c>, as <see cref="HookPrograms.Run"/> has it.</returns>
    internal static string Answer(string program, Func<IWorld> world)
    {
        try
        {
            using var document = JsonDocument.Parse(program);
            return Run(document.RootElement, world).ToJsonString(Plain);
        }
        catch (Forbidden exception)
        {
            return new JsonObject { ["forbidden"] = exception.Message }.ToJsonString(Plain);
        }
        catch (Exception exception)
        {
            return new JsonObject { ["defect"] = exception is Defect ? exception.Message : exception.ToString() }.ToJsonString(Plain);
        }
    }

    private static JsonArray Run(JsonElement program, Func<IWorld> make)
    {
        if (program.Flag("identity")) throw new Defect("identity");
        using var world = make();
        using var session = new Session(world, program.Need("tree"));
        new Interpreter(session).Run(program.Need("steps"));
        return session.Events;
    }
}

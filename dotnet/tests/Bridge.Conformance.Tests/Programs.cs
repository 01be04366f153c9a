using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance.Tests;

/// <summary>Runs programs over Bridge.Hooks and abbreviates their traces.</summary>
internal static class Programs
{
    /// <summary>Returns a program as JSON, from steps and a tree with single quotes.</summary>
    internal static string Program(string steps, string tree = "{'kind': 'leaf'}") =>
        $"{{'name': 'p', 'clauses': [], 'about': '', 'tree': {tree}, 'steps': [{steps}]}}".Replace('\'', '"');

    /// <summary>Returns the events of a program, each by <see cref="Short"/>.</summary>
    internal static string[] Events(string steps, string tree = "{'kind': 'leaf'}") =>
        Trace(steps, tree).Select(item => Short((JsonObject)item!)).ToArray();

    /// <summary>Returns the trace of a supported program.</summary>
    internal static JsonArray Trace(string steps, string tree = "{'kind': 'leaf'}")
    {
        var answer = HookPrograms.Run("hooks", Program(steps, tree));
        return JsonNode.Parse(answer) as JsonArray ?? throw new InvalidOperationException(answer);
    }

    /// <summary>Returns why a program is not supported.</summary>
    internal static string Defect(string steps, string tree = "{'kind': 'leaf'}") =>
        DefectOf(HookPrograms.Run("hooks", Program(steps, tree)));

    internal static string DefectOf(string answer)
    {
        var defect = Assert.IsType<JsonObject>(JsonNode.Parse(answer));
        return defect["defect"]!.GetValue<string>();
    }

    /// <summary>
    /// Abbreviates an event: <c>pre h [3]</c>, <c>enter [3]</c>, <c>forward h [3] 7</c>, <c>return 7</c>, <c>raise Error boom</c>.
    /// </summary>
    internal static string Short(JsonObject happened) => string.Join(
        ' ',
        from name in new[] { "event", "error", "hook", "module", "args", "output", "value", "key", "ranks" }
        where happened.ContainsKey(name)
        let value = happened[name]
        let text = value?.GetValueKind() == JsonValueKind.String ? value.ToString() : value?.ToJsonString() ?? "null"
        where text.Length > 0
        select text);
}

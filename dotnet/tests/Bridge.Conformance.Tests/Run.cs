using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance.Tests;

/// <summary>Programs over Bridge.Hooks, and their traces in short.</summary>
internal static class Run
{
    /// <summary>A program over one leaf unless another tree is given; quotes are single ones.</summary>
    internal static string Program(string steps, string tree = "{'kind': 'leaf'}") =>
        $"{{'name': 'p', 'clauses': [], 'about': '', 'tree': {tree}, 'steps': [{steps}]}}".Replace('\'', '"');

    /// <summary>The events of a program, each by <see cref="Short"/>.</summary>
    internal static string[] Events(string steps, string tree = "{'kind': 'leaf'}") =>
        Trace(steps, tree).Select(item => Short((JsonObject)item!)).ToArray();

    /// <summary>The trace of a program that can be run.</summary>
    internal static JsonArray Trace(string steps, string tree = "{'kind': 'leaf'}") =>
        JsonNode.Parse(HookPrograms.Run("hooks", Program(steps, tree))) as JsonArray ?? throw new InvalidOperationException(Defect(steps, tree));

    /// <summary>Why a program could not be run.</summary>
    internal static string Defect(string steps, string tree = "{'kind': 'leaf'}") => DefectOf(HookPrograms.Run("hooks", Program(steps, tree)));

    internal static string DefectOf(string answer)
    {
        var defect = Assert.IsType<JsonObject>(JsonNode.Parse(answer));
        return defect["defect"]!.GetValue<string>();
    }

    /// <summary><c>pre h [3]</c>, <c>enter [3]</c>, <c>forward h [3] 7</c>, <c>return 7</c>, <c>raise Error boom</c>.</summary>
    internal static string Short(JsonObject happened) => string.Join(
        ' ',
        from name in new[] { "event", "error", "hook", "module", "args", "output", "value", "key", "ranks" }
        where happened.ContainsKey(name)
        let value = happened[name]
        let text = value?.GetValueKind() == JsonValueKind.String ? value.ToString() : value?.ToJsonString() ?? "null"
        where text.Length > 0
        select text);
}

using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Hooks;

namespace Bridge.Conformance.Tests;

/// <summary>
/// Programs on TorchSharp's modules, with its own hooks and with the registry's. tests/runtimes/torchsharp runs the corpus.
/// </summary>
public class TorchSharpProgramsTests
{
    private const string Leaf = "{'kind': 'leaf'}";
    private const string Abc =
        """
        {'do': 'register', 'hook': 'a', 'kind': 'pre'}, {'do': 'register', 'hook': 'b', 'kind': 'pre'},
        {'do': 'register', 'hook': 'c', 'kind': 'pre'}
        """;

    [Theory]
    [InlineData("torchsharp", "pre a", "pre d", "pre c")] // TS-3
    [InlineData("torchsharp+bridge", "pre a", "pre c", "pre d")] // O-4
    public void AHookThatIsRegisteredAfterARemoval(string mode, params string[] fired) => Assert.Equal(
        [.. fired, "enter", "return 3"],
        Events(mode, Abc + """
            , {'do': 'remove', 'handle': 'b'}, {'do': 'register', 'hook': 'd', 'kind': 'pre'}, {'do': 'call', 'args': [1]}
            """));

    [Theory]
    [InlineData("torchsharp", "pre a", "raise RuntimeError", "pre late", "enter", "return 5")] // TS-4, TS-46
    [InlineData("torchsharp+bridge", "pre a", "enter", "return 3", "pre late", "enter", "return 5")] // D-1a
    public void AHookThatIsAddedInItsOwnPhase(string mode, params string[] events) => Assert.Equal(
        events,
        Events(mode, """
            {'do': 'register', 'hook': 'a', 'kind': 'pre', 'actions': [{'register': {'hook': 'late', 'kind': 'pre'}}, {'remove': 'a'}]},
            {'do': 'try', 'steps': [{'do': 'call', 'args': [1]}]}, {'do': 'call', 'args': [2]}
            """));

    [Theory]
    [InlineData("torchsharp", "pre a", "pre c", "enter", "return 3")] // TS-47
    [InlineData("torchsharp+bridge", "pre a", "pre b", "pre c", "enter", "return 3")] // D-1e
    public void AHookThatIsRemovedByAnEarlierOne(string mode, params string[] events) => Assert.Equal(
        events,
        Events(mode, """
            {'do': 'register', 'hook': 'a', 'kind': 'pre', 'actions': [{'remove': 'b'}]},
            {'do': 'register', 'hook': 'b', 'kind': 'pre'}, {'do': 'register', 'hook': 'c', 'kind': 'pre'}, {'do': 'call', 'args': [1]}
            """));

    [Theory]
    [InlineData("torchsharp", "enter", "forward late", "return 3", "enter", "forward late", "return 3")] // TS-25
    [InlineData("torchsharp+bridge", "enter", "return 3", "enter", "forward late", "return 3")] // C-5
    public void AHookThatForwardRegisters(string mode, params string[] events) => Assert.Equal(
        events,
        Events(mode, "{'do': 'call', 'args': [1], 'times': 2}", "{'kind': 'register', 'register': {'hook': 'late', 'kind': 'forward'}}"));

    [Theory]
    [InlineData("torchsharp")]
    [InlineData("torchsharp+bridge")]
    public void ForwardBypassesTheModulesHooksAndNotItsChildrens(string mode) => Assert.Equal(
        ["enter", "pre child", "enter", "return 3"], // TS-1, C-3
        Events(
            mode,
            """
            {'do': 'register', 'hook': 'own', 'kind': 'pre'}, {'do': 'register', 'hook': 'child', 'kind': 'pre', 'on': 'a'},
            {'do': 'forward', 'args': [1]}
            """,
            "{'kind': 'sequence', 'children': [{'name': 'a', 'kind': 'leaf'}]}"));

    [Fact]
    public void UntypedHooksAreOutermostAndHaveCompleteEvents()
    {
        var trace = Trace("torchsharp", """
            {'do': 'register', 'hook': 'a', 'kind': 'pre', 'actions': [{'add': 1}]}, {'do': 'register', 'hook': 'b', 'kind': 'pre'},
            {'do': 'register', 'hook': 'c', 'kind': 'forward'},
            {'do': 'register', 'hook': 'd', 'kind': 'forward', 'actions': [{'add': 10}]},
            {'do': 'call', 'args': [1]}
            """, actions: ["b", "c"]);
        Assert.Equal(["pre b", "pre a", "enter", "forward d", "forward c", "return 15"], trace.Select(Short)); // TS-2
        Assert.Equal("[1]", trace[0]!["args"]!.ToJsonString());
        Assert.Equal("[2] 15", $"{trace[4]!["args"]!.ToJsonString()} {trace[4]!["output"]!.ToJsonString()}");
    }

    [Fact]
    public void TheRegistryHasGlobalPrependedAndAlwaysCalledHooks() => Assert.Equal(
        ["pre g", "pre first", "pre p", "enter", "forward always", "raise Error"], // G-3, O-2, A-1
        Events(
            "torchsharp+bridge",
            """
            {'do': 'register', 'hook': 'p', 'kind': 'pre'}, {'do': 'register', 'hook': 'first', 'kind': 'pre', 'prepend': true},
            {'do': 'register', 'hook': 'g', 'kind': 'pre', 'global': true},
            {'do': 'register', 'hook': 'no', 'kind': 'forward'},
            {'do': 'register', 'hook': 'always', 'kind': 'forward', 'always_call': true},
            {'do': 'call', 'args': [1]}
            """,
            "{'kind': 'raise'}"));

    [Theory]
    [InlineData("typed", "raise TypeError")]
    [InlineData("object", "return {\"plain\":5}")]
    public void AHookReturnsValuesOfTheDeclaredType(string form, string last)
    {
        const string Steps =
            """
            {'do': 'register', 'hook': 'f', 'kind': 'forward', 'actions': [{'return': {'plain': 5}}]}, {'do': 'call', 'args': [1]}
            """;
        Assert.Equal(last, Short(Trace("torchsharp", Steps, form: form)[^1])); // TS-5
    }

    [Fact]
    public void ATreeThatCannotBeTypedIsForbidden()
    {
        const string Tree =
            "{'kind': 'sequence', 'children': [{'name': 'a', 'kind': 'give', 'form': 'tuple'}, {'name': 'b', 'kind': 'leaf'}]}";
        Assert.Contains("forbidden", Run("torchsharp", "typed", Tree, "{'do': 'call', 'args': [1]}"));
    }

    [Theory]
    [InlineData("moon", "typed", "{'do': 'call'}", "'moon'")]
    [InlineData("torchsharp", "loose", "{'do': 'call'}", "'loose'")]
    [InlineData("torchsharp", "typed", "{'do': 'register', 'hook': 'p', 'kind': 'pre', 'prepend': true}", "TorchSharp has no global hooks")]
    [InlineData("torchsharp", "typed", "{'do': 'register', 'hook': 'p', 'kind': 'pre'}, {'do': 'ids', 'handles': ['p']}", "no id")]
    [InlineData("torchsharp+bridge", "typed", "{'do': 'backward', 'of': 'y'}", "'backward'")]
    public void AnUnsupportedProgramIsADefect(string mode, string form, string steps, string part) =>
        Assert.Contains(part, JsonNode.Parse(Run(mode, form, Leaf, steps))!["defect"]!.GetValue<string>());

    [Fact]
    public void GlobalHooksAreRemovedAfterTheProgram()
    {
        Trace("torchsharp+bridge", "{'do': 'register', 'hook': 'p', 'kind': 'pre', 'global': true}, {'do': 'call', 'args': [1]}");
        Assert.True(GlobalHooks.IsEmpty); // G-3
    }

    private static string[] Events(string mode, string steps, string tree = Leaf)
    {
        var typed = Trace(mode, steps, tree);
        Assert.Equal(typed.ToJsonString(), Trace(mode, steps, tree, form: "object").ToJsonString());
        return [.. typed.Select(Short)];
    }

    private static JsonArray Trace(string mode, string steps, string tree = Leaf, string form = "typed", params string[] actions)
    {
        var answer = Run(mode, form, tree, steps, actions);
        return JsonNode.Parse(answer) as JsonArray ?? throw new InvalidOperationException(answer);
    }

    private static string Run(string mode, string form, string tree, string steps, params string[] actions)
    {
        var program = $"{{'name': 'p', 'clauses': [], 'about': '', 'tree': {tree}, 'steps': [{steps}]}}";
        return TorchSharpPrograms.Run(mode, form, actions, program.Replace('\'', '"'));
    }

    // Abbreviates an event: `pre a`, `enter`, `return 3`, `raise Error`.
    private static string Short(JsonNode? happened) => string.Join(
        ' ',
        from name in new[] { "event", "error", "hook", "value" }
        let value = happened![name]
        where value is not null
        select value.GetValueKind() == JsonValueKind.String ? value.GetValue<string>() : value.ToJsonString());
}

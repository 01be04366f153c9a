namespace Bridge.Conformance.Tests;

/// <summary>Programs that the interpreter does not support are reported, and have no trace.</summary>
public class DefectTests
{
    [Theory]
    [InlineData("{'do': 'backward', 'of': 'y'}", "'backward'")]
    [InlineData("{'do': 'remove'}", "'handle' is missing")]
    [InlineData("{'do': 'call', 'args': [{'vector': [1]}]}", "'vector'")]
    [InlineData("{'do': 'call', 'args': [0.5]}", "not an integer")]
    [InlineData("{'do': 'call', 'args': [9007199254740992]}", "not an integer")]
    [InlineData("{'do': 'call', 'args': [1], 'kwargs': {'scale': 2}}", "kwargs")]
    [InlineData("{'do': 'call', 'module': '@copy', 'args': [1]}", "'@copy'")]
    [InlineData("{'do': 'read', 'name': 'x', 'what': 'grad'}", "'grad'")]
    [InlineData("{'do': 'read', 'name': 'weight', 'what': 'device'}", "an integer has no device")]
    [InlineData("{'do': 'register', 'hook': 'h', 'kind': 'backward'}", "'backward'")]
    [InlineData("{'do': 'register', 'hook': 'h', 'kind': 'pre', 'with_kwargs': true}", "with_kwargs")]
    [InlineData("{'do': 'register', 'hook': 'h', 'kind': 'pre', 'by': 'dictionary'}", "'dictionary'")]
    [InlineData("{'do': 'register', 'hook': 'h', 'kind': 'pre', 'actions': [{'add_': 1}]}", "'add_'")]
    public void AnUnsupportedStepIsNamed(string steps, string part) => Assert.Contains(part, Programs.Defect(steps));

    [Theory]
    [InlineData("{'kind': 'attention'}", "'attention'")]
    [InlineData("{'kind': 'leaf', 'k': 0.5}", "not an integer")]
    [InlineData("{'kind': 'sequence', 'children': [{'name': 'b', 'same': 'a'}]}", "'a'")]
    public void AnUnsupportedNodeIsNamed(string tree, string part) => Assert.Contains(part, Programs.Defect("{'do': 'call'}", tree));

    [Fact]
    public void NoHookSilencesADefect() => Assert.Contains(
        "'@copy'",
        Programs.Defect(
            """
            {'do': 'register', 'hook': 'f', 'kind': 'forward', 'always_call': true, 'actions': [{'call': {'module': '@copy'}}]},
            {'do': 'call', 'args': [1]}
            """,
            "{'kind': 'raise'}"));

    [Theory]
    [InlineData("moon", """{"tree": {"kind": "leaf"}, "steps": []}""", "'moon'")]
    [InlineData("hooks", "{", "JsonReaderException")]
    [InlineData("hooks", """{"identity": true, "tree": {"kind": "leaf"}, "steps": []}""", "identity")]
    public void AnUnknownWorldAndAnInvalidProgramAreNamed(string world, string program, string part) =>
        Assert.Contains(part, Programs.DefectOf(HookPrograms.Run(world, program)));
}

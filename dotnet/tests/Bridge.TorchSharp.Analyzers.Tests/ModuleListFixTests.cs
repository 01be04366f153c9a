namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class ModuleListFixTests
{
    [Theory]
    [InlineData("private readonly List<Linear> [|parts|] = new();", "private readonly ModuleList<Linear> parts = new();", "")]
    [InlineData(
        "List<Linear> [|parts|] = new List<Linear>();", "ModuleList<Linear> parts = new ModuleList<Linear>();", "parts.Add(Linear(2, 2));")]
    [InlineData("List<Linear> [|parts|] = [Linear(2, 2)];", "ModuleList<Linear> parts = [Linear(2, 2)];", "")]
    public Task A_list_becomes_a_ModuleList(string field, string expected, string statement) =>
        Verify.Fixes(Rules.Collection, Net(field, statement), Net(expected, statement));

    [Fact]
    public Task A_list_that_the_constructor_makes_becomes_a_ModuleList() => Verify.Fixes(
        Rules.Collection,
        Net("readonly List<Linear> [|parts|];", "this.parts = new List<Linear> { Linear(2, 2) };"),
        Net("readonly ModuleList<Linear> parts;", "this.parts = new ModuleList<Linear> { Linear(2, 2) };"));

    [Theory]
    [InlineData("List<Linear> [|parts|] = new();", "parts.AddRange(new[] { Linear(2, 2) });")] // ModuleList has no AddRange
    [InlineData("List<Linear> [|parts|] = Enumerable.Range(0, 2).Select(_ => Linear(2, 2)).ToList();", "")]
    [InlineData("List<IModule<Tensor, Tensor>> [|parts|] = new();", "")]
    [InlineData("Linear[] [|parts|] = [];", "")]
    [InlineData("public List<Linear> [|parts|] = new();", "")]
    public Task Others_are_left(string field, string statement) => Verify.HasNoFix(Rules.Collection, Net(field, statement));

    private static string Net(string field, string statement) => $$"""
        class Net : Module<Tensor, Tensor>
        {
            {{field}}

            public Net() : base("Net")
            {
                {{statement}}
                RegisterComponents();
            }

            public override Tensor forward(Tensor x) => parts.Aggregate(x, (y, part) => y + parts.Count());
        }
        """;
}

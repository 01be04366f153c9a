namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class ModuleCollectionAnalyzerTests
{
    [Theory]
    [InlineData("readonly List<Linear> [|parts|] = new();", "parts.Add(Linear(2, 2));")]
    [InlineData("readonly Linear[] [|parts|] = [Linear(2, 2)];", "")]
    [InlineData("readonly Linear[] [|parts|] = new Linear[2];", "parts[0] = Linear(2, 2);")]
    [InlineData("readonly IReadOnlyList<Module> [|parts|];", "parts = Enumerable.Range(0, 2).Select(_ => Linear(2, 2)).ToList();")]
    [InlineData("readonly Dictionary<string, Linear> [|parts|] = new();", "parts[\"a\"] = Linear(2, 2);")]
    [InlineData("readonly List<IModule<Tensor, Tensor>> [|parts|] = new() { Linear(2, 2) };", "")]
    [InlineData("readonly List<List<Linear>> [|parts|] = new();", "")]
    [InlineData("List<Linear> [|Parts|] { get; } = new();", "")]
    public Task Modules_in_collections_of_net_are_reported(string field, string statement) =>
        Verify.Reports(Rules.Collection, Net(field, statement));

    [Theory]
    [InlineData("readonly ModuleList<Linear> parts = new();", "parts.Add(Linear(2, 2));")]
    [InlineData("readonly List<Tensor> parts = new();", "")]
    [InlineData("readonly List<string> parts = new();", "")]
    [InlineData("static readonly List<Linear> parts = new();", "parts.Add(Linear(2, 2));")]
    [InlineData("readonly List<Linear> parts = new(); readonly Linear one = Linear(2, 2);", "parts.Add(one);")]
    [InlineData("readonly Linear[] parts; readonly Linear one = Linear(2, 2), two = Linear(2, 2);", "parts = [one, two];")]
    [InlineData("readonly Linear[] parts; readonly Linear one;", "parts = [one = Linear(2, 2)];")]
    [InlineData("readonly List<Linear> parts = new(); readonly Sequential all;", "parts.Add(Linear(2, 2)); all = Sequential(parts);")]
    [InlineData("readonly List<Linear> parts = new(); readonly ModuleList<Linear> all;", "all = new ModuleList<Linear>(parts.ToArray());")]
    [InlineData("List<Linear> parts = new(); readonly ModuleList<Linear> all = new();", "foreach (var one in parts) all.Add(one);")]
    [InlineData("readonly List<Linear> parts = new();", "parts.Add(Linear(2, 2)); register_module(\"a\", parts[0]);")]
    [InlineData("List<Linear> parts = new(); Sequential all = Sequential();", "var one = Linear(2, 2); parts.Add(one); all.append(one);")]
    public Task Other_collections_and_modules_that_are_registered_are_not_reported(string field, string statement) =>
        Verify.ReportsNothing(Net(field, statement));

    [Fact]
    public Task A_class_that_is_no_module_is_not_reported() => Verify.ReportsNothing(
        """
        class Ensemble
        {
            readonly List<Linear> models = new();

            public Ensemble() => models.Add(Linear(2, 2));
        }
        """);

    [Fact]
    public async Task The_message_names_what_to_use()
    {
        var analyzed = await Analyzed.Of([Net("readonly Dictionary<string, Linear> parts = new();", "")]);
        Assert.Equal(
            "The modules in 'parts' are not registered, because a 'Dictionary<string, Linear>' is no module: use 'ModuleDict'",
            Assert.Single(analyzed.Reported).GetMessage());
    }

    private static string Net(string field, string statement) => $$"""
        class Net : Module<Tensor, Tensor>
        {
            {{field}}

            public Net() : base("Net")
            {
                {{statement}}
                RegisterComponents();
            }

            public override Tensor forward(Tensor x) => x + 1;
        }
        """;
}

namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class SequentialInputFixTests
{
    [Theory]
    [InlineData("=> training ? x * 2 : x;", "=> training ? x * 2 : x.alias();")]
    [InlineData("{ if (training) return x; return x.relu_(); }", "{ if (training) return x.alias(); return x.relu_().alias(); }")]
    public Task Each_returned_input_becomes_an_alias(string body, string expected) => Verify.Fixes(
        Rules.Input, Program(body, "[|new Skip()|], [|new Skip()|]"), Program(expected, "new Skip(), new Skip()"));

    [Fact]
    public async Task A_class_in_another_file_is_fixed()
    {
        const string user = """
            class Program
            {
                static Sequential Made() => Sequential(Linear(2, 2), new Skip());
            }
            """;
        var before = await Analyzed.Of([user, Program("=> x;", "Linear(2, 2)")]);
        var expected = new[] { user, Program("=> x.alias();", "Linear(2, 2)") };
        Assert.Equal(expected, (await before.AllFixed(Rules.Input.Id)).Texts);
        Assert.Equal(expected, (await before.Fixed(before.Reported.Single())).Texts);
    }

    private static string Program(string body, string modules) => $$"""
        class Skip : Module<Tensor, Tensor>
        {
            public Skip() : base("Skip") { }

            public override Tensor forward(Tensor x) {{body}}
        }

        class Second
        {
            static Sequential Made() => Sequential({{modules}});
        }
        """;
}

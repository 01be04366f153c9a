namespace Bridge.TorchSharp.Analyzers.Tests;

public sealed class SequentialInputAnalyzerTests
{
    [Theory]
    [InlineData("=> x;")]
    [InlineData("=> training ? x * 2 : x;")]
    [InlineData("=> x.relu_().add_(1);")]
    [InlineData("{ if (training) return x; x = x * 2; return x; }")]
    [InlineData("=> 1 switch { 1 => (x), _ => x * 2 };")]
    public Task A_module_that_returns_its_input_is_reported(string body) =>
        Verify.Reports(Rules.Input, Program(body, "Sequential(Linear(2, 2), [|new Skip()|])"));

    [Theory]
    [InlineData("=> x.alias();")]
    [InlineData("=> x * 2;")]
    [InlineData("{ x = x * 2; return x; }")]
    [InlineData("{ for (var i = 0; i < 2; i++) { if (i > 0) return x; x = x * 2; } return x; }")]
    [InlineData("{ Func<Tensor, Tensor> same = y => { return x; }; return same(x) * 2; }")]
    [InlineData("{ (x, var y) = (x * 2, x * 3); return x; }")]
    [InlineData("=> x.tril_();")]
    public Task A_module_that_returns_another_tensor_is_not_reported(string body) =>
        Verify.ReportsNothing(Program(body, "Sequential(Linear(2, 2), new Skip())"));

    [Theory]
    [InlineData("Sequential((\"fc\", Linear(2, 2)), (\"skip\", [|new Skip()|]))")]
    [InlineData("Sequential(new Module<Tensor, Tensor>[] { Linear(2, 2), [|new Skip()|] })")]
    [InlineData("Sequential(Linear(2, 2)).append([|new Skip()|])")]
    [InlineData("Sequential(Linear(2, 2), [|skip|])")]
    [InlineData("Sequential(Linear(2, 2), [|new Derived()|])")]
    [InlineData("new Own([|new Skip()|], Linear(2, 2))")]
    public Task Each_way_into_a_Sequential_is_reported(string made) => Verify.Reports(Rules.Input, Program("=> x;", made));

    [Theory]
    [InlineData("Sequential(new Skip())")] // disposes nothing
    [InlineData("Sequential(Linear(2, 2), new Fixed())")]
    [InlineData("Sequential(Linear(2, 2), Identity())")]
    public Task Other_modules_are_not_reported(string made) => Verify.ReportsNothing(Program("=> x;", made));

    [Fact]
    public Task The_class_can_be_in_another_file() => Verify.Reports(
        Rules.Input,
        Program("=> x;", "new Skip()"),
        """
        class Second
        {
            static Sequential Made() => Sequential(Linear(2, 2), [|new Skip()|]);
        }
        """);

    private static string Program(string body, string made) => $$"""
        class Skip : Module<Tensor, Tensor>
        {
            public Skip() : base("Skip") { }

            public override Tensor forward(Tensor x) {{body}}
        }

        class Derived : Skip;

        class Fixed : Skip
        {
            public override Tensor forward(Tensor x) => x.alias();
        }

        class Own(params Module<Tensor, Tensor>[] modules) : Sequential(modules);

        class Program
        {
            static Module<Tensor, Tensor> Made(Skip skip) => {{made}};
        }
        """;
}
